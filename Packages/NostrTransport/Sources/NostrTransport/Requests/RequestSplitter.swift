package import NostrEvents

/// Cuts the filters of a request into parts, each of which is one REQ that the relay takes.
package enum RequestSplitter {
    /// What one REQ asks for.
    package struct Part: Sendable, Equatable {
        package let filters: [Filter]
        /// Which filter of the request the only one here is a piece of, when that has a limit: it is for all pieces together.
        package let pieceOf: Int?
    }

    /// Whoever needs more REQs than this asks for too much.
    package static let mostParts = 256

    /// - Parameters:
    ///   - filtersPerPart: how many filters a REQ may have.
    ///   - bytesPerPart: how many bytes they may take, commas included.
    /// - Returns: the parts, in order; nil when a filter has nothing left to cut, or there would be more than
    ///   ``mostParts``.
    package static func parts(of filters: [Filter], filtersPerPart: Int, bytesPerPart: Int) -> [Part]? {
        var parts: [Part] = []
        var whole: [Filter] = []
        var size = 0
        func endPart() {
            if !whole.isEmpty || filters.isEmpty { parts.append(Part(filters: whole, pieceOf: nil)) }
            whole = []
            size = 0
        }
        for (index, filter) in filters.enumerated() {
            let bytes = cost(filter)
            if bytes > bytesPerPart {
                guard let pieces = pieces(of: filter, bytes: bytesPerPart) else { return nil }
                parts += pieces.map { Part(filters: [$0], pieceOf: filter.limit == nil ? nil : index) }
            } else {
                if whole.count >= filtersPerPart || size + bytes > bytesPerPart { endPart() }
                whole.append(filter)
                size += bytes
            }
            guard parts.count < mostParts else { return nil }
        }
        endPart()
        return parts
    }

    /// Bytes of a filter in a REQ.
    static func cost(_ filter: Filter) -> Int { filter.json.count + 1 }

    /// Filters that together match what this one does.
    private static func pieces(of filter: Filter, bytes: Int) -> [Filter]? {
        var pieces: [Filter] = []
        var waiting = [filter]
        while let next = waiting.popLast() {
            guard pieces.count + waiting.count < mostParts else { return nil }
            if cost(next) <= bytes {
                pieces.append(next)
            } else {
                guard let (first, second) = halves(of: next) else { return nil }
                waiting += [second, first]
            }
        }
        return pieces
    }

    /// The filter with each half of its longest list: an event needs one of the list's values only.
    private static func halves(of filter: Filter) -> (Filter, Filter)? {
        let hexBytes = 67
        let ids = (filter.ids?.count ?? 0) * hexBytes
        let authors = (filter.authors?.count ?? 0) * hexBytes
        let tags = filter.tags.mapValues { values in values.reduce(0) { $0 + $1.utf8.count + 3 } }
        let letter = tags.max { ($0.value, $1.key) < ($1.value, $0.key) }
        var (first, second) = (filter, filter)
        if let letter, letter.value >= max(ids, authors), let values = filter.tags[letter.key], values.count > 1 {
            first.tags[letter.key] = TagValues(values.prefix(values.count / 2))
            second.tags[letter.key] = TagValues(values.dropFirst(values.count / 2))
        } else if ids >= authors, let values = filter.ids?.sorted(), values.count > 1 {
            first.ids = Set(values.prefix(values.count / 2))
            second.ids = Set(values.dropFirst(values.count / 2))
        } else if let values = filter.authors?.sorted(), values.count > 1 {
            first.authors = Set(values.prefix(values.count / 2))
            second.authors = Set(values.dropFirst(values.count / 2))
        } else {
            return nil
        }
        return (first, second)
    }
}
