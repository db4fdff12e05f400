/// First in, first out, without moving what waits.
struct Queue<Element> {
    /// What has left is nil until there is enough of it to move the rest.
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { head == elements.count }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head].take()
        head += 1
        if head == elements.count {
            elements = []
            head = 0
        } else if head >= 64, head > elements.count / 2 {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }
}
