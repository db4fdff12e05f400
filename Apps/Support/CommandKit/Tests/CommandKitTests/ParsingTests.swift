import Testing

@testable import CommandKit

@Suite struct ParsingTests {
    private let nothing =
        #""label":null,"tags":[],"loud":false,"first":"one","second":null,"home":null,"json":false}"#

    @Test func commandsBelowAGroupAreFoundAndDefaultsHold() async throws {
        let result = try await Sample.run("item show one")
        #expect(result.code == .done)
        #expect(result.output == #"{"path":"sample item show","count":3,"# + nothing + "\n")
        #expect(result.errors == "said\n")
    }

    @Test(arguments: [
        "--home /x item show one", "item --home /x show one", "item show --home /x one", "item show one --home=/x",
    ])
    func globalOptionsStandAnywhere(line: String) async throws {
        let result = try await Sample.run(line)
        #expect(result.code == .done)
        #expect(result.output.contains(#""home":"/x""#))
    }

    @Test(arguments: [
        ("item show --count 5 one", #""count":5"#), ("item show -c 5 one", #""count":5"#),
        ("item show -c5 one", #""count":5"#), ("item show -lc5 one", #""count":5"#),
        ("item show --label=a=b one", #""label":"a=b""#), ("item show --label= one", #""label":"""#),
        ("item show --label -5 one", #""label":"-5""#), ("item show one --label -", #""label":"-""#),
        ("item show --tag a -t b --tag=c one", #""tags":["a","b","c"]"#),
        ("item show -l one", #""loud":true"#), ("item show one red", #""second":"red""#),
        ("item show -- --loud", #""first":"--loud""#), ("item show -", #""first":"-""#),
        ("item show one -- red", #""second":"red""#), ("item show one --json", #""json":true"#),
        ("-qv item show one", #""first":"one""#),
    ])
    func everySpellingOfAnOptionIsUnderstood(line: String, expected: String) async throws {
        let result = try await Sample.run(line)
        #expect(result.code == .done)
        #expect(result.output.contains(expected))
    }

    @Test func theEnvironmentStandsInButTheCommandLineWins() async throws {
        let environment = ["SAMPLE_LABEL": "from outside", "SAMPLE_HOME": ""]
        let without = try await Sample.run("item show one", environment: environment)
        #expect(without.output.contains(#""label":"from outside""#))
        #expect(without.output.contains(#""home":null"#))
        let with = try await Sample.run("item show one --label typed", environment: environment)
        #expect(with.output.contains(#""label":"typed""#))
    }

    @Test func variadicArgumentsTakeAllThatIsLeft() async throws {
        #expect(try await Sample.run("files --kind 7 a b c").output == "7 3\n")
        #expect(try await Sample.run("files a --kind 7").output == "7 1\n")
    }

    @Test func aCommandMayHaveOthersBelowItWhoseNamesWin() async throws {
        #expect(try await Sample.run("files fail input").code == .badInput)
        #expect(try await Sample.run("files --kind 7 a fail").output == "7 2\n")
        #expect(try await Sample.run("files --kind 7 -- fail").output == "7 1\n")
        #expect(try await Sample.run("files --help").output.contains("fail"))
    }

    @Test(arguments: [
        ("", "sample needs a command"), ("item", "sample item needs a command"),
        ("itme show", "did you mean item?"), ("item shwo one", "did you mean show?"),
        ("show one", "did you mean sample item show?"), ("item show one --lable x", "did you mean --label?"),
        ("item show one --entirely-different", "there is no option '--entirely-different'"),
        ("item show one -x", "there is no option '-x'"), ("item show one --label", "--label needs a value"),
        ("item show one --label --json", "--label needs a value"), ("item show one --loud=yes", "takes no value"),
        ("item show one --count 1 --count 2", "--count is given more than once"),
        ("item show one --count 10", "--count: '10' is not a whole number from 1 to 9"),
        ("item show one --count 99999999999999999999", "is not a whole number"),
        ("item show one --timeout 0", "number of seconds"), ("item show one --timeout nan", "number of seconds"),
        ("item show one --timeout 1e999", "number of seconds"), ("item show one --home=", "--home: a path cannot"),
        ("item show", "FIRST is missing"), ("item show one blue", "is not one of red, green"),
        ("item show one gren", "did you mean green?"), ("item show one red three", "'three' is one argument too many"),
        ("files a", "--kind is missing"), ("files --kind 1", "FILE is missing"),
    ])
    func aWrongCommandLineIsAUsageErrorThatSaysWhat(line: String, message: String) async throws {
        let result = try await Sample.run(line)
        #expect(result.code == .usage)
        #expect(result.output == "")
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(result.errors.contains("--help'"))
    }

    @Test func aWordThatOthersWroteIsHarmlessInTheMessage() async throws {
        let result = try await Sample.run(words: ["item", "show", "one", "--count", "\u{1B}]0;x\u{7}\u{202E}"])
        #expect(result.code == .usage)
        #expect(!result.errors.contains("\u{1B}") && !result.errors.contains("\u{202E}"))
    }

    @Test func timeoutsTakeFractions() throws {
        #expect(try Conversion.seconds.convert("1.5") == .milliseconds(1500))
        #expect(try Conversion.seconds.convert("86400") == .seconds(86_400))
    }

    @Test(arguments: [
        ("gnerate", "generate"), ("generat", "generate"), ("egnerate", "generate"), ("verfy", "verify"),
    ])
    func aTypingMistakeFindsItsWord(word: String, expected: String) {
        #expect(Suggestion.closest(to: word, among: ["verify", "generate", "decode"]) == expected)
    }

    @Test func aDifferentWordFindsNothing() {
        #expect(Suggestion.closest(to: "zebra", among: ["verify", "generate", "decode"]) == nil)
        #expect(Suggestion.closest(to: String(repeating: "g", count: 100_000), among: ["generate"]) == nil)
    }
}

@Suite struct EndingTests {
    @Test func failuresKeepTheirExitCodeAndTheirSentence() async throws {
        let result = try await Sample.run("fail input")
        #expect(result.code == .badInput)
        #expect(result.output == "before\n")
        #expect(result.errors == "sample: that is ␛[31mnot<U+202E> good\n")
        #expect(try await Sample.run("fail never").code == .done)
    }

    @Test func aFailureThatWasReportedSaysNothingMore() async throws {
        let result = try await Sample.run("fail reported")
        #expect(result.code == .unavailable)
        #expect(result.errors == "")
    }

    @Test func cancelledWorkEndsAsInterrupted() async throws {
        #expect(try await Sample.run("fail cancelled").code == .interrupted)
        #expect(try await Sample.run("fail unknown").code == .unexpected)
    }

    @Test func quietAndVerboseGovernStandardErrorAlone() async throws {
        #expect(try await Sample.run("item show one --quiet").errors == "")
        #expect(try await Sample.run("item show one --verbose").errors == "said\nexplained\n")
        #expect(try await Sample.run("fail input --quiet").errors != "")
    }
}
