import ControlSocket
import NostrEvents
import Testing

@Test func theExampleOfTheReadmeGreets() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/run/socket"
    let home = folder.path

    let server = try ControlServer(
        at: path,
        hello: ControlHello(home: home, process: 4711, program: "1.0"),
        methods: [
            "greet": { call in
                guard let name = try call.parameterObject()["name"]?.string else {
                    throw RPCFailure.invalidParameters("The parameter name is missing.")
                }
                await call.tell("progress", JSONObject([.init(key: "count", value: 1)]))
                return RawJSON(["greeting": .string("Hello, \(name)!")])
            }
        ]
    )
    let client = try await ControlClient.connect(to: path, home: home)
    let answer = try await client.call("greet", RawJSON(["name": "Ada"]))
    await client.close()
    await server.close()

    #expect(answer.description == #"{"greeting":"Hello, Ada!"}"#)
}
