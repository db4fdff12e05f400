#!/usr/bin/env python3
"""A look-alike of Apple's push service, on PyPI's h2: it says what it was sent and answers as it is told.

    apns_server.py --certificate FILE --key FILE --signer FILE [--streams N]

--signer is the public key of the provider tokens. The first line on standard output is {"port": N}; then one line for each
request: its header fields, its body in Base64, and what was found wrong with it; one when it is answered; and one for each
connection that has ended. Lines on standard input tell what to do with
requests for a device token, or for every other one with "*":

    {"token": "abc", "status": 400, "reason": "BadDeviceToken", "times": 1}
    {"token": "abc", "delay": 0.5} {"token": "abc", "reset": 7} {"token": "*", "silent": true}
    {"token": "abc", "goaway": true}       refuses this stream and all later ones of the connection
    {"token": "abc", "shutdown": true}     answers this one, and takes no more on the connection
    {"token": "abc", "close": true}        closes the connection without an answer
    {"token": "abc", "large": 100000}      answers with a body that is far too large
    {"token": "abc", "garbage": true}      sends bytes that are no HTTP/2
    {"token": "abc", "early": true}        answers before the request's body was read

What has been told is confirmed by a line {"told": N}. It ends with its standard input.
"""
import argparse
import asyncio
import base64
import json
import os
import ssl
import sys
import time

import h2.config
import h2.connection
import h2.events
import h2.settings
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

ORDER = [":method", ":scheme", ":authority", ":path"]


def say(message):
    try:
        print(json.dumps(message), flush=True)
    except BrokenPipeError:
        # Nobody listens any more.
        os._exit(0)


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Checks:
    """What Apple documents about a request."""

    def __init__(self, signer):
        with open(signer, "rb") as file:
            self.key = serialization.load_pem_public_key(file.read())
        self.tokens = set()

    def token(self, value):
        if not value.startswith("bearer "):
            return "the provider token is missing"
        text = value.removeprefix("bearer ")
        parts = text.split(".")
        if len(parts) != 3 or "=" in text:
            return "the provider token is not three parts without padding"
        head, claims, signature = json.loads(decode(parts[0])), json.loads(decode(parts[1])), decode(parts[2])
        if head.get("alg") != "ES256" or len(head.get("kid", "")) != 10 or set(head) - {"alg", "kid", "typ"}:
            return "the head of the provider token is wrong"
        if set(claims) != {"iss", "iat"} or len(claims["iss"]) != 10 or not isinstance(claims["iat"], int):
            return "the claims of the provider token are wrong"
        if abs(time.time() - claims["iat"]) > 3600:
            return "the provider token is too old"
        if len(signature) != 64:
            return "the signature of the provider token is not 64 bytes"
        numbers = utils.encode_dss_signature(
            int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
        )
        try:
            self.key.verify(numbers, f"{parts[0]}.{parts[1]}".encode(), ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            return "the signature of the provider token is wrong"
        self.tokens.add(text)
        return None

    def request(self, fields, body):
        wrong = []
        names = [name for name, _ in fields]
        values = dict(fields)
        if len(values) != len(fields):
            wrong.append("a field is there twice")
        if names[: len(ORDER)] != ORDER or any(name != name.lower() for name in names):
            wrong.append("the fields are not in the order of HTTP/2")
        if values.get(":method") != "POST" or values.get(":scheme") != "https":
            wrong.append("method or scheme")
        problem = self.token(values.get("authorization", ""))
        if problem:
            wrong.append(problem)
        if not values.get("apns-topic"):
            wrong.append("no topic")
        if values.get("apns-push-type") != "alert":
            wrong.append("no push type")
        if values.get("apns-priority") not in ("5", "10"):
            wrong.append("no priority")
        if not values.get("apns-expiration", "").isdigit():
            wrong.append("no expiration")
        if len(values.get("apns-collapse-id", "").encode()) > 64:
            wrong.append("the collapse id is too long")
        if not body or len(body) > 4096:
            wrong.append("the payload has a wrong size")
        else:
            try:
                if "aps" not in json.loads(body):
                    wrong.append("the payload has no aps")
            except ValueError:
                wrong.append("the payload is no JSON")
        return wrong


class Server:
    def __init__(self, arguments):
        self.arguments = arguments
        self.checks = Checks(arguments.signer)
        self.told = {}
        self.connections = 0

    def instruction(self, token):
        for key in (token, "*"):
            known = self.told.get(key)
            if known is None:
                continue
            if "times" in known:
                if known["times"] <= 0:
                    continue
                known["times"] -= 1
            return known
        return {}

    async def serve(self, reader, writer):
        self.connections += 1
        await Connection(self, reader, writer, self.connections).run()

    async def listen(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.arguments.certificate, self.arguments.key)
        context.set_alpn_protocols([self.arguments.alpn])
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=context)
        say({"port": server.sockets[0].getsockname()[1]})
        lines = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
        count = 0
        while line := await lines.readline():
            one = json.loads(line)
            self.told[one["token"]] = one
            count += 1
            say({"told": count})


class Connection:
    def __init__(self, server, reader, writer, number):
        self.server, self.reader, self.writer, self.number = server, reader, writer, number
        config = h2.config.H2Configuration(client_side=False, header_encoding="utf-8")
        self.h2 = h2.connection.H2Connection(config=config)
        self.h2.local_settings = h2.settings.Settings(
            client=False,
            initial_values={
                h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: server.arguments.streams,
                h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: server.arguments.window,
                h2.settings.SettingCodes.ENABLE_PUSH: 0,
            },
        )
        self.streams = {}
        self.last = 0
        self.refuses = False
        self.breaks = False

    def flush(self):
        data = self.h2.data_to_send()
        if data and not self.writer.is_closing():
            self.writer.write(data)

    async def run(self):
        self.h2.initiate_connection()
        self.flush()
        if self.server.arguments.goodbye:
            self.go_away()
        try:
            while data := await self.reader.read(65536):
                for event in self.h2.receive_data(data):
                    self.handle(event)
                self.flush()
        except (ConnectionError, ssl.SSLError, asyncio.CancelledError):
            pass
        except h2.exceptions.ProtocolError as error:
            say({"violation": str(error)})
            self.flush()
        finally:
            say({"ended": self.number, "at": time.time(), "broken": self.breaks})
            self.writer.close()

    def handle(self, event):
        if isinstance(event, h2.events.RequestReceived):
            if self.refuses:
                return
            self.streams[event.stream_id] = {"fields": event.headers, "body": b""}
            self.last = event.stream_id
            token = dict(event.headers)[":path"].rsplit("/", 1)[-1]
            one = self.server.instruction(token)
            self.streams[event.stream_id]["told"] = one
            if one.get("early"):
                self.respond(event.stream_id, 200, b"")
                try:
                    self.h2.reset_stream(event.stream_id, 0)
                except h2.exceptions.StreamClosedError:
                    # The body came with the head, so the answer has ended the stream already.
                    pass
                del self.streams[event.stream_id]
            if one.get("goaway"):
                del self.streams[event.stream_id]
                self.last = event.stream_id - 2
                self.go_away()
        elif isinstance(event, h2.events.DataReceived):
            if event.stream_id in self.streams:
                self.streams[event.stream_id]["body"] += event.data
            if event.flow_controlled_length:
                try:
                    self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                except h2.exceptions.ProtocolError:
                    # The stream was ended by an early answer.
                    pass
        elif isinstance(event, h2.events.StreamEnded):
            if event.stream_id in self.streams:
                asyncio.get_running_loop().create_task(self.finish(event.stream_id))
        elif isinstance(event, h2.events.StreamReset):
            self.streams.pop(event.stream_id, None)
            say({"reset": event.stream_id, "code": int(event.error_code)})

    def go_away(self):
        self.refuses = True
        self.flush()
        # h2 itself takes no more on a connection that it has closed, and some streams are still to be answered.
        frame = (8).to_bytes(3, "big") + b"\x07\x00" + (0).to_bytes(4, "big")
        self.writer.write(frame + max(0, self.last).to_bytes(4, "big") + (0).to_bytes(4, "big"))

    def respond(self, stream, status, body):
        fields = [(":status", str(status)), ("apns-id", "00000000-0000-0000-0000-000000000000")]
        self.h2.send_headers(stream, fields, end_stream=not body)
        if body:
            while body:
                room = min(len(body), self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
                if room <= 0:
                    return
                self.h2.send_data(stream, body[:room], end_stream=room == len(body))
                body = body[room:]

    async def finish(self, stream):
        one = self.streams.get(stream)
        if one is None:
            return
        told = one["told"]
        say(
            {
                "at": time.time(),
                "connection": self.number,
                "stream": stream,
                "fields": [[name, value] for name, value in one["fields"]],
                "body": base64.b64encode(one["body"]).decode(),
                "wrong": self.server.checks.request(one["fields"], one["body"]),
                "tokens": len(self.server.checks.tokens),
            }
        )
        if told.get("silent"):
            return
        if told.get("delay"):
            await asyncio.sleep(told["delay"])
        if stream not in self.streams:
            return
        try:
            if told.get("close"):
                self.breaks = True
                self.writer.transport.abort()
            elif told.get("garbage"):
                self.writer.write(b"\xff" * 100)
            elif "reset" in told:
                self.h2.reset_stream(stream, told["reset"])
            elif told.get("large"):
                self.respond(stream, 400, b"x" * told["large"])
            else:
                status = told.get("status", 200)
                body = json.dumps({"reason": told["reason"]}).encode() if "reason" in told else b""
                self.respond(stream, status, body)
                say({"answered": stream, "connection": self.number, "status": status})
                if told.get("shutdown"):
                    self.go_away()
        except h2.exceptions.ProtocolError:
            pass
        self.streams.pop(stream, None)
        self.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--certificate", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--signer", required=True)
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--window", type=int, default=65535)
    parser.add_argument("--alpn", default="h2")
    parser.add_argument("--goodbye", action="store_true", help="GOAWAY as soon as a connection is there")
    asyncio.run(Server(parser.parse_args()).listen())


main()
