"""Waits a few seconds until the server on PORT takes connections. Exit code 1 when it does not."""
import socket, sys, time

for _ in range(50):
    try:
        socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=1).close()
        sys.exit(0)
    except OSError:
        time.sleep(0.1)
sys.exit(1)
