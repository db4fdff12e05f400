/// When a notification that was not delivered is tried again.
enum Backoff {
    /// 2, 4, 8, 16, 32 and then 60 seconds, and up to a quarter more.
    ///
    /// - Parameters:
    ///   - failures: how often it has failed, this time included.
    ///   - random: from 0 up to 1.
    /// - Returns: milliseconds.
    static func delay(failures: Int, random: Double) -> Int64 {
        let seconds = failures < 6 ? Int64(1) << Int64(max(1, failures)) : 60
        let extra = min(max(0, random), 1) * 0.25 * Double(seconds) * 1000
        return seconds * 1000 + Int64(extra)
    }
}
