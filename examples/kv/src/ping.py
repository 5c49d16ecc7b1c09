"""Waits a few seconds until the server at HOST:PORT answers. Exit code 1 when it does not."""
import socket, sys, time

host, port = sys.argv[1].rsplit(":", 1)
for _ in range(50):
    try:
        with socket.create_connection((host, int(port)), timeout=1) as server:
            server.sendall(b"PING\n")
            server.shutdown(socket.SHUT_WR)
            if server.makefile().read().strip() == "PONG":
                sys.exit(0)
    except OSError:
        time.sleep(0.1)
sys.exit(1)
