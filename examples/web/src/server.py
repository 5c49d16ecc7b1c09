#!/usr/bin/python3
"""Serves one page. Usage: server.py SETTINGS.json"""
import html, http.server, json, os, socket, sys, time

with open(sys.argv[1]) as file:
    settings = json.load(file)

PAGE = """<!doctype html>
<title>{title}</title>
<h1>{greeting}</h1>
<p>You are visitor number {visits}, served by {unit} from the store at {store}.</p>
"""


def store(line):
    with socket.create_connection((settings["host"], settings["store-port"]), timeout=3) as peer:
        peer.sendall((line + "\n").encode())
        peer.shutdown(socket.SHUT_WR)
        return peer.makefile().read().strip()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        try:
            values = {"greeting": store("GET greeting"), "visits": store("INCR visits")}
            status = 200
        except OSError as error:
            values = {"greeting": f"The store does not answer: {error}", "visits": "?"}
            status = 503
        values |= {"title": settings["title"], "unit": settings["unit"], "store": settings["host"]}
        body = PAGE.format(**{key: html.escape(value) for key, value in values.items()}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, text, *args):
        with open(settings["access-log"], "a") as log:
            log.write(f"{time.strftime('%FT%TZ', time.gmtime())} {self.client_address[0]} {text % args}\n")


class Server(http.server.ThreadingHTTPServer):
    allow_reuse_address = True


Server(("", settings["port"]), Handler).serve_forever()
