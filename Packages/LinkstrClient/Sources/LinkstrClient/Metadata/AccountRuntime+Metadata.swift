import LinkMetadata
import LinkstrLinks
public import LinkstrSessions
public import NostrEvents

/// Titles and thumbnails of links, if the person wants them: who fetches them tells the servers its address.
extension AccountRuntime {
    /// What is known of a post's link. While the setting is on, what is missing is fetched meanwhile.
    /// - Throws: ``ClientError/store(_:)``.
    public func metadata(of item: FeedItem) async throws(ClientError) -> PostMetadata? {
        let known = try await storedMetadata(of: item.post.id)
        if settings.fetchesMetadata, known?.isIncomplete ?? true { fetchSoon([item]) }
        return known
    }

    /// Fetches what a post's link says of itself now, whatever is known and whatever the setting says.
    /// - Throws: ``ClientError/metadata(_:)``, ``ClientError/store(_:)``.
    @discardableResult
    public func refreshMetadata(of item: FeedItem) async throws(ClientError) -> PostMetadata {
        let page: LinkMetadata
        do throws(LinkMetadataError) {
            page = try await options.metadataFetcher.metadata(of: item.post.url)
        } catch {
            throw .metadata(error)
        }
        var found = PostMetadata(
            title: page.title,
            summary: page.description,
            siteName: page.siteName,
            thumbnail: nil,
            thumbnailURL: page.thumbnail?.text,
            fetchedAt: options.now()
        )
        if let picture = page.thumbnail { found = found.with(thumbnail: await thumbnail(picture)) }
        try await save(Self.metadataPrefix + item.post.id.hex, found.json)
        hub.tell(.metadata(item.session, item.post.id, found))
        return found
    }

    private func thumbnail(_ picture: WebURL) async -> String? {
        guard !options.isTemporary else { return nil }
        if let file = thumbnails.file(of: picture.text) { return file }
        guard let fetched = try? await options.metadataFetcher.picture(at: picture) else { return nil }
        return try? thumbnails.keep(fetched.bytes, of: picture.text)
    }

    private func storedMetadata(of id: EventID) async throws(ClientError) -> PostMetadata? {
        do throws(SessionStoreError) {
            guard let known = try await vault.document(Self.metadataPrefix + id.hex).flatMap({ PostMetadata(json: $0) })
            else { return nil }
            return known.with(thumbnail: known.thumbnailURL.flatMap { thumbnails.file(of: $0) })
        } catch {
            throw .store(error)
        }
    }

    // MARK: As posts come

    /// Fetches for new posts, beside everything else.
    func fetchMetadata(after effects: [SessionEffect]) async {
        guard settings.fetchesMetadata, live != nil else { return }
        var items: [FeedItem] = []
        for case .posted(_, let id, _, _) in effects {
            if let item = try? await store.post(id) { items.append(item) }
        }
        fetchSoon(items)
    }

    /// Fetches for posts that a command has just read, some at a time. What takes longer is left for another time.
    /// - Returns: For how many something was found.
    @discardableResult
    public func fetchMetadata(of posts: [EventID]) async -> Int {
        guard settings.fetchesMetadata else { return 0 }
        return await withTaskGroup(of: Bool?.self) { group in
            var waiting = posts.suffix(Self.mostMetadataAtOnce)[...]
            func next() {
                guard let id = waiting.popFirst() else { return }
                group.addTask {
                    guard let item = try? await self.store.post(id) else { return false }
                    return (try? await self.refreshMetadata(of: item)) != nil
                }
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(20))
                return nil
            }
            for _ in 0..<4 { next() }
            var (found, done) = (0, 0)
            let count = waiting.count + min(4, posts.count)
            while done < count, case .some(.some(let isFound)) = await group.next() {
                done += 1
                if isFound { found += 1 }
                next()
            }
            group.cancelAll()
            return found
        }
    }

    /// The titles that are known of posts' links.
    func titles(of posts: [EventID]) async throws(ClientError) -> [EventID: String] {
        do throws(SessionStoreError) {
            let names = Set(try await vault.names(beginningWith: Self.metadataPrefix))
            var titles: [EventID: String] = [:]
            guard !names.isEmpty else { return titles }
            for id in posts where names.contains(Self.metadataPrefix + id.hex) {
                let document = try await vault.document(Self.metadataPrefix + id.hex)
                titles[id] = document.flatMap { PostMetadata(json: $0) }?.title
            }
            return titles
        } catch {
            throw .store(error)
        }
    }

    private func fetchSoon(_ items: [FeedItem]) {
        for item in items where !wantedMetadata.contains(where: { $0.post.id == item.post.id }) {
            guard wantedMetadata.count < Self.mostWantedMetadata else { break }
            wantedMetadata.append(item)
        }
        guard metadataTask == nil, !wantedMetadata.isEmpty else { return }
        metadataTask = Task {
            while !Task.isCancelled, let next = self.nextWantedMetadata() {
                _ = try? await self.refreshMetadata(of: next)
            }
            self.metadataTask = nil
        }
    }

    private func nextWantedMetadata() -> FeedItem? {
        wantedMetadata.isEmpty ? nil : wantedMetadata.removeFirst()
    }

    // MARK: What it takes

    /// What titles and thumbnails take on this device: documents of this account, files and their bytes of all accounts.
    /// - Throws: ``ClientError/store(_:)``, ``ClientError/files(_:)``.
    public func metadataUsage() async throws(ClientError) -> (titles: Int, thumbnails: Int, bytes: Int64) {
        let titles: Int
        do throws(SessionStoreError) {
            titles = try await vault.names(beginningWith: Self.metadataPrefix).count
        } catch {
            throw .store(error)
        }
        do throws(IdentityError) {
            let usage = try thumbnails.usage()
            return (titles, usage.files, usage.bytes)
        } catch {
            throw .files(error)
        }
    }

    /// Removes titles and thumbnails; the posts stay. Files go only after the titles are gone from the database.
    /// - Throws: ``ClientError/store(_:)``, ``ClientError/files(_:)``.
    public func clearMetadata() async throws(ClientError) {
        let addresses: Set<String>
        do throws(SessionStoreError) {
            let documents = try await vault.documents(beginningWith: Self.metadataPrefix)
            addresses = Set(documents.values.compactMap { PostMetadata(json: $0)?.thumbnailURL })
            try await vault.save(documents.mapValues { _ in nil })
        } catch {
            throw .store(error)
        }
        do throws(IdentityError) {
            try thumbnails.remove(addresses)
        } catch {
            throw .files(error)
        }
    }

    private static var metadataPrefix: String { "metadata/" }
    /// For more new posts a command does not fetch.
    private static var mostMetadataAtOnce: Int { 50 }
    /// More posts do not wait for their metadata.
    private static var mostWantedMetadata: Int { 1_000 }
}
