import CommandKit
import LinkstrLinks

/// The person's browser. An address reaches it as one argument, never through a shell.
enum Browser {
    /// Whether there is a desktop to open something on.
    static var isThere: Bool {
        #if canImport(Darwin)
            return true
        #else
            return ["BROWSER", "DISPLAY", "WAYLAND_DISPLAY"].contains { !(Environment.value($0) ?? "").isEmpty }
        #endif
    }

    /// What a person is shown before an address is opened: the host alone, without what may stand before it, and of a long one the
    /// end, which says whose it is.
    static func host(of address: String) -> String {
        let rest = address.drop { $0 != "/" }.drop { $0 == "/" }
        let authority = rest.prefix { !"/?#\\".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
        let safe = TerminalText.safe(String(host))
        return safe.count > 100 ? "…" + safe.suffix(99) : safe
    }

    /// Starts the browser and does not wait for it.
    /// - Throws: ``CommandFailure`` for anything but http and https, and where the program cannot be started.
    static func open(_ address: String) throws {
        let link = try WebURL(address)
        let named = Environment.value("BROWSER").flatMap { $0.isEmpty ? nil : $0 }
        #if canImport(Darwin)
            let program = named ?? "open"
        #else
            let program = named ?? "xdg-open"
        #endif
        do throws(CommandFailure) {
            _ = try ChildProcess(program, [link.text])
        } catch {
            throw CommandFailure(error.exitCode, "\(error.message); the address is \(link.text)")
        }
    }
}
