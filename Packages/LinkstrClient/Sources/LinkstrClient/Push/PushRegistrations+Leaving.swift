public import NostrCrypto
public import Sockets

/// Taking an account's devices back while its key is still here: without it nobody could ask for that any more.
extension PushRegistrations {
    /// Asks push services to wake the devices of an account no longer, all at the same time. What they confirm leaves the file.
    ///
    /// - Parameters:
    ///   - folder: the account's folder.
    ///   - time: how long they are waited for.
    /// - Returns: the devices that are still registered. An account leaves whatever comes of this.
    public static func leave(
        folder: String,
        keyPair: KeyPair,
        http: HTTPClient = PushClient.standardHTTP,
        now: @escaping @Sendable () -> Int64 = PushClient.systemTime,
        random: RandomSource = .system,
        within time: Duration
    ) async -> [Device] {
        guard var registrations = try? PushRegistrations(folder: folder) else { return [] }
        let devices = registrations.devices
        guard !devices.isEmpty else { return [] }
        var http = http
        http.timeout = time
        let gone: [String] = await withTaskGroup { [http] group in
            for device in devices {
                group.addTask { () -> String? in
                    do throws(PushClientError) {
                        try await PushClient(
                            baseURL: device.service,
                            keyPair: keyPair,
                            http: http,
                            now: now,
                            random: random
                        ).unregister(device.token)
                        return device.token
                    } catch {
                        return nil
                    }
                }
            }
            return await group.reduce(into: []) { gone, token in if let token { gone.append(token) } }
        }
        for token in gone { registrations.remove(token: token) }
        if !gone.isEmpty { try? registrations.write(folder: folder) }
        return registrations.devices
    }
}
