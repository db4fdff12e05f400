public import NostrCrypto
import NostrEvents

/// What a ``FollowListEditor`` knows, as one document for storing: the newest list, its place in the order, and the lists that were
/// replaced. ``FollowListEnvironment/save`` is given both parts.
///
/// ```json
/// {"version":[1700000000,"<id>"],"newest":{<event>},"replaced":[{<event>}]}
/// ```
public struct FollowListRecord: Sendable {
    /// The newest list and its place in the order.
    public let state: FollowListState
    /// The lists that were replaced.
    public let history: FollowListHistory

    /// A record of its parts.
    public init(state: FollowListState, history: FollowListHistory) {
        self.state = state
        self.history = history
    }

    /// The document.
    public var json: [UInt8] {
        var json = Array("{\"version\":".utf8)
        json += state.watermark.map { JSONValue.stored($0).json } ?? Array("null".utf8)
        json += Array(",\"newest\":".utf8)
        json += state.newest?.json ?? Array("null".utf8)
        json += Array(",\"replaced\":[".utf8)
        for (index, event) in history.events.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            event.appendJSON(to: &json)
        }
        return json + Array("]}".utf8)
    }

    /// Reads what ``json`` gave.
    /// - Throws: ``ContactsError/damagedStorage`` if anything in it is not what was stored: then nothing is known, and relays have
    ///   to be asked before anything is published.
    public init(json: [UInt8], owner: Bytes32) throws(ContactsError) {
        let limits = JSONLimits(size: 256 << 20)
        guard let record = (try? JSONValue(json: json, limits: limits))?.object, let version = record["version"],
            let newest = record["newest"], let replaced = record["replaced"]?.array,
            version.isNull || version.version != nil, newest.isNull || newest.event != nil
        else { throw .damagedStorage }
        let state = FollowListState(owner: owner, newest: newest.event, watermark: version.version)
        let events = replaced.compactMap(\.event)
        guard state.newest == newest.event, state.watermark == version.version, events.count == replaced.count,
            events.allSatisfy({ $0.pubkey == owner && $0.kind == .followList })
        else { throw .damagedStorage }
        self.init(state: state, history: FollowListHistory(events))
    }
}
