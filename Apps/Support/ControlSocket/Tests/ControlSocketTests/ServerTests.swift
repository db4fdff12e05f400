import ControlSocket
import Foundation
import Locking
import NostrEvents
import Sockets
import Testing

@Suite struct ServerTests {
    @Test func aRequestIsAnsweredWithTheResultOrTheFailureOfItsMethod() async throws {
        let daemon = try Daemon()
        let client = try await daemon.client()
        #expect(client.hello == ControlHello(home: daemon.home, process: 7, program: "1.2.3"))
        #expect(try await client.call("echo", RawJSON(["a": [1, "two"]])).description == #"{"a":[1,"two"]}"#)
        await #expect(
            throws: ControlError.failed(RPCFailure(code: 66, message: "There is no such thing.", data: ["thing": 1]))
        ) { try await client.call("fail") }
        await #expect(throws: ControlError.failed(.unknownMethod("nothing"))) { try await client.call("nothing") }
        await #expect(throws: ControlError.failed(.unexpected)) { try await client.call("break") }
        #expect(try await client.call("echo").description == "null")
        await client.close()
        await daemon.close()
    }

    @Test func progressComesBeforeTheAnswerAndInItsOrder() async throws {
        let daemon = try Daemon()
        let client = try await daemon.client()
        var heard: [String] = []
        let answer = try await client.call("count") { notice, parameters in
            heard.append("\(notice) \(parameters["count"]?.integer ?? 0)")
        }
        #expect(heard == ["progress 1", "progress 2", "progress 3"])
        #expect(answer.description == #""counted""#)
        await client.close()
        await daemon.close()
    }

    @Test func theSocketIsForItsOwnerAlone() async throws {
        let daemon = try Daemon()
        var status = stat()
        try #require(lstat(daemon.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        try #require(lstat(daemon.folder.path + "/run", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        await daemon.close()
    }

    @Test func aDirectoryThatIsOpenToOthersIsRefused() async throws {
        let folder = try TemporaryFolder()
        let hello = ControlHello(home: folder.path, process: 1, program: "1")
        chmod(folder.path, 0o755)
        #expect(throws: ControlError.unsafeDirectory(path: folder.path)) {
            try ControlServer(at: folder.path + "/socket", hello: hello, methods: [:])
        }
        chmod(folder.path, 0o700)
        await (try ControlServer(at: folder.path + "/socket", hello: hello, methods: [:])).close()
    }

    @Test func aDaemonOfAnotherHomeIsRefused() async throws {
        let daemon = try Daemon()
        await #expect(throws: ControlError.otherHome(expected: "/elsewhere", found: daemon.home)) {
            try await ControlClient.connect(to: daemon.path, home: "/elsewhere")
        }
        await (try await daemon.client()).close()
        await daemon.close()
    }

    @Test func aHomeIsTheSameByEveryNameThatLeadsThere() async throws {
        let daemon = try Daemon()
        let link = daemon.folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: daemon.home)
        await (try await ControlClient.connect(to: daemon.path, home: link)).close()
        await daemon.close()
    }

    @Test func aSocketWhereOthersCanPutOneIsNotConnectedTo() async throws {
        let daemon = try Daemon()
        let directory = daemon.folder.path + "/run"
        for mode: mode_t in [0o770, 0o707, 0o1777] {
            chmod(directory, mode)
            await #expect(throws: ControlError.untrustedDirectory(path: directory)) { try await daemon.client() }
        }
        for mode: mode_t in [0o755, 0o700] {
            chmod(directory, mode)
            await (try await daemon.client()).close()
        }
        await daemon.close()
    }

    @Test func aRequestThatIsTakenBackWhileItIsUnderWayIsAnswered() async throws {
        let daemon = try Daemon()
        let client = try await daemon.client()
        var heard = 0
        let answer = try await client.call("lend") { notice, _ in
            heard += notice == "lent" ? 1 : 100
            try await client.takeBack()
        }
        #expect(heard == 1)
        #expect(answer.description == #""back""#)
        #expect(try await client.call("echo").description == "null")
        await client.close()
        await daemon.close()
    }

    @Test func whereNobodyListensThatIsSaid() async throws {
        let folder = try TemporaryFolder()
        await #expect(throws: ControlError.notRunning(path: folder.path + "/socket")) {
            try await ControlClient.connect(to: folder.path + "/socket")
        }
    }

    @Test func aSocketLeftByADeadProcessIsReplacedAndThatOfALivingOneIsNot() async throws {
        let daemon = try Daemon()
        #expect(throws: ControlError.socket(.addressInUse(daemon.path))) {
            try ControlServer(at: daemon.path, hello: ControlHello(home: "", process: 1, program: ""), methods: [:])
        }
        let left = daemon.folder.path + "/run/left"
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: left.utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        close(descriptor)
        let hello = ControlHello(home: daemon.home, process: 1, program: "")
        let server = try ControlServer(at: left, hello: hello, methods: [:])
        await (try await ControlClient.connect(to: left, home: daemon.home)).close()
        await server.close()
        await daemon.close()
    }

    @Test func aRequestIsCancelledWhenItsClientGoes() async throws {
        let daemon = try Daemon()
        let raw = try await daemon.raw()
        try await raw.send(#"{"jsonrpc":"2.0","id":1,"method":"wait"}"# + "\n")
        #expect(await daemon.begun.wait())
        await raw.connection.abort()
        #expect(await daemon.cancelled.wait())
        await daemon.close()
    }

    @Test func aRequestIsCancelledWhenItsCallerIs() async throws {
        let daemon = try Daemon()
        let path = daemon.path
        let caller = Task {
            let client = try await ControlClient.connect(to: path)
            return try await client.call("wait")
        }
        #expect(await daemon.begun.wait())
        caller.cancel()
        #expect(await daemon.cancelled.wait())
        await #expect(throws: ControlError.cancelled) { try await caller.value }
        await daemon.close()
    }

    @Test(arguments: ["wait", "wait and fail"])
    func aRequestIsCancelledWhenItIsTakenBack(method: String) async throws {
        let daemon = try Daemon()
        let raw = try await daemon.raw()
        try await raw.send(#"{"jsonrpc":"2.0","id":"a","method":"\#(method)"}"# + "\n")
        #expect(await daemon.begun.wait())
        let answer = try await raw.exchange(#"{"jsonrpc":"2.0","method":"cancel","params":{"request":"a"}}"#)
        #expect(
            answer == #"{"jsonrpc":"2.0","id":"a","error":{"code":-32800,"message":"The request was cancelled."}}"#
        )
        #expect(try await raw.exchange(#"{"jsonrpc":"2.0","id":"a","method":"echo"}"#) != nil)
        await daemon.close()
    }

    @Test func aClientThatHasFinishedWritingStillGetsItsAnswer() async throws {
        let daemon = try Daemon()
        let raw = try await daemon.raw()
        try await raw.send(#"{"jsonrpc":"2.0","id":1,"method":"slow"}"# + "\n")
        await raw.connection.finishWriting()
        #expect(try await raw.line() == #"{"jsonrpc":"2.0","id":1,"result":"late"}"#)
        #expect(try await raw.line() == nil)
        await daemon.close()
    }

    @Test func closingLetsRequestsFinishInTimeAndCancelsTheRest() async throws {
        let daemon = try Daemon()
        let raw = try await daemon.raw()
        try await raw.send(#"{"jsonrpc":"2.0","id":1,"method":"slow"}"# + "\n")
        #expect(await daemon.begun.wait())
        try await raw.send(#"{"jsonrpc":"2.0","id":2,"method":"wait"}"# + "\n")
        #expect(await daemon.begun.wait())
        await daemon.server.close(within: .seconds(1))
        #expect(try await raw.line() == #"{"jsonrpc":"2.0","id":1,"result":"late"}"#)
        #expect(try await raw.line()?.contains("-32800") == true)
        #expect(try await raw.line() == nil)
        await #expect(throws: ControlError.notRunning(path: daemon.path)) { try await daemon.client() }
    }
}
