extension QRCode {
    /// The code for a terminal, two rows of modules in one line of text, with the quiet zone that readers need.
    /// - Parameter isInverted: Draw light modules instead of dark ones, for terminals with light letters on a dark ground, where
    ///   the letters are the light of the code.
    public func text(isInverted: Bool = true) -> String {
        let range = -Self.quietZone..<(size + Self.quietZone)
        var lines: [String] = []
        for y in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
            let line = range.map { x -> Character in
                let top = isDark(x, y) != isInverted
                // Below the last row of an odd height nothing is drawn.
                let bottom = y + 1 < range.upperBound && isDark(x, y + 1) != isInverted
                switch (top, bottom) {
                case (true, true): return "█"
                case (true, false): return "▀"
                case (false, true): return "▄"
                case (false, false): return " "
                }
            }
            lines.append(String(line))
        }
        return lines.joined(separator: "\n")
    }
}
