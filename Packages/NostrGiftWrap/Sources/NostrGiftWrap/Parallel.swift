/// Work for the processor over an array, on all cores, in chunks, with the order kept.
enum Parallel {
    /// Twice the cores: enough that none waits for the next chunk, few enough that memory stays bounded.
    static let chunksInFlight = 2 * max(1, processorCount)

    /// Maps the elements, several chunks of them at a time.
    /// - Parameter progress: Called with the number of elements done, in order.
    static func map<Element: Sendable, Result: Sendable>(
        _ elements: [Element],
        chunk: Int,
        progress: (@Sendable (Int) -> Void)? = nil,
        _ transform: @escaping @Sendable (Element) async throws -> Result
    ) async throws -> [Result] {
        // A hop to another thread costs more than a few elements gain.
        if elements.count <= chunk {
            var results: [Result] = []
            results.reserveCapacity(elements.count)
            for element in elements {
                try Task.checkCancellation()
                results.append(try await transform(element))
            }
            progress?(results.count)
            return results
        }
        return try await withThrowingTaskGroup(of: (Int, [Result]).self) { group in
            var next = 0
            func add() {
                guard next < elements.count else { return }
                let start = next
                let part = elements[start..<min(start + chunk, elements.count)]
                next = part.endIndex
                group.addTask {
                    var results: [Result] = []
                    results.reserveCapacity(part.count)
                    for element in part {
                        try Task.checkCancellation()
                        results.append(try await transform(element))
                    }
                    return (start, results)
                }
            }
            for _ in 0..<chunksInFlight { add() }
            var done: [Int: [Result]] = [:]
            var results: [Result] = []
            results.reserveCapacity(elements.count)
            while let (start, part) = try await group.next() {
                done[start] = part
                add()
                while let ready = done.removeValue(forKey: results.count) {
                    results += ready
                    progress?(results.count)
                }
            }
            return results
        }
    }
}
