package import Sockets
package import WebSocket

// How a relay's front end is set up: what meets a client before any message of Nostr does.

extension RelayOptions {
    /// Limits of plain HTTP, and of connections until they are WebSockets.
    package var httpLimits: HTTPServer.Limits {
        var http = HTTPServer.Limits()
        http.body = 64 << 10
        http.requestTime = limits.requestTime
        http.idleTime = .seconds(30)
        http.connections = limits.connections
        return http
    }

    /// Listening, so that what waits for a client that does not read waits where it is counted.
    package func listener(_ options: ListenerOptions) -> ListenerOptions {
        var options = options
        options.highWaterMark = min(options.highWaterMark, 64 << 10)
        options.unsentBytes = 64 << 10
        options.connectionsPerSecond = options.connectionsPerSecond ?? limits.connectionsPerSecond
        return options
    }

    /// How WebSockets are spoken.
    package var webSocketServer: WebSocketServer {
        var server = WebSocketServer()
        server.compression = compresses ? CompressionPolicy() : nil
        server.options.limits = MessageLimits(
            frameBytes: limits.messageSize,
            messageBytes: limits.messageSize,
            inflatedBytes: limits.messageSize
        )
        server.options.messageTimeout = limits.messageTime
        // Small, so that what one turn of the loop has to deal with is.
        server.options.receiveBufferBytes = 64 << 10
        server.options.framesPerTurn = 16
        server.options.largestSentMessage = max(16 << 20, 2 * limits.messageSize)
        return server
    }
}
