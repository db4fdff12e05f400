import Locking

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Memory for secrets: kept out of swap (`mlock`) and out of core dumps (`MADV_DONTDUMP`), zero when handed out and zeroed
/// when given back.
///
/// A process may lock little (often 64 KiB or 8 MiB, `RLIMIT_MEMLOCK`), and a lock covers whole pages. So small blocks share
/// pages, one size to a page, and a page goes back to the system when its last block does, but for one spare page a size.
/// A page that cannot be locked is used all the same.
enum LockedMemory {
    /// A piece of memory that belongs to whoever allocated it, until it is given back.
    ///
    /// Unchecked because of the pointer: the memory behind it has one owner, who decides how it is shared.
    struct Block: @unchecked Sendable {
        let base: UnsafeMutableRawPointer
        /// The size of the block in bytes, at least what was asked for.
        let size: Int
        let isLocked: Bool
    }

    private static let largestSharing = 1024
    private static let pool = Locked(SharedPages())

    static func allocate(_ count: Int) -> Block {
        if count > largestSharing { return Pages.map(count) }
        return pool.withLock { $0.allocate(count) }
    }

    static func free(_ block: Block) {
        zeroise(UnsafeMutableRawBufferPointer(start: block.base, count: block.size))
        if block.size > largestSharing {
            Pages.unmap(block)
        } else {
            pool.withLock { $0.free(block) }
        }
    }
}

/// The blocks that share pages. All that is known of a page stands at its beginning, so that nothing is allocated elsewhere.
private struct SharedPages {
    /// At the beginning of each page.
    private struct Header {
        /// The first free block; each begins with the address of the next.
        var free: UnsafeMutableRawPointer?
        var usedBlocks = 0
        let isLocked: Bool
        /// The neighbours in the list of pages of one size that have a free block.
        var previous: UnsafeMutablePointer<Header>?
        var next: UnsafeMutablePointer<Header>?
    }

    private typealias Page = UnsafeMutablePointer<Header>

    /// For blocks of 32, 64, ... 1024 bytes the first page that has a free one.
    private var available = [Page?](repeating: nil, count: 6)

    private static func sizeClass(of count: Int) -> Int {
        count <= 32 ? 0 : Int.bitWidth - (count - 1).leadingZeroBitCount - 5
    }

    mutating func allocate(_ count: Int) -> LockedMemory.Block {
        let sizeClass = Self.sizeClass(of: count)
        let page = available[sizeClass] ?? addPage(sizeClass)
        guard let block = page.pointee.free else {
            preconditionFailure("a page without a free block was listed as available")
        }
        page.pointee.free = block.load(as: UnsafeMutableRawPointer?.self)
        block.storeBytes(of: nil, as: UnsafeMutableRawPointer?.self)
        page.pointee.usedBlocks += 1
        if page.pointee.free == nil { unlink(page, sizeClass) }
        return LockedMemory.Block(base: block, size: 32 << sizeClass, isLocked: page.pointee.isLocked)
    }

    mutating func free(_ block: LockedMemory.Block) {
        let sizeClass = Self.sizeClass(of: block.size)
        let start = block.base - Int(bitPattern: block.base) % Pages.size
        let page = start.assumingMemoryBound(to: Header.self)
        if page.pointee.free == nil { link(page, sizeClass) }
        block.base.storeBytes(of: page.pointee.free, as: UnsafeMutableRawPointer?.self)
        page.pointee.free = block.base
        page.pointee.usedBlocks -= 1
        let isOnlyOne = page.pointee.next == nil && page.pointee.previous == nil
        if page.pointee.usedBlocks == 0, !isOnlyOne {
            unlink(page, sizeClass)
            Pages.unmap(LockedMemory.Block(base: start, size: Pages.size, isLocked: page.pointee.isLocked))
        }
    }

    private mutating func addPage(_ sizeClass: Int) -> Page {
        let memory = Pages.map(Pages.size)
        let blockSize = 32 << sizeClass
        // The blocks lie at multiples of their size; the header takes the place of the first or the first few.
        let first = (MemoryLayout<Header>.size + blockSize - 1) / blockSize * blockSize
        let page = memory.base.initializeMemory(as: Header.self, to: Header(isLocked: memory.isLocked))
        for offset in stride(from: first, to: memory.size, by: blockSize).reversed() {
            (memory.base + offset).storeBytes(of: page.pointee.free, as: UnsafeMutableRawPointer?.self)
            page.pointee.free = memory.base + offset
        }
        link(page, sizeClass)
        return page
    }

    private mutating func link(_ page: Page, _ sizeClass: Int) {
        page.pointee.next = available[sizeClass]
        available[sizeClass]?.pointee.previous = page
        available[sizeClass] = page
    }

    private mutating func unlink(_ page: Page, _ sizeClass: Int) {
        if available[sizeClass] == page { available[sizeClass] = page.pointee.next }
        page.pointee.previous?.pointee.next = page.pointee.next
        page.pointee.next?.pointee.previous = page.pointee.previous
        page.pointee.previous = nil
        page.pointee.next = nil
    }
}

/// Whole pages from the system.
private enum Pages {
    static let size = Int(sysconf(Int32(_SC_PAGESIZE)))

    /// At least `count` bytes.
    static func map(_ count: Int) -> LockedMemory.Block {
        let total = (count + size - 1) / size * size
        guard
            let base = mmap(nil, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | anonymous, -1, 0),
            base != MAP_FAILED
        else { fatalError("out of memory") }
        #if os(Linux)
            _ = madvise(base, total, Int32(MADV_DONTDUMP))
        #endif
        return LockedMemory.Block(base: base, size: total, isLocked: mlock(base, total) == 0)
    }

    static func unmap(_ block: LockedMemory.Block) {
        _ = munmap(block.base, block.size)
    }

    #if canImport(Darwin)
        private static let anonymous = MAP_ANON
    #else
        private static let anonymous = Int32(MAP_ANONYMOUS)
    #endif
}
