#!/usr/bin/python3
"""Serves the blog: GET shows it, POST adds the body as a post. Usage: server.py SETTINGS.json"""
import html, http.server, json, socket, sys, time

with open(sys.argv[1]) as file:
    settings = json.load(file)

PAGE = """<!doctype html>
<title>{title}</title>
<h1>{title}</h1>
{posts}
<p>You are visitor number {visits}, served by {unit} from the database at {host}.</p>
"""
database = settings["database"]


def sql(*queries):
    """Rows of each (text, arguments)."""
    with socket.create_connection((database["host"], int(database["port"])), timeout=5) as server:
        stream = server.makefile("rw")
        results = []
        for text, args in queries:
            print(json.dumps({"user": database["user"], "password": database["password"], "sql": text, "args": args}),
                  file=stream, flush=True)
            answer = json.loads(stream.readline() or '{"error": "the database hung up"}')
            if "error" in answer:
                raise OSError(answer["error"])
            results.append(answer["rows"])
        return results


TABLES = (
    ("CREATE TABLE IF NOT EXISTS posts (id INTEGER PRIMARY KEY, text TEXT NOT NULL)", []),
    ("CREATE TABLE IF NOT EXISTS visits (id INTEGER PRIMARY KEY, unit TEXT NOT NULL)", []),
)
WELCOME = "INSERT INTO posts SELECT 1, ? WHERE NOT EXISTS (SELECT * FROM posts)"


def show():
    *_, posts, visits = sql(
        *TABLES,
        (WELCOME, [f"Welcome to {settings['title']}"]),
        ("INSERT INTO visits (unit) VALUES (?)", [settings["unit"]]),
        ("SELECT text FROM posts ORDER BY id", []),
        ("SELECT count(*) FROM visits", []),
    )
    values = {"title": settings["title"], "unit": settings["unit"], "host": database["host"], "visits": str(visits[0][0])}
    shown = "\n".join(f"<article>{html.escape(text)}</article>" for (text,) in posts)
    return PAGE.format(posts=shown, **{key: html.escape(value) for key, value in values.items()})


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(show)

    def do_POST(self):
        text = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode(errors="replace")
        self.answer(lambda: sql(*TABLES, ("INSERT INTO posts (text) VALUES (?)", [text])) and "<p>Posted</p>\n")

    def answer(self, make):
        try:
            status, page = 200, make()
        except OSError as error:
            status, page = 503, f"<p>The database does not answer: {html.escape(str(error))}</p>\n"
        body = page.encode()
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
