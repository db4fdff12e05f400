#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// Two builds of one program. Compiled with -D FUZZING and -sanitize=fuzzer,address it is a fuzzer:
//     fuzz TARGET [libFuzzer options] CORPUS...
// Compiled plainly it replays files, so that every kept input is also a regression test:
//     fuzz TARGET FILE...

#if FUZZING
    @_silgen_name("LLVMFuzzerRunDriver")
    func runDriver(
        _ count: UnsafeMutablePointer<CInt>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
        _ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    ) -> CInt

    @_cdecl("LLVMFuzzerTestOneInput")
    func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
        Fuzz.target.run(UnsafeRawBufferPointer(start: bytes, count: size))
        return 0
    }
#endif

@main
enum Fuzz {
    /// Set once before the first input.
    nonisolated(unsafe) static var target = FuzzTarget(name: "none") { _ in }

    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count > 1, let chosen = FuzzTarget.named(arguments[1]) else {
            let names = FuzzTarget.all.map(\.name)
            if arguments.count == 2, arguments[1] == "--list" {
                print(names.joined(separator: "\n"))
                exit(0)
            }
            complain("usage: fuzz TARGET ...\ntargets: \(names.joined(separator: " "))")
            exit(64)
        }
        target = chosen
        #if FUZZING
            let kept = [arguments[0]] + arguments.dropFirst(2)
            var pointers: [UnsafeMutablePointer<CChar>?] = kept.map { strdup($0) }
            pointers.append(nil)
            var count = CInt(kept.count)
            let result = pointers.withUnsafeMutableBufferPointer { buffer -> CInt in
                guard var base = buffer.baseAddress else { return 1 }
                return withUnsafeMutablePointer(to: &base) { pointer in
                    runDriver(&count, pointer, testOneInput)
                }
            }
            exit(result)
        #else
            for path in arguments.dropFirst(2) {
                guard let bytes = contents(of: path) else {
                    complain("fuzz: cannot read \(path)")
                    exit(66)
                }
                bytes.withUnsafeBytes(target.run)
            }
            print("\(target.name): \(arguments.count - 2) inputs")
        #endif
    }

    static func complain(_ sentence: String) {
        var line = sentence + "\n"
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    static func contents(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { return all }
            all += chunk[0..<count]
        }
    }
}
