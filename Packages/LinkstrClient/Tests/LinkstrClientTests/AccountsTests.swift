import Foundation
import LinkstrClient
import NostrCrypto
import NostrEvents
import Testing

@Suite("The accounts of a home")
struct AccountsTests {
    let temporary: TemporaryHome
    var accounts: Accounts { temporary.accounts }
    var home: Home { temporary.home }

    init() throws {
        temporary = try TemporaryHome()
    }

    @Test("keep their keys in files that only their owner can touch")
    func modes() throws {
        let key = SecretKey.generate()
        let account = try accounts.add(key, name: " Ann \t B ", isImported: false, now: 5)
        #expect(account.name == "Ann B")
        let directory = home.account(account.key)
        #expect(try temporary.mode(directory) == 0o700)
        for file in ["secret", "data-key", "account.json"] {
            #expect(try temporary.mode(directory + "/" + file) == 0o600)
        }
        let opened = try accounts.open(account.key)
        #expect(opened.keyPair.secretKey == key)
        #expect(opened.dataKey != key)
        #expect(try accounts.find() == account)
        #expect(try accounts.all() == [account])
    }

    @Test("are refused where others could read the secret, and accepted when they cannot")
    func exposed() throws {
        let account = try accounts.add(.generate(), isImported: false, now: 5)
        let secret = home.account(account.key) + "/secret"
        for mode in [0o640, 0o604, 0o620] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: secret)
            #expect(throws: IdentityError.exposed(path: secret, mode: UInt32(mode))) { try accounts.open(account.key) }
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret)
        let directory = home.account(account.key)
        try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: directory)
        #expect(throws: IdentityError.exposed(path: directory, mode: 0o750)) { try accounts.open(account.key) }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory)
        #expect(try accounts.open(account.key).publicKey.bytes == account.key)
    }

    @Test("get a name once, which is one and nobody else's here")
    func naming() throws {
        let first = try accounts.add(.generate(), name: "Ann", isImported: false, now: 1)
        let second = try accounts.add(.generate(), isImported: false, now: 2)
        for name in [" Ann", " ", String(repeating: "x", count: 81)] {
            #expect(try accounts.nameIfNameless(second.key, name) == nil)
        }
        #expect(try accounts.nameIfNameless(first.key, "Bea") == nil)
        #expect(try accounts.nameIfNameless(second.key, "Bea ")?.name == "Bea")
        #expect(try accounts.nameIfNameless(second.key, "Cleo") == nil)
        #expect(try accounts.find("Bea").key == second.key)
        #expect(try accounts.find("Ann") == first)
    }

    @Test("are found by name, npub or hex, and the chosen one without")
    func names() throws {
        let first = try accounts.add(.generate(), name: "Ann", isImported: false, now: 1)
        let second = try accounts.add(.generate(), name: "Bea", isImported: false, now: 2)
        let third = try accounts.add(.generate(), name: "Bea", isImported: false, now: 3)
        #expect(try accounts.find() == first)
        #expect(try accounts.find("Ann") == first)
        #expect(try accounts.find(second.key.hex) == second)
        #expect(try accounts.find(try PublicKey(third.key).npub) == third)
        #expect(throws: IdentityError.ambiguousAccount("Bea", [second, third].map(\.key).sorted())) {
            try accounts.find("Bea")
        }
        #expect(throws: IdentityError.unknownAccount("Cleo")) { try accounts.find("Cleo") }
        try accounts.choose(second.key)
        #expect(try accounts.find() == second)
        #expect(throws: IdentityError.noAccount) { try TemporaryHome().accounts.find() }
    }

    @Test("open with the passphrase they were locked with and no other")
    func locking() throws {
        let key = SecretKey.generate()
        let account = try accounts.add(key, isImported: false, now: 1)
        let before = try accounts.open(account.key)
        try accounts.lock(account.key, passphrase: "first")
        #expect(try accounts.isLocked(account.key))
        for file in ["secret", "data-key"] {
            #expect(try temporary.text(home.account(account.key) + "/" + file).hasPrefix("ncryptsec1"))
        }
        #expect(throws: IdentityError.locked(account.key)) { try accounts.open(account.key) }
        #expect(throws: IdentityError.wrongPassphrase) { try accounts.open(account.key, passphrase: "other") }
        let opened = try accounts.open(account.key, passphrase: "first")
        #expect(opened.keyPair == before.keyPair && opened.dataKey == before.dataKey)
        #expect(throws: IdentityError.locked(account.key)) { try accounts.lock(account.key, passphrase: "second") }
        try accounts.lock(account.key, passphrase: "second", current: "first")
        #expect(try accounts.open(account.key, passphrase: "second").dataKey == before.dataKey)
    }

    @Test("count as locked when a crash came between their two files")
    func halfLocked() throws {
        let account = try accounts.add(.generate(), isImported: false, now: 1)
        let before = try accounts.open(account.key)
        let secret = home.account(account.key) + "/secret"
        let open = try temporary.text(secret)
        try accounts.lock(account.key, passphrase: "word")
        try open.write(toFile: secret, atomically: false, encoding: .utf8)
        #expect(throws: IdentityError.locked(account.key)) { try accounts.open(account.key) }
        #expect(try accounts.open(account.key, passphrase: "word").dataKey == before.dataKey)
    }

    @Test("open with one passphrase or the other wherever its change stops", arguments: ["data-key", "secret"])
    func brokenChange(file: String) throws {
        let account = try accounts.add(.generate(), isImported: false, now: 1)
        let before = try accounts.open(account.key)
        try accounts.lock(account.key, passphrase: "first")
        // What is in the way of a draft is in the way of the file.
        let obstacle = home.account(account.key) + "/\(file).new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        for word in ["second", "third"] {
            #expect(throws: IdentityError.self) { try accounts.lock(account.key, passphrase: word, current: "first") }
            #expect(throws: IdentityError.wrongPassphrase) { try accounts.open(account.key, passphrase: word) }
            let opened = try accounts.open(account.key, passphrase: "first")
            #expect(opened.keyPair == before.keyPair && opened.dataKey == before.dataKey)
        }
        try FileManager.default.removeItem(atPath: obstacle)
        let path = home.account(account.key) + "/data-key"
        let between = try temporary.text(path)
        try accounts.lock(account.key, passphrase: "second", current: "first")
        #expect(try accounts.open(account.key, passphrase: "second").dataKey == before.dataKey)
        #expect(throws: IdentityError.wrongPassphrase) { try accounts.open(account.key, passphrase: "first") }
        let after = try temporary.text(path)
        #expect(after.split(separator: "\n").count == 1)
        // Stopped at the last moment, when all that is left is to drop the wraps under the former passphrase.
        try (after + between).write(toFile: path, atomically: false, encoding: .utf8)
        #expect(try accounts.open(account.key, passphrase: "second").dataKey == before.dataKey)
        #expect(throws: IdentityError.wrongPassphrase) { try accounts.open(account.key, passphrase: "first") }
    }

    @Test("come back with their data after a logout that keeps it, and without after one that clears it")
    func logout() throws {
        let key = SecretKey.generate()
        let account = try accounts.add(key, isImported: false, now: 1)
        let other = try accounts.add(.generate(), isImported: false, now: 2)
        let dataKey = try accounts.open(account.key).dataKey
        try accounts.remove(account.key, clearsData: false)
        #expect(try accounts.all() == [other])
        #expect(try accounts.find() == other)
        #expect(throws: IdentityError.unknownAccount(account.key.hex)) { try accounts.open(account.key) }
        try accounts.add(key, isImported: true, now: 3)
        #expect(try accounts.open(account.key).dataKey == dataKey)
        #expect(throws: IdentityError.accountExists(account.key)) { try accounts.add(key, isImported: true, now: 4) }
        try accounts.remove(account.key, clearsData: true)
        #expect(!FileManager.default.fileExists(atPath: home.account(account.key)))
        try accounts.add(key, isImported: true, now: 5)
        #expect(try accounts.open(account.key).dataKey != dataKey)
    }

    @Test("keep the name that was given before a logout, unless they come back with another one")
    func namesOfReturned() throws {
        let key = SecretKey.generate()
        let account = try accounts.add(key, name: "Ann", isImported: false, now: 1)
        for (given, kept) in [(nil, "Ann"), ("Anna", "Anna"), (nil, "Anna")] as [(String?, String)] {
            try accounts.remove(account.key, clearsData: false)
            #expect(try accounts.add(key, name: given, isImported: true, now: 2).name == kept)
            #expect(try accounts.find(kept).key == account.key)
        }
        try accounts.remove(account.key, clearsData: true)
        #expect(try accounts.add(key, isImported: true, now: 3).name == nil)
    }

    @Test("that are locked need their passphrase when they come back")
    func lockedReturn() throws {
        let key = SecretKey.generate()
        let account = try accounts.add(key, isImported: false, now: 1)
        let dataKey = try accounts.open(account.key).dataKey
        try accounts.lock(account.key, passphrase: "word")
        try accounts.remove(account.key, clearsData: false)
        #expect(throws: IdentityError.locked(account.key)) { try accounts.add(key, isImported: true, now: 2) }
        #expect(throws: IdentityError.wrongPassphrase) {
            try accounts.add(key, passphrase: "other", isImported: true, now: 2)
        }
        try accounts.add(key, passphrase: "word", isImported: true, now: 2)
        #expect(try accounts.open(account.key, passphrase: "word").dataKey == dataKey)
    }

    @Test("never get a new data key in place of a lost one")
    func lostDataKey() throws {
        let account = try accounts.add(.generate(), isImported: false, now: 1)
        let path = home.account(account.key) + "/data-key"
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: IdentityError.missingDataKey(path: path)) { try accounts.open(account.key) }
        #expect(!FileManager.default.fileExists(atPath: path))
        let key = try SecretKey(
            hex: temporary.text(home.account(account.key) + "/secret").trimmingCharacters(in: .newlines)
        )
        try accounts.remove(account.key, clearsData: false)
        _ = FileManager.default.createFile(atPath: home.database(account.key), contents: Data([1]))
        #expect(throws: IdentityError.missingDataKey(path: path)) { try accounts.add(key, isImported: true, now: 2) }
    }

    @Test("say which file is damaged", arguments: ["secret", "data-key", "account.json"])
    func damaged(file: String) throws {
        let account = try accounts.add(.generate(), isImported: false, now: 1)
        let path = home.account(account.key) + "/" + file
        try "rubbish\n".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(throws: IdentityError.malformed(path: path)) {
            _ = try accounts.find()
            _ = try accounts.open(account.key)
        }
    }

    @Test("are not waited for where a pipe stands in the place of a file", .timeLimit(.minutes(10)))
    func pipe() throws {
        let (ann, ben) = (
            try accounts.add(.generate(), isImported: false, now: 1),
            try accounts.add(.generate(), isImported: false, now: 1)
        )
        #expect(try accounts.find() == ann)
        for path in [home.current, home.account(ben.key) + "/account.json"] {
            unlink(path)
            mkfifo(path, 0o600)
        }
        #expect(throws: IdentityError.malformed(path: home.current)) { try accounts.find() }
        #expect(throws: IdentityError.malformed(path: home.account(ben.key) + "/account.json")) {
            try accounts.find(ben.key.hex)
        }
        #expect(try accounts.find(ann.key.hex) == ann)
    }

    @Test("note that a secret key is known elsewhere, and keep what else is known")
    func knownElsewhere() throws {
        let ann = try accounts.add(.generate(), name: "Ann", isImported: false, now: 5)
        try accounts.noteSecretKnownElsewhere(ann.key)
        var known = ann
        known.isSecretKnownElsewhere = true
        #expect(try accounts.find() == known)
        let nobody = SecretKey.generate().publicKey.bytes
        #expect(throws: IdentityError.unknownAccount(nobody.hex)) { try accounts.noteSecretKnownElsewhere(nobody) }
    }

    @Test("have names that can be read", arguments: ["", " \n", "\u{7}", String(repeating: "a", count: 81)])
    func invalidNames(name: String) {
        #expect(throws: IdentityError.invalidName) {
            try accounts.add(.generate(), name: name, isImported: false, now: 1)
        }
        #expect((try? Account.cleaned(String(repeating: "a", count: 80))) != nil)
    }

    @Test("show no secret when they are printed")
    func printing() throws {
        let key = SecretKey.generate()
        let account = try accounts.add(key, isImported: false, now: 1)
        let hex = key.withUnsafeBytes { Hex.encode($0) }
        let shown = "\(try accounts.open(account.key)) \(try accounts.keyStore.keys(of: account.key)) \(account)"
        #expect(!shown.contains(hex))
        #expect(shown.contains("redacted"))
    }
}

@Suite("A home")
struct HomeTests {
    @Test("is one directory where one is given")
    func given() throws {
        let home = try Home(directory: "/x/", environment: ["HOME": "/h"])
        #expect(home.data == "/x" && home.socket == "/x/run/linkstrd.sock")
        #expect(try Home(environment: ["LINKSTR_HOME": "/y", "HOME": "/h"]).data == "/y")
    }

    @Test("follows the XDG directories, and not relative ones")
    func xdg() throws {
        let standard = try Home(environment: ["HOME": "/h", "XDG_CACHE_HOME": "relative"])
        #expect(standard.data == "/h/.local/share/linkstr" && standard.cache == "/h/.cache/linkstr")
        let moved = try Home(environment: ["HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_RUNTIME_DIR": "/run/user/1"])
        #expect(moved.data == "/d/linkstr" && moved.socket == "/run/user/1/linkstr/linkstrd.sock")
        #expect(moved.configuration == "/h/.config/linkstr")
        #expect(throws: IdentityError.noHome) { try Home(environment: [:]) }
    }

    @Test("has its socket in the runtime directory of the user, where the environment names none and there is one")
    func runtimeDirectory() throws {
        let temporary = try TemporaryHome()
        func socket(_ environment: [String: String]) throws -> String {
            try Home(environment: environment, runtimeFolders: temporary.path).socket
        }
        let standard = ["HOME": "/h"]
        #expect(try socket(standard) == "/h/.local/share/linkstr/run/linkstrd.sock")
        try FileManager.default.createDirectory(atPath: temporary.path, withIntermediateDirectories: true)
        let own = "\(temporary.path)/\(geteuid())"
        try Data().write(to: URL(fileURLWithPath: own))
        #expect(try socket(standard) == "/h/.local/share/linkstr/run/linkstrd.sock")
        try FileManager.default.removeItem(atPath: own)
        mkdir(own, 0o700)
        #expect(try socket(standard) == own + "/linkstr/linkstrd.sock")
        #expect(try socket(["HOME": "/h", "XDG_RUNTIME_DIR": "/r"]) == "/r/linkstr/linkstrd.sock")
        #expect(try socket(["HOME": "/h", "LINKSTR_HOME": "/y"]) == "/y/run/linkstrd.sock")
    }

    @Test("says where the process that works on it can be talked to, as long as it does")
    func announcement() throws {
        let home = try TemporaryHome()
        var lock: HomeLock? = try HomeLock(home.home)
        #expect(HomeLock.socket(announcedIn: home.home) == nil)
        lock?.announce(socket: "/somewhere/linkstrd.sock")
        #expect(HomeLock.socket(announcedIn: home.home) == "/somewhere/linkstrd.sock")
        #expect(throws: IdentityError.inUse(path: home.path + "/lock", process: getpid())) { try HomeLock(home.home) }
        lock = nil
        #expect(HomeLock.socket(announcedIn: home.home) == nil)
        let next = try HomeLock(home.home)
        #expect(HomeLock.socket(announcedIn: home.home) == nil)
        withExtendedLifetime(next) {}
    }

    @Test("has one writer at a time, and no stale lock after it")
    func lock() throws {
        let temporary = try TemporaryHome()
        var first: HomeLock? = try HomeLock(temporary.home)
        #expect(throws: IdentityError.inUse(path: temporary.path + "/lock", process: getpid())) {
            try HomeLock(temporary.home)
        }
        _ = first
        first = nil
        _ = try HomeLock(temporary.home)
    }
}
