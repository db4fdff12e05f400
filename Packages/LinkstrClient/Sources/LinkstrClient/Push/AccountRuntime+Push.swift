import LinkstrSessions
import NostrCrypto
import NostrEvents
import NostrPreferences

/// Telling a push service what was sent, and which sessions are archived, so that members' phones are woken. Nothing of it ever fails,
/// delays or undoes what it is about.
extension AccountRuntime {
    /// The push service that is used: what the device's options name, or else the account's setting.
    public var pushService: String? {
        [options.pushService, settings.pushService].compactMap(\.self).first { !$0.isEmpty }
    }

    /// Tells the push service of a post or a reaction that relays have taken.
    func announce(_ outgoing: Outgoing) async {
        guard let service = pushService, let announcement = PushAnnouncement(outgoing.fact) else { return }
        guard let client = try? pushClient(service) else { return await courier.fail() }
        await courier.announce(announcement, to: outgoing.recipients, through: client)
    }

    /// Carries to its end what has begun, for at most ``ClientOptions/pushClosingTime``.
    func finishPush() async {
        isClosing = true
        archiveRetry?.cancel()
        let archiving = archiveTask
        let time = options.pushClosingTime
        let timer = Task {
            do { try await Task.sleep(for: time) } catch { return }
            archiving?.cancel()
        }
        async let announced: Void = courier.finish(within: time)
        await withTaskCancellationHandler {
            await archiving?.value
        } onCancel: {
            archiving?.cancel()
        }
        await announced
        timer.cancel()
    }

    private func pushClient(_ service: String, _ keyPair: KeyPair? = nil) throws(PushClientError) -> PushClient {
        try PushClient(
            baseURL: service,
            keyPair: keyPair ?? keys.keyPair,
            http: options.pushHTTP,
            now: options.now,
            random: options.random
        )
    }

    private func chosenPushService() throws(ClientError) -> String {
        guard let service = pushService else { throw .noPushService }
        do throws(PushClientError) { return try PushClient.address(service) } catch { throw .push(error) }
    }

    // MARK: Devices

    /// What was registered by hand, here.
    /// - Throws: ``ClientError/files(_:)``.
    public nonisolated func registeredDevices() throws(ClientError) -> [PushRegistrations.Device] {
        try registrations().devices
    }

    private nonisolated func registrations() throws(ClientError) -> PushRegistrations {
        guard !options.isTemporary else { return PushRegistrations() }
        do throws(IdentityError) { return try PushRegistrations(folder: folder) } catch { throw .files(error) }
    }

    private func change(_ body: (inout PushRegistrations) -> Void) throws(ClientError) {
        guard !options.isTemporary else { return }
        var changed = try registrations()
        body(&changed)
        do throws(IdentityError) { try changed.write(folder: folder) } catch { throw .files(error) }
    }

    /// Asks the push service to wake a device, and keeps that it does. Which sessions are archived is told it from then on.
    /// - Throws: ``ClientError/noPushService``, ``ClientError/push(_:)``, ``ClientError/invalidDeviceToken``,
    ///   ``ClientError/files(_:)``.
    public func registerDevice(
        _ token: String,
        _ environment: PushClient.Environment
    ) async throws(ClientError) -> PushRegistrations.Device {
        let service = try chosenPushService()
        guard (1...512).contains(token.utf8.count),
            token.unicodeScalars.allSatisfy({ (0x21...0x7E).contains($0.value) })
        else { throw .invalidDeviceToken }
        // What cannot be kept is not asked for.
        _ = try registrations()
        do throws(PushClientError) {
            try await pushClient(service).register(token, environment)
        } catch {
            throw .push(error)
        }
        let device = PushRegistrations.Device(token: token, environment: environment, service: service)
        try change { $0.add(device) }
        // A service forgets what is archived with the last device.
        archiveSync = nil
        try await save(Self.archiveDocument, nil)
        syncArchiveSoon()
        return device
    }

    /// Asks push services to wake devices no longer.
    /// - Parameter text: A token, or the beginning of one that was registered here; nil for all that were.
    /// - Throws: ``ClientError/unknownDevice``, ``ClientError/push(_:)``, ``ClientError/files(_:)``. Devices before the one that fails
    ///   are done.
    @discardableResult
    public func unregisterDevice(_ text: String?) async throws(ClientError) -> [PushRegistrations.Device] {
        let known = try registrations().devices
        var meant = known
        if let text {
            meant = known.filter { $0.token == text }
            if meant.isEmpty { meant = known.filter { !text.isEmpty && $0.token.hasPrefix(text) } }
            if meant.isEmpty, text.utf8.count >= Self.shortestForeignToken, text.utf8.count <= 512 {
                meant = [.init(token: text, environment: .production, service: try chosenPushService())]
            }
            guard meant.count == 1 else { throw .unknownDevice }
        }
        for device in meant {
            do throws(PushClientError) {
                try await pushClient(device.service).unregister(device.token)
            } catch {
                throw .push(error)
            }
            try change { $0.remove(token: device.token) }
        }
        return meant
    }

    /// Asks push services to wake devices no longer before the account leaves this device.
    /// - Returns: The devices for which they have not confirmed it in time.
    func leavePushServices() async -> [PushRegistrations.Device] {
        guard !options.isTemporary else { return [] }
        return await PushRegistrations.leave(
            folder: folder,
            keyPair: keys.keyPair,
            http: options.pushHTTP,
            now: options.now,
            random: options.random,
            within: options.pushLeavingTime
        )
    }

    /// A text that is shorter is a wrong beginning and no token of another home.
    private static var shortestForeignToken: Int { 32 }

    // MARK: Looking whether it works

    /// Whether the push service is there, is a push service, and accepts the account's signature, with a request that changes nothing.
    /// - Throws: ``ClientError/noPushService``, ``ClientError/push(_:)``.
    public func checkPushService() async throws(ClientError) {
        let service = try chosenPushService()
        do throws(PushClientError) {
            let client = try pushClient(service)
            try await client.checkHealth()
            try await client.sendArchive([], archived: [])
        } catch {
            throw .push(error)
        }
    }

    /// Wakes this account's own devices with a post that does not exist, told by a key made for it: a service never wakes who tells it.
    /// - Throws: ``ClientError/noPushService``, ``ClientError/push(_:)``.
    public func testPushService() async throws(ClientError) -> PushAcceptance {
        let service = try chosenPushService()
        try await checkPushService()
        let (event, session) = (options.random.bytes32().hex, options.random.bytes32().hex.prefix(32).uppercased())
        do throws(PushClientError) {
            let stranger = try pushClient(service, KeyPair.generate())
            return try await stranger.announce(.post(id: event, sessionID: session), to: [account]).get()
        } catch {
            throw .push(error)
        }
    }

    // MARK: Archived sessions

    private static var archiveDocument: String { "push-archive" }

    /// Tells the push service which sessions are archived, if a device is registered there and something has changed. Returns at once.
    func syncArchiveSoon() {
        guard pushService != nil, !isClosing else { return }
        archiveRetry?.cancel()
        archiveRetry = nil
        isArchiveSyncWanted = true
        guard archiveTask == nil else { return }
        archiveTask = Task { await self.syncArchive() }
    }

    private func syncArchive() async {
        var isDone = true
        while isArchiveSyncWanted, !Task.isCancelled {
            isArchiveSyncWanted = false
            isDone = await syncArchiveOnce()
        }
        archiveTask = nil
        guard !isDone, live != nil, !isClosing else { return }
        archiveRetry = Task {
            do { try await Task.sleep(for: .seconds(300)) } catch { return }
            self.syncArchiveSoon()
        }
    }

    /// Whether the service knows everything now, or needs not.
    private func syncArchiveOnce() async -> Bool {
        guard let sync = await currentArchiveSync(), let choices = try? await archiveChoices() else { return true }
        guard await sync.sync.missing(of: choices) > 0 else { return true }
        var isDone = true
        do throws(PushClientError) { try await sync.sync.sync(choices) } catch { isDone = false }
        let known = await sync.sync.known
        var document = JSONObject()
        document["service"] = .string(sync.service)
        if let known {
            var object = JSONObject()
            for (id, isArchived) in known { object[id] = .bool(isArchived) }
            document["known"] = .object(object)
        }
        try? await save(Self.archiveDocument, JSONValue.object(document).json)
        return isDone
    }

    /// How many choices of what is archived the push service does not know; nil where it is told none.
    public func untoldArchiveChoices() async throws(ClientError) -> Int? {
        guard let sync = await currentArchiveSync() else { return nil }
        do throws(SessionStoreError) {
            return await sync.sync.missing(of: try await archiveChoices())
        } catch {
            throw .store(error)
        }
    }

    private func currentArchiveSync() async -> (service: String, sync: PushArchiveSync)? {
        guard let service = try? chosenPushService(), let devices = try? registeredDevices(),
            devices.contains(where: { $0.service == service }), let client = try? pushClient(service)
        else { return nil }
        if let archiveSync, archiveSync.service == service { return archiveSync }
        let json = (try? await vault.document(Self.archiveDocument)).flatMap { $0 }.flatMap { try? JSONValue(json: $0) }
        var known: [String: Bool]?
        if json?["service"]?.string == service, let members = json?["known"]?.object?.members {
            known = [:]
            for member in members { known?[member.key] = member.value.bool }
        }
        let made = (service, PushArchiveSync(client, known: known))
        archiveSync = made
        return made
    }

    /// What the person has chosen: the archive records, and deleted sessions as not archived. A session without a record is no choice.
    private func archiveChoices() async throws(SessionStoreError) -> [String: Bool] {
        var choices: [String: Bool] = [:]
        for case .archive(sessionID: let id, isArchived: let isArchived) in preferences.records {
            choices[id] = isArchived
        }
        for session in try await store.deletedSessions() { choices[session.id.text] = false }
        return choices
    }
}
