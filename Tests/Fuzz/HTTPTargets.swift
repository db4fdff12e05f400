import Sockets

extension FuzzTarget {
    static let http: [FuzzTarget] = [
        FuzzTarget(name: "http-head") { bytes in
            let input = Array(bytes)
            let whole = head(input, piece: .max)
            for piece in [1, 3, 17] {
                precondition(head(input, piece: piece) == whole, "pieces of \(piece) give something else")
            }
            guard let head = whole.head else { return }
            for (name, value) in head.fields.all {
                precondition((try? HTTPFields([(name, value)])) != nil, "a field was read that cannot be written")
            }
            _ = try? HTTPRequestHead(head)
            _ = try? HTTPResponseHead(head)
        },
        // The first line as a URL, the rest as a reference in a document there.
        FuzzTarget(name: "http-url") { bytes in
            let parts = bytes.split(separator: 0x0a, maxSplits: 1, omittingEmptySubsequences: false)
            guard let url = try? HTTPURL(String(decoding: parts[0], as: UTF8.self)) else { return }
            precondition((try? HTTPURL(url.description)) == url, "a URL does not survive its own text")
            guard parts.count > 1, let other = try? url.resolving(String(decoding: parts[1], as: UTF8.self)) else {
                return
            }
            precondition((try? HTTPURL(other.description)) == other, "a URL does not survive its own text")
        },
    ]

    private struct Outcome: Equatable {
        var head: HTTPHead?
        /// Where the body begins.
        var end = 0
        var error: SocketsError?
    }

    private static func head(_ input: [UInt8], piece: Int) -> Outcome {
        var limits = HTTPHeadParser.Limits()
        limits.bytes = 1000
        limits.fields = 10
        var parser = HTTPHeadParser(limits: limits)
        var outcome = Outcome()
        while outcome.end < input.count, outcome.head == nil {
            let part = Array(input[outcome.end..<min(input.count, outcome.end + min(piece, input.count))])
            var index = 0
            do throws(SocketsError) {
                outcome.head = try parser.feed(part, from: &index)
                outcome.end += index
            } catch {
                outcome.error = error
                outcome.end = 0
                return outcome
            }
        }
        return outcome
    }
}
