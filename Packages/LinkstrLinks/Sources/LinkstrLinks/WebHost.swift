#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What counts as the host of a link that somebody shares.
enum WebHost {
    /// `localhost`, an IPv4 or bracketed IPv6 literal, or two or more dot-separated labels of letters, digits and inner
    /// hyphens. Outer dots do not count.
    static func isCredible(_ host: some StringProtocol) -> Bool {
        if host.hasPrefix("[") {
            return host.hasSuffix("]") && isIPv6(String(host.dropFirst().dropLast()))
        }
        let name = withoutOuterDots(host)
        if name.lowercased() == "localhost" || isIPv4(name) { return true }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2 && labels.allSatisfy(isLabel)
    }

    static func withoutOuterDots(_ host: some StringProtocol) -> String {
        var name = host[...]
        while name.hasPrefix(".") { name = name.dropFirst() }
        while name.hasSuffix(".") { name = name.dropLast() }
        return String(name)
    }

    /// Four decimal numbers from 0 to 255.
    static func isIPv4(_ text: some StringProtocol) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.utf8.count) && part.utf8.allSatisfy { (48...57).contains($0) }
                    && UInt8(part) != nil
            }
    }

    static func isIPv6(_ text: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, text, &address) == 1
    }

    private static func isLabel(_ label: some StringProtocol) -> Bool {
        guard let first = label.unicodeScalars.first, let last = label.unicodeScalars.last,
            first != "-", last != "-", !first.isMark
        else { return false }
        return label.unicodeScalars.allSatisfy(isLabelScalar)
    }

    private static func isLabelScalar(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return scalar == "-" || (48...57).contains(scalar.value) || (97...122).contains(scalar.value | 0x20)
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .nonspacingMark, .spacingMark:
            return true
        default:
            return false
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        !isASCII && (properties.generalCategory == .nonspacingMark || properties.generalCategory == .spacingMark)
    }
}
