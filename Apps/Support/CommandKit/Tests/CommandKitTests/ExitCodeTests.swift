import CommandKit
import Testing

@Test func exitCodesAreTheDocumentedNumbers() {
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 64, 65, 66, 69, 73, 74, 75, 77, 78, 130])
}
