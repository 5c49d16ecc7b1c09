"""Prints the first free port from the given one on."""
import socket, sys

for port in range(int(sys.argv[1]), 65536):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError:
            continue
    print(port)
    break
