import CommandKit
public import NostrCrypto

extension NIP49.KeySecurity: CustomStringConvertible {
    /// The word that commands take and print.
    var name: String {
        switch self {
        case .handledInsecurely: "insecure"
        case .handledSecurely: "secure"
        case .untracked: "unknown"
        }
    }

    public var description: String { name }
}

extension Conversion where Value == NIP49.KeySecurity {
    static var keySecurity: Conversion {
        let all = NIP49.KeySecurity.allCases
        let word = Conversion<String>.choice(all.map(\.name))
        return Conversion(word.placeholder, completion: word.completion) { text in
            let name = try word.convert(text)
            return all.first { $0.name == name } ?? .untracked
        }
    }
}
