import ControlSocket
import NostrEvents

extension FuzzTarget {
    static let controlSocket: [FuzzTarget] = [
        FuzzTarget(name: "control-message") { bytes in
            let input = Array(bytes)
            let whole = lines(input, piece: .max)
            for piece in [1, 3, 17] {
                precondition(lines(input, piece: piece) == whole, "pieces of \(piece) give other lines")
            }
            for line in whole {
                guard let message = try? RPCMessage(line, limit: 4096) else { continue }
                let written = message.line
                precondition(written.last == 0x0A && !written.dropLast().contains(0x0A), "a message is not one line")
                guard let again = try? RPCMessage(Array(written.dropLast())) else {
                    preconditionFailure("a message does not survive its own line")
                }
                precondition(again.line == written, "a message changes when it is read again")
            }
        }
    ]

    private static func lines(_ input: [UInt8], piece: Int) -> [[UInt8]] {
        var splitter = MessageSplitter(limit: 256)
        var lines: [[UInt8]] = []
        var start = 0
        while start < input.count {
            let end = start + min(piece, input.count - start)
            splitter.append(Array(input[start..<end]))
            start = end
            do throws(MessageSplitter.LineTooLong) {
                while let line = try splitter.next() { lines.append(line) }
            } catch {
                // What comes behind is not looked at by anybody.
                break
            }
        }
        return lines
    }
}
