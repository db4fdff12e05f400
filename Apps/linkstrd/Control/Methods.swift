import CommandKit
import LinkstrClient

/// Prints what can be asked of the daemon, from the same declarations that answer.
enum Methods {
    static let command = Command(
        "methods",
        "List the operations of the control socket, what they take and what they give",
        details: ["The protocol around them is told in docs/json-rpc.md."],
        examples: [
            Example("linkstrd methods", "For people"),
            Example("linkstrd methods --json", "One object a line: method, summary, sends, takes, gives"),
        ]
    ) { call in
        let output = call.console.output
        for operation in ClientOperation.all {
            if call.console.usesJSON {
                try output.line([
                    "method": .string(operation.name), "summary": .string(operation.summary),
                    "sends": .bool(operation.sends), "takes": .array(operation.takes.map(\.described)),
                    "gives": .array(operation.gives.map(\.described)),
                ])
                continue
            }
            try output.line("\(operation.name)  \(operation.summary)")
            for field in operation.takes { try output.line("    takes \(field.line)") }
            for field in operation.gives { try output.line("    gives \(field.line)") }
        }
    }
}

extension OperationField {
    fileprivate var described: JSON {
        [
            "name": .string(name), "kind": .string(kind.sentence), "optional": .bool(isOptional),
            "summary": .string(summary),
        ]
    }

    fileprivate var line: String {
        "\(name): \(kind.sentence)\(isOptional ? ", may be left out or null" : ""). \(summary)."
    }
}
