/// One thing that reads hostile bytes: any input may be refused, none may trap, hang or eat memory.
struct FuzzTarget: Sendable {
    /// What the command line and the corpus folder call it.
    let name: String
    let run: @Sendable (UnsafeRawBufferPointer) -> Void

    static func named(_ name: String) -> FuzzTarget? {
        all.first { $0.name == name }
    }
}
