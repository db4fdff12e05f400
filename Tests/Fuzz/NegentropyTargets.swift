import Negentropy
import NostrCrypto
import NostrEvents

extension FuzzTarget {
    /// 200 items, four a second from second 0 on.
    private static let items = InMemoryNegentropySet(
        (0..<200).compactMap { number in
            try? NegentropyItem(
                timestamp: UInt64(number / 4),
                id: EventID(SHA256.hash([UInt8(truncatingIfNeeded: number)]))
            )
        }
    )

    static let negentropy: [FuzzTarget] = [
        FuzzTarget(name: "negentropy-server") { bytes in
            for limit in [NegentropyFrame.minimumSize, 4_096] {
                guard let server = try? NegentropyServer(items, frameSizeLimit: limit),
                    let answer = try? server.respond(to: [UInt8](bytes))
                else { continue }
                precondition(answer.count <= limit, "the answer is larger than the limit")
                guard var client = try? NegentropyClient(items) else { continue }
                precondition(answer.count == 1 || (try? client.receive(answer)) != nil, "the answer is malformed")
            }
        },
        // The messages of a server, each behind its length in a byte.
        FuzzTarget(name: "negentropy-client") { bytes in
            let limits = NegentropyClientLimits(maximumRounds: 20, maximumRanges: 50)
            guard let server = try? NegentropyServer(items),
                var client = try? NegentropyClient(items, frameSizeLimit: 512, limits: limits)
            else { return }
            var rest = [UInt8](bytes)[...]
            while let length = rest.popFirst() {
                let message = [UInt8](rest.prefix(Int(length)))
                rest = rest.dropFirst(Int(length))
                guard let step = try? client.receive(message), let next = step.next else { return }
                precondition(next.count <= 512, "the question is larger than the limit")
                precondition((try? server.respond(to: next)) != nil, "the question is malformed")
            }
        },
    ]
}
