import Sockets
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct EventLoopGroupTests {
    @Test func loopsTakeTurns() throws {
        let group = try EventLoopGroup(count: 3)
        let loops = try group.loops()
        #expect(loops.count == 3)
        let turns = try (0..<6).map { _ in try group.next() }
        #expect(zip(turns, turns.dropFirst(3)).allSatisfy { $0 === $1 })
        #expect(Set(turns.map(ObjectIdentifier.init)) == Set(loops.map(ObjectIdentifier.init)))
    }

    @Test func theGroupOfTheProcessStaysTheSame() throws {
        let first = try EventLoopGroup.shared.loops()
        let second = try EventLoopGroup.shared.loops()
        #expect(!first.isEmpty && first.elementsEqual(second) { $0 === $1 })
    }

    #if os(Linux)
        @Test func aProcessWithoutDescriptorsIsToldSoAndMayTryAgain() async throws {
            // In a process of its own: the other tests need descriptors.
            await #expect(processExitsWith: .success) {
                let fillers = takeAllDescriptors(below: 100)
                guard await failure({ _ = try EventLoopGroup.shared.next() }) == .tooManyDescriptors else { exit(12) }
                guard await failure({ _ = try EventLoopGroup(count: 2) }) == .tooManyDescriptors else { exit(13) }
                guard await failure({ _ = try Listener(on: .ip(.loopback4, port: 0)) { _ in } }) == .tooManyDescriptors
                else { exit(14) }
                for filler in fillers { close(filler) }
                guard try await EchoServer().sendsBack(7) else { exit(15) }
                // The loops still run: what they hold at this moment is not leaked.
                _exit(EXIT_SUCCESS)
            }
        }
    #endif
}
