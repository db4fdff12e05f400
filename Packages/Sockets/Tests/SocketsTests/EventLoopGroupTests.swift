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
                var limit = rlimit(rlim_cur: 100, rlim_max: 100)
                guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(10) }
                var fillers: [Int32] = []
                while true {
                    let filler = open("/dev/null", O_RDONLY)
                    if filler < 0 { break }
                    fillers.append(filler)
                }
                guard errno == EMFILE else { exit(11) }
                guard await failure({ _ = try EventLoopGroup.shared.next() }) == .tooManyDescriptors else { exit(12) }
                guard await failure({ _ = try EventLoopGroup(count: 2) }) == .tooManyDescriptors else { exit(13) }
                guard await failure({ _ = try Listener(on: .ip(.loopback4, port: 0)) { _ in } }) == .tooManyDescriptors
                else { exit(14) }
                for filler in fillers { close(filler) }
                let server = try EchoServer()
                let stream = try await Connector().connect(
                    to: "127.0.0.1",
                    port: server.port,
                    on: EventLoopGroup.shared.next()
                )
                let connection = await Connection(stream)
                try await connection.write([7], within: patience)
                guard try await connection.read(within: patience) == [7] else { exit(15) }
                await connection.close()
                // The loops still run: what they hold at this moment is not leaked.
                _exit(EXIT_SUCCESS)
            }
        }
    #endif
}
