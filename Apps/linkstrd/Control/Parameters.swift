import ControlSocket
import LinkstrClient
import NostrEvents

/// The parameters of a call by their names; one that is not known is refused.
struct Parameters {
    private let object: JSONObject

    init(_ call: ControlCall, known: [String]) throws(RPCFailure) {
        object = try call.parameterObject()
        for member in object.members where !known.contains(member.key) {
            throw .invalidParameters(
                "\(call.method) takes no \(TypedText.repeated(member.key)); it takes: \(known.joined(separator: ", "))"
            )
        }
    }

    private func value(_ name: String) -> JSONValue? {
        object[name].flatMap { $0.isNull ? nil : $0 }
    }

    func text(_ name: String) throws(RPCFailure) -> String {
        guard let text = try optionalText(name) else {
            throw .invalidParameters("The parameter \(name) is missing.")
        }
        return text
    }

    func optionalText(_ name: String) throws(RPCFailure) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string else { throw .invalidParameters("The parameter \(name) is no text.") }
        return text
    }

    func flag(_ name: String) throws(RPCFailure) -> Bool {
        guard let value = value(name) else { return false }
        guard let flag = value.bool else {
            throw .invalidParameters("The parameter \(name) is neither true nor false.")
        }
        return flag
    }

    /// A length of time that is given in milliseconds, a day at most.
    func duration(_ name: String) throws(RPCFailure) -> Duration? {
        guard let value = value(name) else { return nil }
        guard let milliseconds = value.integer, (1...86_400_000).contains(milliseconds) else {
            throw .invalidParameters("The parameter \(name) is no number of milliseconds from 1 to 86400000.")
        }
        return .milliseconds(milliseconds)
    }

    func object(_ name: String) throws(RPCFailure) -> JSONObject {
        guard let value = value(name) else { return JSONObject() }
        guard let object = value.object else { throw .invalidParameters("The parameter \(name) is no object.") }
        return object
    }
}
