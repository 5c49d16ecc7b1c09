#!/usr/bin/python3
"""Passes GET requests on. Usage: server.py PORT BACKENDS.json, a list of [host, port]"""
import http.client, http.server, itertools, json, sys

turns = itertools.count()


def answer_of(host, port, path):
    """The status and body of a backend; None when it is of no use."""
    connection = http.client.HTTPConnection(host, port, timeout=3)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        body = response.read()
        return None if response.status >= 500 else (response.status, response.getheader("Content-Type", ""), body)
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open(sys.argv[2]) as file:
            backends = json.load(file)
        first = next(turns)
        answer = None
        for n in range(len(backends)):
            answer = answer_of(*backends[(first + n) % len(backends)], self.path)
            if answer:
                break
        status, kind, body = answer or (502, "text/plain", b"no web server answers\n")
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    allow_reuse_address = True


Server(("", int(sys.argv[1])), Handler).serve_forever()
