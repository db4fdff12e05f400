"""Relays in processes of their own: linkstr's, nostr-sdk's and nostr-relay. Each has a url and a stop()."""
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

CONFIGURATION = """
DEBUG: false
relay_name: interop
relay_description: interop
storage:
  sqlalchemy.url: sqlite+aiosqlite:///{folder}/nostr.sqlite3
  validators:
    - nostr_relay.validators.is_signed
verification:
  nip05_verification: disabled
gunicorn:
  bind: 127.0.0.1:{port}
  workers: 1
  loglevel: critical
"""


class OwnRelay:
    def __init__(self, linkstr):
        command = [linkstr, "relay", "serve", "--listen", "127.0.0.1:0", "--in-memory"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
        self.url = self.process.stdout.readline().decode().strip()

    def stop(self):
        self.process.terminate()
        self.process.wait()


class SDKRelay:
    def __init__(self):
        command = [sys.executable, pathlib.Path(__file__).parent / "memory_relay.py"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.url = self.process.stdout.readline().decode().strip()

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class NostrRelay:
    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.folder = tempfile.TemporaryDirectory()
        configuration = pathlib.Path(self.folder.name, "config.yaml")
        configuration.write_text(CONFIGURATION.format(folder=self.folder.name, port=port))
        self.url = f"ws://127.0.0.1:{port}"
        with open(pathlib.Path(self.folder.name, "log"), "wb") as log:
            self.process = subprocess.Popen(
                [pathlib.Path(sys.executable).parent / "nostr-relay", "-c", configuration, "serve"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder.name, start_new_session=True,
            )
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                time.sleep(0.1)
        log = pathlib.Path(self.folder.name, "log").read_text()[-2000:]
        self.stop()
        raise SystemExit("nostr-relay does not start: " + log)

    def stop(self):
        # Asked to end it may wait for its workers for good, and they for their clients.
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.folder.cleanup()
