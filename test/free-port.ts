/** Ports for programs that do not choose one themselves. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Returns a port such that nobody listens on it or on the next one. The port is below those that the kernel gives to
 * connections and to port 0, which other programs would get before the program listens.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if ((await isFree(port)) && (await isFree(port + 1))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .on('error', () => resolve(false))
      .listen(port, () => server.close(() => resolve(true)));
  });
}
