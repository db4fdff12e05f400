internal import NostrCrypto
internal import NostrEvents

/// Which device tokens an account has registered by hand, and where: a file of the account's, which its owner alone can read. The
/// archive state is sent only while there is one.
public struct PushRegistrations: Sendable, Equatable {
    /// A device that was registered.
    public struct Device: Sendable, Equatable {
        /// The device's token.
        public var token: String
        /// Which of Apple's services it belongs to.
        public var environment: PushClient.Environment
        /// The address of the push service.
        public var service: String

        /// A device of its parts.
        public init(token: String, environment: PushClient.Environment, service: String) {
            self.token = token
            self.environment = environment
            self.service = service
        }
    }

    /// The devices, each token once.
    public private(set) var devices: [Device] = []

    /// No devices.
    public init() {}

    /// Reads the file; without one there are no devices.
    ///
    /// - Parameter folder: the account's folder.
    /// - Throws: ``IdentityError``, also for a file that holds something else.
    public init(folder: String) throws(IdentityError) {
        let path = Self.path(folder)
        guard PrivateFile.exists(path) else { return }
        let json = try PrivateFile.read(path).withUnsafeBytes { [UInt8]($0) }
        guard let entries = (try? JSONValue(json: json))?["devices"]?.array else { throw .malformed(path: path) }
        for entry in entries {
            guard let token = entry["token"]?.string, let service = entry["service"]?.string,
                let environment = entry["environment"]?.string.flatMap({ PushClient.Environment(rawValue: $0) })
            else { throw .malformed(path: path) }
            add(Device(token: token, environment: environment, service: service))
        }
    }

    /// Adds a device, in the place of one with the same token.
    public mutating func add(_ device: Device) {
        remove(token: device.token)
        devices.append(device)
    }

    /// Removes the device with a token.
    public mutating func remove(token: String) {
        devices.removeAll { $0.token == token }
    }

    /// Writes the file.
    ///
    /// - Parameter folder: the account's folder.
    public func write(folder: String) throws(IdentityError) {
        let entries = devices.map { device -> JSONValue in
            [
                "token": .string(device.token), "environment": .string(device.environment.rawValue),
                "service": .string(device.service),
            ]
        }
        try PrivateFile.write((["devices": .array(entries)] as JSONValue).description, to: Self.path(folder))
    }

    private static func path(_ folder: String) -> String { folder + "/push.json" }
}
