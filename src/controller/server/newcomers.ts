import type { Socket } from 'node:net';
import type { Clock } from '../../kit/clock.ts';
import type { Limits } from './context.ts';

interface Newcomer {
  readonly address: string;
  readonly socket: Socket;
  /** When it ends. */
  due: number;
  /** Counts no more of what it brings. */
  unlimit?: () => void;
  /** Requests that are being answered: some need no login, and may take long. */
  serving: number;
}

/** What tells connections apart, of the TCP socket and of the TLS socket on it alike. */
type Connection = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/**
 * The connections on which nobody has logged in yet: so many at a time of one address, and for so long. Those that
 * have logged in are not counted: thousands of agents may share an address.
 */
export class Newcomers {
  readonly #clock: Clock;
  readonly #limits: Limits;
  /** The first that is due comes first. */
  readonly #open = new Map<string, Newcomer>();
  readonly #ofAddress = new Map<string, number>();
  readonly #over = new AbortController();
  #sweeping = false;

  constructor(clock: Clock, limits: Limits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** A connection that was just opened; ends it at once when there are too many. */
  enter(socket: Socket): void {
    const address = socket.remoteAddress;
    // It is gone already.
    if (address === undefined) return void socket.destroy();
    const { newcomers, newcomersOfAddress, newcomersOfAddressWhenFull } = this.#limits;
    const max = this.#open.size < newcomers ? newcomersOfAddress : newcomersOfAddressWhenFull;
    const count = this.#ofAddress.get(address) ?? 0;
    if (count >= max) return void socket.destroy();
    this.#ofAddress.set(address, count + 1);
    const newcomer = { address, socket, due: this.#clock.now() + this.#limits.loginMs, serving: 0 };
    const key = keyOf(socket);
    this.#open.set(key, newcomer);
    socket.on('close', () => this.#forget(key, newcomer));
    if (!this.#sweeping) void this.#sweep();
  }

  /** Somebody has logged in on it. */
  loggedIn(connection: Connection): void {
    const key = keyOf(connection);
    const newcomer = this.#open.get(key);
    if (newcomer) this.#forget(key, newcomer);
  }

  /** Reads no more of it, and calls `onOver`, once it has brought too much from now on without a login. */
  limitBytes(socket: Socket, onOver: () => void): void {
    const newcomer = this.#open.get(keyOf(socket));
    if (!newcomer) return;
    let count = 0;
    const onData = ({ length }: Buffer): void => {
      count += length;
      if (count <= this.#limits.newcomerBytes) return;
      socket.off('data', onData);
      socket.pause();
      onOver();
    };
    socket.on('data', onData);
    newcomer.unlimit = () => socket.off('data', onData);
  }

  /** A request on it is being answered until `done` is called. */
  serving(connection: Connection): { done: () => void } {
    const newcomer = this.#open.get(keyOf(connection));
    if (newcomer) newcomer.serving++;
    return { done: () => void (newcomer && newcomer.serving--) };
  }

  /** Nobody is ended for being late any more. */
  stop(): void {
    this.#over.abort(stopped);
  }

  /** One wait for all: each has the same time, and most log in at once. */
  async #sweep(): Promise<void> {
    this.#sweeping = true;
    const { loginMs } = this.#limits;
    for (const [key, newcomer] of this.#open) {
      const left = newcomer.due - this.#clock.now();
      // More than there ever was: the host's clock was set back.
      if (left > 0 && left <= loginMs) {
        try {
          await this.#clock.sleep(left, this.#over.signal);
        } catch (error) {
          if (error !== stopped) throw error;
          return;
        }
      }
      if (this.#open.get(key) !== newcomer) continue;
      if (newcomer.serving > 0) {
        newcomer.due = this.#clock.now() + loginMs;
        this.#open.delete(key);
        this.#open.set(key, newcomer);
      } else newcomer.socket.destroy();
    }
    this.#sweeping = false;
  }

  #forget(key: string, newcomer: Newcomer): void {
    // Another connection may have the same port by now.
    if (this.#open.get(key) !== newcomer) return;
    this.#open.delete(key);
    newcomer.unlimit?.();
    const left = this.#ofAddress.get(newcomer.address)! - 1;
    if (left > 0) this.#ofAddress.set(newcomer.address, left);
    else this.#ofAddress.delete(newcomer.address);
  }
}

const stopped = new Error('the server stops');

const keyOf = ({ remoteAddress, remotePort }: Connection): string => `${remoteAddress} ${remotePort}`;
