import Foundation
import Testing

@testable import linkstr

@Suite struct PromptTests {
    @Test(arguments: [
        ["key", "decrypt", Published.ncryptsec], ["key", "encrypt", Published.nsec],
        ["key", "public", Published.ncryptsec],
    ])
    func nothingIsAskedWithoutATerminal(arguments: [String]) throws {
        var plan = RunningProcess.Plan()
        plan.keepsInputOpen = true
        let result = try LinkstrProcess.run(arguments, plan: plan)
        #expect(result.code == 64)
        #expect(result.text == "")
        #expect(result.errorText.contains("--passphrase-file"))
        #expect(!result.errorText.contains("Passphrase:"))
    }

    @Test func aPassphraseIsAskedForOnATerminalAndNotShown() throws {
        var plan = RunningProcess.Plan()
        plan.usesTerminal = true
        plan.answers = [("Passphrase: ", Published.ncryptsecPassphrase)]
        let result = try LinkstrProcess.run(["key", "decrypt", Published.ncryptsec], plan: plan)
        #expect(result.code == 0)
        #expect(result.text == "Passphrase: \r\n\(Published.ncryptsecSecret)\r\n")
    }

    @Test func aNewPassphraseIsAskedForTwice() throws {
        var plan = RunningProcess.Plan()
        plan.usesTerminal = true
        plan.answers = [("Passphrase: ", "one"), ("again: ", "one")]
        let same = try LinkstrProcess.run(["key", "encrypt", "--log-n", "4", Published.nsec], plan: plan)
        #expect(same.code == 0)
        #expect(same.text.contains("ncryptsec1"))
        plan.answers[1].answer = "two"
        let different = try LinkstrProcess.run(["key", "encrypt", "--log-n", "4", Published.nsec], plan: plan)
        #expect(different.code == 64)
        #expect(!different.text.contains("ncryptsec1"))
    }

    @Test func controlCAtThePromptExits130() throws {
        var plan = RunningProcess.Plan()
        plan.usesTerminal = true
        plan.interruptsAt = "Passphrase: "
        #expect(try LinkstrProcess.run(["key", "decrypt", Published.ncryptsec], plan: plan).code == 130)
    }
}
