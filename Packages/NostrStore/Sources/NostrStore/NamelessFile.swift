import Negentropy
import NostrCrypto

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A file of items that nobody else can open and that the system deletes when it is closed, however the process ends.
final class NamelessFile: Sendable {
    private let descriptor: Int32
    private let path: String
    private static let stride = MemoryLayout<NegentropyItem>.stride

    /// Makes the file in the folder of another one.
    init(beside path: String) throws(StoreError) {
        self.path = path
        let name = path + ".set-" + Hex.encode(SecureRandom.bytes(8))
        descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        unlink(name)
    }

    deinit {
        close(descriptor)
    }

    func write(_ items: [NegentropyItem], at index: Int) throws(StoreError) {
        let code: Int32 = items.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
                let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(index * Self.stride + done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? errno : ENOSPC }
                done += count
            }
            return 0
        }
        guard code == 0 else { throw Self.failure(path, code) }
    }

    func read(_ range: Range<Int>) throws(StoreError) -> [NegentropyItem] {
        var code: Int32 = 0
        let items = [NegentropyItem](unsafeUninitializedCapacity: range.count) { buffer, count in
            let target = UnsafeMutableRawBufferPointer(buffer)
            var done = 0
            while done < range.count * Self.stride {
                let rest = UnsafeMutableRawBufferPointer(rebasing: target[done..<range.count * Self.stride])
                let read = pread(descriptor, rest.baseAddress, rest.count, off_t(range.lowerBound * Self.stride + done))
                if read < 0, errno == EINTR { continue }
                guard read > 0 else {
                    code = read < 0 ? errno : EIO
                    return
                }
                done += read
            }
            count = range.count
        }
        guard code == 0 else { throw Self.failure(path, code) }
        return items
    }

    private static func failure(_ path: String, _ code: Int32) -> StoreError {
        .temporaryFile(path: path, reason: String(cString: strerror(code)))
    }
}
