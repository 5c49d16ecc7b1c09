/**
 * Connections between hosts, as TCP and WebSockets give them. Within one connection nothing is doubled or overtaken
 * below the frames, so what networks do to messages happens here as it does in reality:
 * - late: a message, and all that follow it on its connection, waits;
 * - lost: from that message on nothing gets through, until one side or both find out and the connection is lost;
 * - doubled: the answer to a call that was carried out is lost with its connection, and the caller asks again;
 * - out of order: answers to calls under way at the same time overtake each other, as the frames allow, and
 *   connections overtake each other by themselves.
 */
import type { Faults } from './faults.ts';
import type { SimProcess } from './process.ts';
import type { Random } from './random.ts';
import { createRandom } from './random.ts';
import type { Scheduler } from './scheduler.ts';
import { SimSocket } from './socket.ts';

/** Where processes run. A host that is cut off keeps its connections, half open. */
export interface SimHost {
  readonly name: string;
  /** Nothing passes until then. */
  cutUntil: number;
  /** It is gone, or was turned off: it does not even say goodbye. */
  off: boolean;
}

export interface Listener {
  readonly process: SimProcess;
  readonly host: SimHost;
  readonly onConnection: (socket: SimSocket, from: { path: string; remote: string }) => void;
}

/** As ws has it. */
const handshakeTimeoutMs = 20_000;

export class SimNetwork {
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly random: Random;
  readonly #listeners = new Map<string, Listener>();

  constructor(options: { seed: number; scheduler: Scheduler; faults: Faults }) {
    this.scheduler = options.scheduler;
    this.faults = options.faults;
    this.random = createRandom(options.seed, 'network');
  }

  /** Until the process dies. */
  listen(address: string, listener: Listener): void {
    this.#listeners.set(address, listener);
  }

  /** Between two hosts, in milliseconds. */
  latency(): number {
    return this.random.skewed(0.1, 5);
  }

  /** How long from now nothing passes between the two; 0 = it passes. */
  cutFor(a: SimHost, b: SimHost): number {
    return Math.max(a.cutUntil, b.cutUntil) - this.scheduler.now;
  }

  /** Resolves when the WebSocket is open; errors as the operating system's. */
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
      // Asked now: by then it may be another that listens.
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
