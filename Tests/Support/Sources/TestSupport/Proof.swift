import Foundation

/// How much of a proof the tests run: a share of it, or all of it when an environment variable says so.
public enum Proof {
    /// The number in an environment variable, or the one that ordinary test runs take.
    public static func count(_ ordinary: Int, in variable: String) -> Int {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? ordinary
    }
}
