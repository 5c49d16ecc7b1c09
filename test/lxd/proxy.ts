/** Proxy before LXD's socket that counts requests, and makes one of them fail as the network or LXD might. */
import { rmSync } from 'node:fs';
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Passing {
  /** Number of the request, from 1 since the proxy started or was reset. */
  readonly n: number;
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
}

/**
 * What becomes of a request before LXD sees it, or of LXD's answer before the client does:
 *
 * - `pass`
 * - `cut`: the connection ends
 * - `hang`: nothing more is heard of it until `release`, which cuts it
 * - a status: this answer instead, as LXD words an error
 */
type Fate = 'pass' | 'cut' | 'hang' | { readonly status: number; readonly error: string };

interface Rules {
  readonly before?: (passing: Passing) => Fate;
  /** Decides about the answer, once LXD has carried the request out. */
  readonly after?: (passing: Passing) => Fate;
}

export interface Proxy {
  readonly socket: string;
  /** All requests since the last reset, in order. */
  readonly seen: readonly Passing[];
  /** Sets the rules and restarts the count at 1; {} = everything passes. */
  reset(rules: Rules): void;
  /** Ends hanging requests. */
  release(): void;
  close(): Promise<void>;
}

export async function startProxy(upstream: string, socket: string): Promise<Proxy> {
  let rules: Rules = {};
  let seen: Passing[] = [];
  const hanging = new Set<Socket>();
  const sockets = new Set<Socket>();

  const pass = (request: IncomingMessage): Passing => {
    const passing = { n: seen.length + 1, method: request.method ?? '', path: request.url ?? '' };
    seen.push(passing);
    return passing;
  };

  /** Applies a fate. Returns true when the request goes on. */
  const meets = (fate: Fate, request: IncomingMessage, response: ServerResponse): boolean => {
    if (fate === 'pass') return true;
    if (fate === 'hang') hanging.add(request.socket);
    else if (fate === 'cut') request.socket.destroy();
    else {
      // Body of an error: LXD has the code in the body, too.
      const body = JSON.stringify({ type: 'error', error: fate.error, error_code: fate.status });
      response.writeHead(fate.status, { 'content-type': 'application/json' }).end(body);
    }
    return false;
  };

  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 60_000 }, (request, response) => {
    const passing = pass(request);
    const mine = rules;
    if (!meets(mine.before?.(passing) ?? 'pass', request, response)) return;
    const { method, headers, url: path } = request;
    const onward = send({ socketPath: upstream, method, headers, path }, (answer) => {
      if (!meets(mine.after?.(passing) ?? 'pass', request, response)) {
        answer.resume();
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on('error', () => request.socket.destroy());
    });
    onward.on('error', () => request.socket.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  server.on('connection', (one) => {
    sockets.add(one);
    one.on('error', () => undefined);
    one.on('close', () => {
      sockets.delete(one);
      hanging.delete(one);
    });
  });
  rmSync(socket, { force: true });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve));

  return {
    socket,
    get seen() {
      return seen;
    },
    reset(next) {
      rules = next;
      seen = [];
    },
    release() {
      for (const one of hanging) one.destroy();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const one of sockets) one.destroy();
      await closed;
    },
  };
}
