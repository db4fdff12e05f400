import Foundation
import Testing

@testable import NostrCrypto

@Suite("Protected memory")
struct SecretBytesTests {
    static let pattern = [UInt8]("a secret of 32 bytes, or nearly!".utf8)

    /// Address of the bytes. The page stays mapped while another secret of the same size is alive.
    static func address(_ secret: SecretBytes) -> UInt {
        secret.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }

    static func bytes(at address: UInt, _ count: Int) -> [UInt8] {
        [UInt8](UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count))
    }

    // What looks at memory that was given back, or counts pages, runs in a process of its own: here others would take the place.

    @Test func theMemoryIsZeroedWhenTheLastReferenceGoes() async {
        await #expect(processExitsWith: .success) {
            let neighbour = SecretBytes([UInt8](repeating: 1, count: 500))
            let secret = Self.pattern + [UInt8](repeating: 0xaa, count: 468)
            var first: SecretBytes? = SecretBytes(secret)
            let address = first.map(Self.address) ?? 0
            var second = first
            first = nil
            #expect(Self.bytes(at: address, 500) == secret)
            withExtendedLifetime(second) {}
            second = nil
            // A free block begins with the address of the next free one.
            #expect(Self.bytes(at: address + 8, 504) == [UInt8](repeating: 0, count: 504))
            #expect(Self.bytes(at: address, 8) != Array(secret.prefix(8)))
            withExtendedLifetime(neighbour) {}
        }
    }

    @Test func anInitialiserThatThrowsLeavesNothingBehind() async {
        await #expect(processExitsWith: .success) {
            struct Refusal: Error {}
            let neighbour = SecretBytes([UInt8](repeating: 1, count: 200))
            var address: UInt = 0
            #expect(throws: Refusal.self) {
                try SecretBytes(count: 200) { target in
                    target.copyBytes(from: Self.pattern)
                    address = UInt(bitPattern: target.baseAddress)
                    throw Refusal()
                }
            }
            #expect(Self.bytes(at: address + 8, 248) == [UInt8](repeating: 0, count: 248))
            #expect(Self.bytes(at: address, 8) != Array(Self.pattern.prefix(8)))
            withExtendedLifetime(neighbour) {}
        }
    }

    @Test(arguments: [0, 1, 31, 32, 33, 63, 64, 65, 96, 1000, 1024, 1025, 4096, 5000, 100_000])
    func bytesOfAnySizeAreKept(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
        let secret = SecretBytes(bytes)
        #expect(secret.count == count)
        #expect(secret.withUnsafeBytes { [UInt8]($0) } == bytes)
        #expect(SecretBytes(count: count) { _ in } == SecretBytes([UInt8](repeating: 0, count: count)))
    }

    /// Many pages are filled, emptied in an order that mixes them, and filled again.
    @Test(arguments: [32, 64, 1024])
    func whatWasGivenBackIsUsedAgainAndStartsFromZero(count: Int) {
        var generator = SystemRandomNumberGenerator()
        var secrets: [SecretBytes] = []
        var notZero = 0
        for round in 0..<6 {
            for _ in 0..<400 {
                secrets.append(
                    SecretBytes(count: count) { target in
                        notZero += target.count { $0 != 0 }
                        for index in target.indices { target[index] = UInt8(round + 1) }
                    }
                )
            }
            secrets.shuffle(using: &generator)
            secrets.removeLast(round % 2 == 0 ? 390 : 200)
        }
        #expect(notZero == 0)
        #expect(secrets.allSatisfy { $0.withUnsafeBytes { Set($0).count == 1 } })
        #expect(Set(secrets.map(Self.address)).count == secrets.count)
    }

    @Test func manySmallSecretsShareFewPages() async {
        await #expect(processExitsWith: .success) {
            let secrets = (0..<1000).map { index in SecretBytes(count: 32) { $0.storeBytes(of: index, as: Int.self) } }
            let pages = Set(secrets.map { Self.address($0) / UInt(getpagesize()) })
            // 126 fit a page of 4 KiB.
            #expect(pages.count == (1000 + getpagesize() / 32 - 3) / (getpagesize() / 32 - 2))
            #expect(Set(secrets.map(Self.address)).count == 1000)
            let kept = secrets.map { $0.withUnsafeBytes { $0.load(as: Int.self) } }
            #expect(kept == Array(0..<1000))
        }
    }

    @Test func manyTasksAtOnceKeepTheirSecretsApart() async {
        let wrong = await withTaskGroup(of: Int.self) { group in
            for task in 0..<16 {
                group.addTask {
                    var held: [(SecretBytes, [UInt8])] = []
                    var wrong = 0
                    for round in 0..<100 {
                        let bytes = [UInt8](
                            repeating: UInt8(truncatingIfNeeded: task &* 16 &+ round),
                            count: 1 + round % 90
                        )
                        held.append((SecretBytes(bytes), bytes))
                        if held.count > 20 { held.remove(at: round % 20) }
                        wrong += held.count { secret, bytes in secret.withUnsafeBytes { [UInt8]($0) } != bytes }
                    }
                    return wrong
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }

    #if os(Linux)
        /// The address and thread sanitisers replace `mlock` by a call that does nothing and claims success.
        enum Sanitizer {
            static let isActive = dlsym(nil, "__sanitizer_print_stack_trace") != nil
        }

        /// What the kernel says of the mapping with this address (`VmFlags` of proc(5)).
        static func flags(at address: UInt) throws -> [Substring] {
            // The file has no size, so it is read to its end.
            let file = try #require(FileHandle(forReadingAtPath: "/proc/self/smaps"))
            let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
            var isInside = false
            for line in text.split(separator: "\n") {
                let range = line.prefix { $0 != " " }.split(separator: "-")
                if range.count == 2, let start = UInt(range[0], radix: 16), let end = UInt(range[1], radix: 16) {
                    isInside = (start..<end).contains(address)
                } else if isInside, line.hasPrefix("VmFlags:") {
                    return line.split(separator: " ")
                }
            }
            return []
        }

        @Test(arguments: [32, 96, 5000])
        func theKernelKeepsSecretsOutOfCoreDumpsAndSwap(count: Int) throws {
            let secret = SecretBytes([UInt8](repeating: 1, count: count))
            let flags = try Self.flags(at: Self.address(secret))
            #expect(flags.contains("dd"))
            if !Sanitizer.isActive { #expect(flags.contains("lo") == secret.isLocked) }
            let ordinary = [UInt8](repeating: 1, count: count)
            let other = try Self.flags(at: ordinary.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) })
            #expect(other.contains("rd"))
            #expect(!other.contains("dd"))
        }

        /// In a process of its own, for a limit that has been lowered cannot be raised again by everybody.
        @Test(.disabled(if: Sanitizer.isActive, "a sanitiser replaces mlock"))
        func withoutTheRightToLockMemorySecretsWorkAllTheSame() async {
            await #expect(processExitsWith: .success) {
                var limit = rlimit(rlim_cur: 0, rlim_max: 0)
                guard setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0 else { exit(2) }
                // The limit does not bind root, so become nobody where that is possible.
                let isBound = geteuid() != 0 || setuid(65534) == 0
                let secrets = (0..<300).map { SecretBytes([UInt8](repeating: UInt8($0 % 256), count: 32)) }
                guard !isBound || secrets.allSatisfy({ !$0.isLocked }) else { exit(3) }
                guard secrets.allSatisfy({ $0.withUnsafeBytes { Set($0).count == 1 } }) else { exit(4) }
            }
        }
    #endif
}
