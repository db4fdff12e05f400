import LinkstrSessions
import NostrEvents

extension AccountRuntime {
    /// Tells the listeners what a batch did.
    func tell(_ effects: [SessionEffect]) async {
        guard hub.isHeard else { return }
        for effect in effects { await tell(effect) }
    }

    private func tell(_ effect: SessionEffect) async {
        switch effect {
        case .posted(let session, let post, let sender, let delivery):
            let item = try? await store.post(post)
            let isWorth = delivery == .live && item != nil && item?.isLate == false
            hub.tell(
                .posted(session, post, by: sender, delivery, item),
                isWorthNotifying: isWorth ? await isHeeded(session) : false
            )
        case .reacted(let session, let post, let emoji, let sender, let isActive, let delivery):
            hub.tell(
                .reacted(session, post: post, emoji: emoji, by: sender, isActive: isActive, delivery),
                isWorthNotifying: delivery == .live && isActive ? await isHeeded(session) : false
            )
        case .appeared(let id):
            if let summary = try? await store.session(id) { hub.tell(.sessionAppeared(summary)) }
        case .changed(let id), .contested(let id):
            if let summary = try? await store.session(id) { hub.tell(.sessionChanged(summary)) }
        case .closed(let id, let creator): hub.tell(.sessionDeleted(id, creator: creator))
        case .recounted(let id, let shown, let hidden): hub.tell(.recounted(id, shown: shown, hidden: hidden))
        case .resend(let id, _, let members): hub.tell(.membersDiverged(id, members))
        case .remind, .wantsFullHistory: break
        }
    }

    /// Whether the person wants to hear of a session: it is neither archived nor a request that waits or was declined.
    private func isHeeded(_ id: SessionID) async -> Bool {
        guard let session = try? await store.session(id, countingUnreadUpTo: 0) else { return false }
        return !session.isArchived && session.request != .waiting && session.request != .declined
    }
}
