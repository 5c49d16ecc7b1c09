#!/usr/bin/python3
"""Keeps what it is sent. Usage: server.py PORT FILE"""
import re, socketserver, sys, threading

port, path = int(sys.argv[1]), sys.argv[2]
# <priority>1 time host application process message-id structured-data message
MESSAGE = re.compile(r"<\d{1,3}>1 \S+ \S+ \S+ \S+ \S+ (-|\[.*?\])( .*)?")
lock = threading.Lock()
with open(path, "a+") as kept:
    kept.seek(0)
    count = sum(1 for _ in kept)


class Session(socketserver.StreamRequestHandler):
    def handle(self):
        global count
        for raw in self.rfile:
            line = raw.decode(errors="replace").rstrip("\r\n")
            if not MESSAGE.fullmatch(line):
                self.wfile.write(b"ERROR not a syslog message\n")
                continue
            with lock:
                with open(path, "a") as out:
                    out.write(line + "\n")
                count += 1
                number = count
            self.wfile.write(f"{number}\n".encode())


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


with Server(("", port), Session) as server:
    server.serve_forever()
