/** Asks a TCP port for its greeting: `nothing` without one. */
import { connect } from 'node:net';

/** Returns a program for a machine that asks and prints the answer. */
export const askScript = (host: string, port: number): string =>
  `const s = require('net').connect(${port}, '${host}'); s.setTimeout(3000, () => s.destroy(new Error()));
   s.on('error', () => console.log('nothing')); s.on('data', (d) => console.log(String(d)))`;

/** Connects to a port from this host, and returns what it sends. */
export function askFromHost(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    // Firewalled connections are dropped instead of refused, so the test only waits for a timeout.
    socket.setTimeout(3000, () => socket.destroy(new Error('no answer')));
    socket.on('error', () => resolve('nothing'));
    socket.on('data', (data) => resolve(data.toString()));
  });
}
