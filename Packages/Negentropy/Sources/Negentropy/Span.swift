/// A part of the set, from an inclusive to an exclusive bound.
struct Span: Sendable, Equatable {
    var lower: NegentropyBound
    var upper: NegentropyBound
}

/// Walks ascending, disjoint spans while a message names ascending ranges, so that a whole message costs one walk.
struct SpanCursor {
    private let spans: [Span]
    private var position = 0

    init(_ spans: [Span]) {
        self.spans = spans
    }

    /// The parts of the spans that lie in a range.
    mutating func parts(from lower: NegentropyBound, to upper: NegentropyBound) -> [Span] {
        skip(below: lower)
        var parts: [Span] = []
        while position < spans.count, spans[position].lower < upper {
            let span = spans[position]
            let part = Span(lower: max(span.lower, lower), upper: min(span.upper, upper))
            if part.lower < part.upper { parts.append(part) }
            // A span that goes on behind the range is needed again for the next one.
            if span.upper > upper { break }
            position += 1
        }
        return parts
    }

    /// Whether a range lies in one of the spans.
    mutating func contains(from lower: NegentropyBound, to upper: NegentropyBound) -> Bool {
        skip(below: lower)
        return position < spans.count && spans[position].lower <= lower && upper <= spans[position].upper
    }

    private mutating func skip(below lower: NegentropyBound) {
        while position < spans.count, spans[position].upper <= lower { position += 1 }
    }
}
