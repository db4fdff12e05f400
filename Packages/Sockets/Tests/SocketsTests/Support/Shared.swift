import Foundation

/// A value that several threads touch.
///
/// `@unchecked Sendable`: touched under the lock. `NSLock`, which the thread sanitiser knows.
final class Shared<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value
    init(_ value: Value) { stored = value }
    var value: Value { lock.withLock { stored } }
    func update(_ body: (inout Value) -> Void) { lock.withLock { body(&stored) } }
}
