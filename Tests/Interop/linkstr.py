"""Calls the linkstr executable."""
import json
import os
import subprocess
import tempfile


class Linkstr:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments, lines=(), code=0):
        """Gives the lines of standard output; the exit code must be the expected one."""
        done = subprocess.run(
            [self.path, *arguments],
            input="".join(line + "\n" for line in lines).encode(),
            capture_output=True,
            timeout=600,
            env={"PATH": os.environ["PATH"]},
        )
        if done.returncode != code:
            raise SystemExit(f"linkstr {' '.join(arguments[:2])}: exit {done.returncode}: {done.stderr.decode()[:500]}")
        return done.stdout.decode().splitlines()

    def json(self, *arguments, lines=()):
        return [json.loads(line) for line in self.run(*arguments, lines=lines)]

    def with_passphrase(self, passphrase, *arguments):
        with tempfile.NamedTemporaryFile("wb") as file:
            os.chmod(file.name, 0o600)
            file.write(passphrase.encode())
            file.flush()
            return self.run(*arguments, "--passphrase-file", file.name)
