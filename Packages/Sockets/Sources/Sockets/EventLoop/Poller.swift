/// What a descriptor is watched for, and what was seen.
struct Readiness: OptionSet {
    let rawValue: UInt8
    static let readable = Readiness(rawValue: 1)
    static let writable = Readiness(rawValue: 2)
    /// An error or a hang-up: seen whether it was asked for or not.
    static let broken = Readiness(rawValue: 4)
}

/// One descriptor's readiness. The token tells a descriptor from an earlier one of the same number.
struct PollEvent {
    let descriptor: Int32
    let token: UInt32
    let readiness: Readiness
}
