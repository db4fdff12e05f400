import NostrEvents

extension ClientOperation {
    static let pushOperations: [ClientOperation] = [pushRegister, pushUnregister, pushStatus, pushTest]

    private static let device = [
        OperationField("token", .text, "The beginning of the device's token"),
        OperationField("environment", .text, "`production` or `sandbox`"),
        OperationField("service", .text, "The push service"),
    ]

    /// Has a device woken.
    public static let pushRegister = ClientOperation(
        "push.register",
        "Ask the push service to wake a device",
        takes: [
            OperationField("token", .text, "The device's token, as Apple gave it to the app"),
            OperationField("environment", .text, optional: true, "`production`, which it is without it, or `sandbox`"),
        ],
        gives: device
    ) { call in
        let name = call.optionalText("environment") ?? "production"
        guard let environment = PushClient.Environment(rawValue: name) else {
            throw OperationFailure(.usage, "the environment is production or sandbox")
        }
        return [try await call.runtime.registerDevice(call.text("token"), environment).value]
    }

    /// Has devices woken no longer.
    public static let pushUnregister = ClientOperation(
        "push.unregister",
        "Ask push services to wake devices no longer",
        takes: [
            OperationField(
                "token",
                .text,
                optional: true,
                "A token, or the beginning of one that was registered here; all of them without it"
            )
        ],
        gives: device
    ) { call in
        try await call.runtime.unregisterDevice(call.optionalText("token")).map(\.value)
    }

    /// How it stands.
    public static let pushStatus = ClientOperation(
        "push.status",
        "Say which push service is told what is sent, whether it answers, and which devices were registered here",
        gives: [
            OperationField("service", .text, optional: true, "The push service; null where none is told"),
            OperationField("reachable", .bool, "Whether it answers, and accepts the account's signature"),
            OperationField("problem", .text, optional: true, "Why it does not"),
            OperationField(
                "devices",
                .list(.object),
                "Objects with `token`, of which it is the beginning, `environment` and `service`"
            ),
            OperationField(
                "untold_archive",
                .integer,
                optional: true,
                "How many choices of what is archived it does not know; null where it is told none"
            ),
        ]
    ) { call in
        let service = await call.runtime.pushService
        var problem: String?
        do throws(ClientError) {
            if service != nil { try await call.runtime.checkPushService() }
        } catch {
            problem = error.description
        }
        let untold = try await call.runtime.untoldArchiveChoices()
        return [
            [
                "service": service.map { .string($0) } ?? .null, "reachable": .bool(service != nil && problem == nil),
                "problem": problem.map { .string($0) } ?? .null,
                "devices": .array(try call.runtime.registeredDevices().map(\.value)),
                "untold_archive": untold.map { .integer(Int64($0)) } ?? .null,
            ]
        ]
    }

    /// Tries it.
    public static let pushTest = ClientOperation(
        "push.test",
        "Have the account's own devices woken by the push service, for a post that does not exist",
        gives: [
            OperationField("service", .text, "The push service"),
            OperationField("devices", .integer, "How many devices of the account are woken"),
        ]
    ) { call in
        let told = try await call.runtime.testPushService()
        if told.devices == 0 { call.warn("the push service knows no device of this account, so nothing was woken") }
        return [
            [
                "service": .string(await call.runtime.pushService ?? ""),
                "devices": .integer(Int64(told.devices)),
            ]
        ]
    }
}

extension PushRegistrations.Device {
    /// The device without the whole token, with which others could take it over.
    fileprivate var value: JSONValue {
        [
            "token": .string(String(token.prefix(8))), "environment": .string(environment.rawValue),
            "service": .string(service),
        ]
    }
}
