/// How a command ends, after sysexits.
public enum ExitCode: Int32, Sendable, CaseIterable {
    /// It worked.
    case done = 0
    /// What nobody has foreseen went wrong.
    case unexpected = 1
    /// The command was called wrongly (EX_USAGE).
    case usage = 64
    /// The data that came in are wrong (EX_DATAERR).
    case badInput = 65
    /// What was named does not exist here (EX_NOINPUT).
    case notFound = 66
    /// There is no relay, or none that takes it; or another service does not (EX_UNAVAILABLE).
    case unavailable = 69
    /// The output could not be written (EX_CANTCREAT).
    case cannotWrite = 73
    /// Reading or writing on this machine failed (EX_IOERR).
    case localIO = 74
    /// The time ran out, also that for reaching a relay; to try again may help (EX_TEMPFAIL).
    case timedOut = 75
    /// It is not permitted, locked, or was not confirmed (EX_NOPERM).
    case notPermitted = 77
    /// Something is set up wrongly (EX_CONFIG).
    case configuration = 78
    /// A signal ended it, 128 and the number of SIGINT.
    case interrupted = 130

    /// What the documentation says of it, without a full stop.
    public var meaning: String {
        switch self {
        case .done: "done"
        case .unexpected: "unexpected failure"
        case .usage: "the command line is wrong"
        case .badInput: "the input is wrong"
        case .notFound: "no such session, post, contact or account"
        case .unavailable: "no relay is enabled, or none accepted it"
        case .cannotWrite: "a file cannot be written"
        case .localIO: "reading or writing on this machine failed"
        case .timedOut: "timed out, or no relay was reached in time; try again"
        case .notPermitted: "not permitted, locked or not confirmed"
        case .configuration: "the configuration is wrong"
        case .interrupted: "interrupted by Ctrl-C"
        }
    }
}
