import Sockets
import Testing

@Suite struct AddressTests {
    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
        "169.254.169.254",
        "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1",
        "198.19.255.255",
        "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "100::1",
        "2001::1",
        "2001:db8::1", "2002:0a00:0001::1", "2002:7f00:1::", "3fff::1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1",
        "ff02::1", "4000::1",
    ])
    func anAddressInsideSomeNetworkIsNotPublic(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!address.isPublic)
        #expect(!AddressPolicy.publicOnly.allows(address))
        #expect(AddressPolicy.any.allows(address))
    }

    @Test(arguments: [
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
        "169.253.255.255",
        "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.167.255.255", "198.17.255.255", "198.20.0.0",
        "223.255.255.255",
        "2606:4700::1111", "2001:4860:4860::8888", "64:ff9b::8.8.8.8", "2002:0808:0808::1", "2a00:1450::1",
        "2001:200::1",
    ])
    func anAddressOfTheInternetIsPublic(text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic)
    }

    @Test(arguments: ["1.2.3.4", "255.255.255.255", "::", "::1", "2001:db8::1", "fe80::1:2"])
    func theTextFormRoundTrips(text: String) throws {
        #expect(try #require(IPAddress(text)).description == text)
    }

    @Test(arguments: [
        "", "1.2.3", "1.2.3.256", "01.2.3.4.5", "0x7f.1", "127.1", "::g", "[::1]", "1.2.3.4 ", "1.2.3.4\0",
        "fe80::1%lo",
    ])
    func otherTextsAreNoAddresses(text: String) {
        #expect(IPAddress(text) == nil)
    }
}
