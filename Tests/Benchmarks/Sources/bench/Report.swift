import CAllocations
import Foundation

/// The outcome at one size.
struct Outcome: Codable {
    struct Floor: Codable {
        let name: String
        let microseconds: Double
        /// The floor's time divided by the work's.
        let ratio: Double
    }

    let work: String
    let size: Int
    let unit: String
    let microseconds: Double
    let allocations: Double?
    let floors: [Floor]
    /// How the time grows from the size before: 1 is linear.
    let exponent: Double?
    let targets: [String]
    /// Whether each of `targets` was reached in this run.
    let reached: [Bool]
}

struct Report: Codable {
    /// When the run began, as ISO 8601.
    var date = Date().ISO8601Format()
    /// How many processes wanted a processor at that time, averaged over the minute before; nil where the system does not say.
    var load: Double? = Report.loadAverage()
    /// How many processors there are.
    var processors = ProcessInfo.processInfo.activeProcessorCount
    var outcomes: [Outcome] = []

    private static func loadAverage() -> Double? {
        var average = [Double](repeating: 0, count: 1)
        return getloadavg(&average, 1) == 1 ? average[0] : nil
    }

    /// Keeps and prints an outcome.
    mutating func add(_ outcome: Outcome) {
        FileHandle.standardOutput.write(Data((Self.lines(outcome).joined(separator: "\n") + "\n").utf8))
        outcomes.append(outcome)
    }

    static let header = line(["work", "size", "us", "floor", "us", "ratio", "allocs", "growth", "target"])

    /// Two lines or more: one for each floor.
    static func lines(_ outcome: Outcome) -> [String] {
        let targets = zip(outcome.targets, outcome.reached).map { $0 + ($1 ? " ok" : " MISSED") }.joined(
            separator: ", "
        )
        let floors = outcome.floors.map { [$0.name, number($0.microseconds), String(format: "%.2f", $0.ratio)] }
        return (floors.isEmpty ? [["-", "", ""]] : floors).enumerated().map { index, floor in
            let isFirst = index == 0
            return line([
                isFirst ? outcome.work : "", isFirst ? size(outcome) : "", isFirst ? number(outcome.microseconds) : "",
                floor[0], floor[1], floor[2],
                isFirst ? outcome.allocations.map { String(format: "%.2f", $0) } ?? "?" : "",
                isFirst ? outcome.exponent.map { String(format: "%.2f", $0) } ?? "" : "", isFirst ? targets : "",
            ])
        }
    }

    private static let widths = [34, 9, 10, 26, 10, 6, 7, 7, 0]

    private static func line(_ cells: [String]) -> String {
        zip(cells, widths).enumerated().map { column, pair in
            let (cell, width) = pair
            let gap = String(repeating: " ", count: max(0, width - cell.count))
            return [0, 3, 8].contains(column) ? cell + gap : gap + cell
        }.joined(separator: "  ")
    }

    private static func number(_ microseconds: Double) -> String {
        String(format: microseconds < 10 ? "%.3f" : "%.1f", microseconds)
    }

    private static func size(_ outcome: Outcome) -> String {
        let (size, unit) = (outcome.size, outcome.unit)
        if unit == "B", size >= 1 << 20, size % (1 << 20) == 0 { return "\(size >> 20) MiB" }
        if unit == "B", size >= 1 << 10, size % (1 << 10) == 0 { return "\(size >> 10) KiB" }
        return "\(size) \(unit)"
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: URL(fileURLWithPath: path))
    }
}

extension Benchmark {
    func run(rounds: Int, turn: Double, _ done: (Outcome) -> Void) throws {
        var before: (size: Int, seconds: Double)?
        for size in sizes {
            let run = try prepare(size)
            let measured = Measurement(run.floors.map(\.body) + [run.work], rounds: rounds, turn: turn)
            let work = measured.seconds[run.floors.count]
            let allocations = allocations_are_counted() == 1 ? measured.allocations[run.floors.count] : nil
            let floors = zip(run.floors, measured.seconds).map { floor, seconds in
                Outcome.Floor(name: floor.name, microseconds: seconds * 1e6, ratio: seconds / work)
            }
            let judged = targets.compactMap { judge($0, size, work, allocations, floors) }
            done(
                Outcome(
                    work: name,
                    size: size,
                    unit: unit,
                    microseconds: work * 1e6,
                    allocations: allocations,
                    floors: floors,
                    exponent: before.map { log(work / $0.seconds) / log(Double(size) / Double($0.size)) },
                    targets: judged.map(\.0),
                    reached: judged.map(\.1)
                )
            )
            before = (size, work)
        }
    }

    private func judge(
        _ target: Target,
        _ size: Int,
        _ work: Double,
        _ allocations: Double?,
        _ floors: [Outcome.Floor]
    ) -> (String, Bool)? {
        switch target {
        case .ratio(let least, let name, let at):
            guard at == nil || at == size, let floor = floors.first(where: { $0.name == name }) else { return nil }
            return (String(format: ">= %.2f of %@", least, name), floor.ratio >= least)
        case .microseconds(let most, let at):
            guard at == nil || at == size else { return nil }
            return (String(format: "<= %.2f us", most), work * 1e6 <= most)
        case .megabytesPerSecond(let least, let at):
            guard at == nil || at == size else { return nil }
            return (String(format: ">= %.0f MB/s", least), Double(size) / work >= least * 1e6)
        case .allocations(let most):
            guard let allocations else { return nil }
            return (String(format: "<= %.0f allocs", most), allocations <= most)
        }
    }
}
