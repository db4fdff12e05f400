/// One kind of work, at one or more sizes, beside the least that it could cost. A group of related ones is a file in
/// `Rows/` with a function that returns an array of these, listed in `Bench.swift`.
struct Benchmark {
    /// What `quality.md` asks of the first floor's time divided by the work's, or of the work itself.
    enum Target {
        /// At the size named, at least this share of the floor named.
        case ratio(Double, to: String, at: Int? = nil)
        /// At the size named, at most so many microseconds.
        case microseconds(Double, at: Int? = nil)
        /// At the size named, at least so many million bytes per second.
        case megabytesPerSecond(Double, at: Int? = nil)
        /// At most so many allocations per operation.
        case allocations(Double)
    }

    /// What is measured at one size. The closures do the work once, with everything prepared, and give their result to
    /// `keep`, so that no call can be optimised away.
    struct Run {
        var floors: [(name: String, body: () -> Void)]
        var work: () -> Void
    }

    let name: String
    /// In bytes, or in whatever `unit` says.
    let sizes: [Int]
    var unit = "B"
    var targets: [Target] = []
    let prepare: (Int) throws -> Run
}

/// A place where results go that the optimiser must take for read.
@inline(never)
@_optimize(none)
func keep<Value>(_ value: Value) {}
