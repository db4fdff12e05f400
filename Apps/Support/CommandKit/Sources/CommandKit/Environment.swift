#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The environment of the process.
public enum Environment {
    /// The value of a variable; nil where it is not set.
    public static func value(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Every variable.
    public static var all: [String: String] {
        var all: [String: String] = [:]
        var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
        while let entry = next?.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                all[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            next = next?.successor()
        }
        return all
    }
}
