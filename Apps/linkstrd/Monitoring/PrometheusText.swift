/// Metrics in the text form of Prometheus, version 0.0.4.
struct PrometheusText {
    /// What a metric does.
    enum Kind: String {
        case counter
        case gauge
    }

    private(set) var text = ""

    /// Adds a metric with its samples.
    /// - Parameters:
    ///   - name: Without the prefix `linkstrd_`.
    ///   - samples: Labels and values.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: [(String, String)], Double)]) {
        guard !samples.isEmpty else { return }
        let name = "linkstrd_" + name
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for (labels, value) in samples {
            let list = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
            text += list.isEmpty ? "\(name) \(Self.number(value))\n" : "\(name){\(list)} \(Self.number(value))\n"
        }
    }

    /// Adds a metric with one sample.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
        add(name, kind, help, [([], Double(value))])
    }

    private static func escaped(_ label: String) -> String {
        var text = ""
        for scalar in label.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
    }
}
