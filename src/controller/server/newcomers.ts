import type { Socket } from 'node:net';
import type { Clock } from '../../kit/clock.ts';
import type { Limits } from './context.ts';

interface Newcomer {
  readonly address: string;
  readonly socket: Socket;
  /** Time at which the connection is ended. */
  due: number;
  /** Stops counting the bytes that the connection sends. */
  unlimit?: () => void;
  /** Number of requests that are being answered: some need no login, and may take long. */
  serving: number;
  /** Number of further times that the connection may get its time again; undefined before a password was asked for. */
  renewals?: number;
}

/** Maximum number of times that a connection whose user is typing a password gets its time again. */
const renewalsMax = 5;

/** Key of a connection, the same for the TCP socket and for the TLS socket on it. */
type Connection = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/**
 * Connections without a login: their number is limited by address, and so is their age. Connections with a login are
 * not counted: thousands of agents may share an address.
 */
export class Newcomers {
  readonly #clock: Clock;
  readonly #limits: Limits;
  /** Open connections, ordered by the time at which they are due. */
  readonly #open = new Map<string, Newcomer>();
  readonly #ofAddress = new Map<string, number>();
  readonly #stopping = new AbortController();
  #sweeping = false;

  constructor(clock: Clock, limits: Limits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Adds a connection that was just opened; ends it at once when there are too many. */
  enter(socket: Socket): void {
    const address = socket.remoteAddress;
    // The connection is closed already.
    if (address === undefined) return void socket.destroy();
    const { newcomers, newcomersOfAddress, newcomersOfAddressWhenFull } = this.#limits;
    const max = this.#open.size < newcomers ? newcomersOfAddress : newcomersOfAddressWhenFull;
    const count = this.#ofAddress.get(address) ?? 0;
    if (count >= max) return void socket.destroy();
    this.#ofAddress.set(address, count + 1);
    const newcomer: Newcomer = { address, socket, due: this.#clock.now() + this.#limits.loginMs, serving: 0 };
    const key = keyOf(socket);
    this.#open.set(key, newcomer);
    socket.on('close', () => this.#forget(key, newcomer));
    if (!this.#sweeping) void this.#sweep();
  }

  /** Removes a connection on which somebody has logged in. */
  loggedIn(connection: Connection): void {
    const key = keyOf(connection);
    const newcomer = this.#open.get(key);
    if (newcomer) this.#forget(key, newcomer);
  }

  /** Gives a connection more time, once: its user has to type the password that the login asks for. */
  typesPassword(connection: Connection): void {
    const newcomer = this.#open.get(keyOf(connection));
    if (newcomer) newcomer.renewals ??= renewalsMax;
  }

  /** Stops reading the socket, and calls `onOver`, once it has sent too many bytes without a login. */
  limitBytes(socket: Socket, onLimit: () => void): void {
    const newcomer = this.#open.get(keyOf(socket));
    if (!newcomer) return;
    let count = 0;
    const onData = ({ length }: Buffer): void => {
      count += length;
      if (count <= this.#limits.newcomerBytes) return;
      socket.off('data', onData);
      socket.pause();
      onLimit();
    };
    socket.on('data', onData);
    newcomer.unlimit = () => socket.off('data', onData);
  }

  /** Marks a request on the connection as being answered until `done` is called. */
  serving(connection: Connection): { done: () => void } {
    const newcomer = this.#open.get(keyOf(connection));
    if (newcomer) newcomer.serving++;
    return { done: () => void (newcomer && newcomer.serving--) };
  }

  /** Ends all timeouts. */
  stop(): void {
    this.#stopping.abort(stopped);
  }

  /** One timer serves all connections: each has the same time, and most log in at once. */
  async #sweep(): Promise<void> {
    this.#sweeping = true;
    const { loginMs } = this.#limits;
    for (const [key, newcomer] of this.#open) {
      const remainingMs = newcomer.due - this.#clock.now();
      // More time than any connection gets means that the host's clock was set back.
      if (remainingMs > 0 && remainingMs <= loginMs) {
        try {
          await this.#clock.sleep(remainingMs, this.#stopping.signal);
        } catch (error) {
          if (error !== stopped) throw error;
          return;
        }
      }
      if (this.#open.get(key) !== newcomer) continue;
      if (newcomer.serving > 0 || (newcomer.renewals ?? 0) > 0) {
        if (newcomer.serving === 0) newcomer.renewals!--;
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
    const remaining = this.#ofAddress.get(newcomer.address)! - 1;
    if (remaining > 0) this.#ofAddress.set(newcomer.address, remaining);
    else this.#ofAddress.delete(newcomer.address);
  }
}

const stopped = new Error('the server stops');

const keyOf = ({ remoteAddress, remotePort }: Connection): string => `${remoteAddress} ${remotePort}`;
