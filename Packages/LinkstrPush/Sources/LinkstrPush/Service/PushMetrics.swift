internal import Locking

/// What a gateway has done since it started.
public final class PushMetrics: Sendable {
    /// The counts.
    public struct Values: Sendable, Equatable {
        /// Requests that were answered, by status.
        public var answers: [Int: Int] = [:]
        /// Requests that were not let through because somebody makes too many.
        public var limited = 0
        /// Notifications that were accepted, one for each device.
        public var queued = 0
        /// Attempts to send one.
        public var attempts = 0
        /// Those that were accepted by the push service.
        public var delivered = 0
        /// Those that failed and wait for another try.
        public var failed = 0
        /// Those that were refused because of the settings, and wait for another try.
        public var misconfigured = 0
        /// Those whose device is gone.
        public var devicesGone = 0
        /// Those that expired unsent.
        public var expired = 0
        /// Those taken over from a worker that did not say what became of them: at most so many were sent twice.
        public var reclaimed = 0
        /// Failures of the storage.
        public var storeFailures = 0
    }

    private struct State {
        var values = Values()
        var isStoreWell = true
    }

    private let state = Locked(State())

    /// Nothing done yet.
    public init() {}

    /// The counts now.
    public var values: Values { state.withLock { $0.values } }

    /// Whether the storage worked when it was last used.
    public var isStoreWell: Bool { state.withLock { $0.isStoreWell } }

    func add(_ count: Int, to value: any WritableKeyPath<Values, Int> & Sendable) {
        guard count != 0 else { return }
        state.withLock { $0.values[keyPath: value] += count }
    }

    func answered(_ status: Int) {
        state.withLock { $0.values.answers[status, default: 0] += 1 }
    }

    func storeFailed() {
        state.withLock {
            $0.values.storeFailures += 1
            $0.isStoreWell = false
        }
    }

    func storeWorked() {
        state.withLock { $0.isStoreWell = true }
    }

    /// The counts in the text format of Prometheus.
    public func text(_ counts: PushCounts?) -> String {
        let values = values
        var lines: [String] = []
        func add(_ name: String, _ type: String, _ help: String, _ samples: [(String, Int)]) {
            lines += ["# HELP linkstr_push_\(name) \(help)", "# TYPE linkstr_push_\(name) \(type)"]
            lines += samples.map { "linkstr_push_\(name)\($0.0) \($0.1)" }
        }
        let answers = values.answers.sorted { $0.key < $1.key }.map { ("{status=\"\($0.key)\"}", $0.value) }
        add("requests_total", "counter", "Requests answered.", answers)
        add("limited_total", "counter", "Requests refused by a rate limit.", [("", values.limited)])
        add("queued_total", "counter", "Notifications accepted.", [("", values.queued)])
        add("attempts_total", "counter", "Notifications sent, repetitions included.", [("", values.attempts)])
        add(
            "outcomes_total",
            "counter",
            "What became of notifications.",
            [
                ("{outcome=\"delivered\"}", values.delivered), ("{outcome=\"failed\"}", values.failed),
                ("{outcome=\"misconfigured\"}", values.misconfigured),
                ("{outcome=\"device_gone\"}", values.devicesGone), ("{outcome=\"expired\"}", values.expired),
            ]
        )
        add("reclaimed_total", "counter", "Notifications that may have been sent twice.", [("", values.reclaimed)])
        add("store_failures_total", "counter", "Failures of the storage.", [("", values.storeFailures)])
        if let counts {
            add("devices", "gauge", "Devices registered.", [("", counts.devices)])
            add("accounts", "gauge", "Accounts with a device.", [("", counts.accounts)])
            add("jobs", "gauge", "Notifications that wait.", [("", counts.jobs)])
            add("storage_bytes", "gauge", "Bytes of storage in use.", [("", counts.bytes)])
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
