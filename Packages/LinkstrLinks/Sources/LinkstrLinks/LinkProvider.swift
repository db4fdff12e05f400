/// Who serves what a link leads to, decided by its host alone.
public enum LinkProvider: String, Sendable, CaseIterable {
    /// One of the services that are known, or `generic` for every other.
    case tiktok, instagram, facebook, youtube, rumble, twitter, generic

    /// A host belongs to a provider when it is one of its domains or ends with `.` and one of them.
    public init(host: some StringProtocol) {
        let name = WebHost.withoutOuterDots(host).lowercased()
        self =
            Self.domains.first { _, domains in
                domains.contains { name == $0 || name.hasSuffix("." + $0) }
            }?.0 ?? .generic
    }

    private static let domains: [(LinkProvider, [String])] = [
        (.tiktok, ["tiktok.com"]),
        (.instagram, ["instagram.com", "instagr.am"]),
        (.facebook, ["facebook.com", "fb.com", "fb.watch"]),
        (.youtube, ["youtube.com", "youtu.be", "youtube-nocookie.com"]),
        (.rumble, ["rumble.com", "rumble.video"]),
        (.twitter, ["x.com", "twitter.com", "fixupx.com", "fxtwitter.com", "vxtwitter.com"]),
    ]
}
