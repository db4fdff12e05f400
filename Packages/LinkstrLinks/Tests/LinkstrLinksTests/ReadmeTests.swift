import LinkstrLinks
import Testing

@Test func theExampleOfTheReadmeHolds() throws {
    let link = Link(try WebURL("youtu.be/dQw4w9WgXcQ?t=43"))
    #expect("\(link.provider) \(link.strategy)" == "youtube embed")
    #expect(link.canonical == "https://www.youtube.com/watch?v=dQw4w9WgXcQ")
    #expect(DeepLink.open(link.url).text.hasPrefix("linkstr://open?url=https%3A%2F%2Fyoutu.be"))
}
