import NostrEvents

extension ClientOperation {
    static let storageOperations: [ClientOperation] = [storageShow, storageClear, postMetadata]

    /// What titles and thumbnails take on this device.
    public static let storageShow = ClientOperation(
        "storage.show",
        "Say what titles and thumbnails of links take on this device",
        gives: [
            OperationField("titles", .integer, "Links of which something is known"),
            OperationField("thumbnails", .integer, "Pictures"),
            OperationField("bytes", .integer, "What the pictures take"),
        ]
    ) { call in
        let usage = try await call.runtime.metadataUsage()
        return [
            [
                "titles": .integer(Int64(usage.titles)), "thumbnails": .integer(Int64(usage.thumbnails)),
                "bytes": .integer(usage.bytes),
            ]
        ]
    }

    /// Forgets titles and thumbnails; posts stay.
    public static let storageClear = ClientOperation(
        "storage.clear",
        "Forget titles and thumbnails of links; posts stay"
    ) { call in
        try await call.runtime.clearMetadata()
        return []
    }

    /// What is known of the page behind a post.
    public static let postMetadata = ClientOperation(
        "post.metadata",
        "Say what is known of the page behind a post",
        takes: [
            OperationField("post", .text, "Its id or the beginning of it"),
            OperationField(
                "refresh",
                .bool,
                optional: true,
                "Ask the web server now, which tells it this machine's address"
            ),
        ],
        gives: [
            OperationField("title", .text, optional: true, "The page's title"),
            OperationField("description", .text, optional: true, "What the page says of itself"),
            OperationField("site_name", .text, optional: true, "What the site is called"),
            OperationField("thumbnail", .text, optional: true, "The file of the picture on this device"),
            OperationField("fetched_at", .integer, "When it was fetched, in seconds since 1970"),
        ]
    ) { call in
        let item = try await call.runtime.post(named: call.text("post"))
        return try await call.metadata(of: item).map { [$0.value] } ?? []
    }
}
