#!/usr/bin/python3
"""The database server. Usage: server.py PORT DATA LOG; DATA/USER.account holds a database's name and the password."""
import hmac, json, os, socketserver, sqlite3, sys, time

port, data, log = int(sys.argv[1]), sys.argv[2], sys.argv[3]


def may(action, *_):
    """An account has its own database, not the files of others."""
    return sqlite3.SQLITE_DENY if action in (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH) else sqlite3.SQLITE_OK


def database_of(user, password):
    if not str(user).isdigit():
        raise PermissionError("no such user")
    try:
        with open(os.path.join(data, f"{user}.account")) as account:
            database, known = account.read().split()
    except FileNotFoundError:
        raise PermissionError("no such user") from None
    if not hmac.compare_digest(known.encode(), str(password).encode()):
        raise PermissionError("wrong password")
    return database


def answer(line, client):
    try:
        query = json.loads(line)
        database = database_of(query["user"], query["password"])
        connection = sqlite3.connect(os.path.join(data, f"{database}.sqlite"), timeout=10)
        try:
            connection.set_authorizer(may)
            with connection:
                rows = connection.execute(query["sql"], query.get("args", [])).fetchall()
        finally:
            connection.close()
    except (ValueError, KeyError, TypeError, AttributeError, PermissionError, sqlite3.Error, sqlite3.Warning) as error:
        return {"error": f"{type(error).__name__}: {error}"}
    with open(log, "a") as out:
        out.write(f"{time.strftime('%FT%TZ', time.gmtime())} {client} {database} {' '.join(query['sql'].split())}\n")
    return {"rows": rows}


class Session(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.wfile.write((json.dumps(answer(line, self.client_address[0]), default=str) + "\n").encode())


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


with Server(("", port), Session) as server:
    server.serve_forever()
