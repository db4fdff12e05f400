public import CommandKit
public import LinkstrClient

extension OperationFailure: ExitCoded {
    public var exitCode: ExitCode { ExitCode(rawValue: code.rawValue) ?? .unexpected }
}

extension IdentityError: ExitCoded {
    public var exitCode: ExitCode { OperationFailure(self).exitCode }
}

extension RelayList.Problem: ExitCoded {
    public var exitCode: ExitCode { OperationFailure(self).exitCode }
}

extension ClientError: ExitCoded {
    public var exitCode: ExitCode { OperationFailure(self).exitCode }
}

extension NetworkSettings.Problem: ExitCoded {
    public var exitCode: ExitCode { .badInput }
}
