import NostrCrypto
import NostrEvents

/// What a client may read of gift wraps (NIP-59).
struct ReadRights: Sendable {
    enum Narrowed {
        /// These filters ask for nothing the client may not read, but where `needsCheck` what matches them has to be
        /// looked at.
        case filters([Filter], needsCheck: Bool)
        case refused(StatusMessage)
    }

    /// Whether gift wraps are given to their addressees alone.
    let protectsGiftWraps: Bool
    let authenticated: Set<Bytes32>

    private static let wraps: Set<Kind> = [.giftWrap, .ephemeralGiftWrap]

    func mayRead(_ event: WireEvent) -> Bool {
        !protectsGiftWraps || !event.kind.isGiftWrap || event.addressees.contains(where: authenticated.contains)
    }

    /// Takes out of filters what the client may not read.
    ///
    /// A filter that names no kinds cannot be narrowed: it matches gift wraps among other events.
    func narrow(_ filters: [Filter]) -> Narrowed {
        guard protectsGiftWraps else { return .filters(filters, needsCheck: false) }
        var narrowed: [Filter] = []
        var needsCheck = false
        for filter in filters {
            guard let kinds = filter.kinds else {
                narrowed.append(filter)
                needsCheck = true
                continue
            }
            let wraps = kinds.intersection(Self.wraps)
            guard !wraps.isEmpty else {
                narrowed.append(filter)
                continue
            }
            guard !authenticated.isEmpty else {
                return .refused(StatusMessage(.authenticationRequired, "gift wraps are given to their addressees only"))
            }
            if kinds.count > wraps.count {
                var others = filter
                others.kinds = kinds.subtracting(wraps)
                narrowed.append(others)
            }
            let own = authenticated.map(\.hex)
            let asked = filter.tags[.p].map { values in own.filter(values.contains) } ?? own
            if asked.isEmpty { continue }
            var mine = filter
            mine.kinds = wraps
            mine.tags[.p] = TagValues(asked)
            narrowed.append(mine)
        }
        guard !narrowed.isEmpty else {
            return .refused(StatusMessage(.restricted, "gift wraps are given to their addressees only"))
        }
        return .filters(narrowed, needsCheck: needsCheck)
    }
}
