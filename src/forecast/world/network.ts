/**
 * Connections between hosts with the properties of TCP and WebSockets. Within one connection nothing is duplicated or
 * reordered below the frames, so faults of messages look as they do in reality:
 * - late: a message, and all that follow it on its connection, waits;
 * - lost: from that message on nothing gets through, until one side or both notice and the connection is lost;
 * - duplicated: the answer to a call that was carried out is lost with its connection, and the caller asks again;
 * - out of order: answers to concurrent calls overtake each other, as the frames allow, and connections overtake each
 * other anyway.
 */
import type { Faults } from './faults.ts';
import type { SimProcess } from './process.ts';
import type { Random } from './random.ts';
import { createRandom } from './random.ts';
import type { Scheduler } from './scheduler.ts';
import { SimSocket } from './socket.ts';

/** Host of processes. When it is cut off, it keeps its connections, half open. */
export interface SimHost {
  readonly name: string;
  /** Time until which the host is cut off. */
  cutUntil: number;
  /** Whether the host is gone or turned off: its connections end without a close frame. */
  off: boolean;
}

interface Listener {
  readonly process: SimProcess;
  readonly host: SimHost;
  readonly onConnection: (socket: SimSocket, from: { path: string; remote: string }) => void;
}

/** The same timeout as in ws. */
const handshakeTimeoutMs = 20_000;

export class SimNetwork {
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly random: Random;
  readonly #listeners = new Map<string, Listener>();
  /** Time until which two hosts are cut off from each other, by their names. */
  readonly #cuts = new Map<string, number>();

  constructor(options: { seed: number; scheduler: Scheduler; faults: Faults }) {
    this.scheduler = options.scheduler;
    this.faults = options.faults;
    this.random = createRandom(options.seed, 'network');
  }

  /** Listens until the process dies. */
  listen(address: string, listener: Listener): void {
    this.#listeners.set(address, listener);
  }

  /** Returns the latency between two hosts, in milliseconds. */
  latency(): number {
    return this.random.skewed(0.1, 5);
  }

  /** Cuts two hosts off from each other, and from nobody else, for this long. */
  cut(a: SimHost, b: SimHost, ms: number): void {
    for (const key of [`${a.name} ${b.name}`, `${b.name} ${a.name}`])
      this.#cuts.set(key, Math.max(this.#cuts.get(key) ?? 0, this.scheduler.now + ms));
  }

  /** Ends all cuts between two hosts. */
  heal(): void {
    this.#cuts.clear();
  }

  /** Milliseconds until the two hosts can reach each other; 0 or less = now. */
  cutFor(a: SimHost, b: SimHost): number {
    const both = this.#cuts.get(`${a.name} ${b.name}`) ?? 0;
    return Math.max(a.cutUntil, b.cutUntil, both) - this.scheduler.now;
  }

  /** Resolves when the WebSocket is open; errors are the operating system's. */
  connect(
    process: SimProcess,
    host: SimHost,
    address: string,
    path: string,
    signal?: AbortSignal,
  ): Promise<SimSocket> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      if (!process.does('connect', `${address}${path}`)) return;
      let pending = true;
      const settle = (settled: () => void): void => {
        if (!pending) return;
        pending = false;
        signal?.removeEventListener('abort', onAbort);
        timeout.cancelled = true;
        settled();
      };
      const onAbort = (): void => settle(() => reject(signal!.reason as Error));
      signal?.addEventListener('abort', onAbort, { once: true });
      const timeout = process.after(handshakeTimeoutMs, 'handshake timeout', () =>
        settle(() => reject(new Error('Opening handshake has timed out'))),
      );
      // Another process may be listening by then.
      const answer = (): void => {
        const listener = this.#listeners.get(address);
        if (listener && this.#isSilent(host, listener.host)) return;
        const back = this.latency();
        if (!listener?.process.alive || this.faults.happens('connection-refused')) {
          process.after(back, 'refused', () =>
            settle(() => reject(new Error(`connect ECONNREFUSED ${address}`))),
          );
          return;
        }
        const [client, server] = SimSocket.pair(this, { process, host }, listener);
        listener.onConnection(server, { path, remote: host.name });
        process.after(back, 'connected', () => {
          if (pending) settle(() => resolve(client));
          else client.terminate();
        });
      };
      const there = this.latency();
      const listener = this.#listeners.get(address);
      if (listener?.process.alive) listener.process.after(there, 'accept', answer);
      else this.scheduler.after(there, 'network', 'nobody there', answer);
    });
  }

  #isSilent(a: SimHost, b: SimHost): boolean {
    return a.off || b.off || this.cutFor(a, b) > 0;
  }
}
