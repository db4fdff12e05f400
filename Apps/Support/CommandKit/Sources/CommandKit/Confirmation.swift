/// Asking before something that cannot be taken back or reaches others.
public enum Confirmation {
    /// `--yes`
    public static let yes = Flag("yes", short: "y", "Do it without asking")

    /// Says what will happen and asks on the terminal; goes on with `--yes`.
    ///
    /// - Parameters:
    ///   - what: whole sentences.
    ///   - others: flags that it needs besides because they stand for more than a yes; all that are missing are named at once.
    /// - Throws: ``CommandFailure`` with ``ExitCode/notPermitted`` for any answer but y or yes, and where nobody can be asked.
    public static func require(_ call: Invocation, _ what: String, and others: [Flag] = []) throws {
        let missing = others.filter { !call[$0] }.map(\.declaration.spelling)
        guard missing.isEmpty else {
            let all = (call[yes] || Console.canAsk ? [] : [yes.declaration.spelling]) + missing
            throw CommandFailure(.notPermitted, "\(what) Nothing was done: it needs \(all.joined(separator: " and "))")
        }
        if call[yes] {
            call.console.explain(what)
            return
        }
        guard Console.canAsk else {
            throw CommandFailure(.notPermitted, "\(what) Nothing was done: say --yes where nobody can be asked")
        }
        let word = try ask(call, what + " Go on? [y/N]").lowercased()
        guard word == "y" || word == "yes" else {
            throw CommandFailure(.notPermitted, "not confirmed; nothing was done")
        }
    }

    /// Asks for a line on the terminal.
    ///
    /// - Returns: what was typed, without blanks around it; empty at the end of the input.
    public static func ask(_ call: Invocation, _ question: String) throws -> String {
        call.console.error(raw: TerminalText.safe(question, keepsLines: true) + " ")
        let answer = String(decoding: try LineReader(limit: 1_024).next()?.bytes ?? [], as: UTF8.self)
        return String(answer.trimmingPrefix(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
