/** Port of this machine that stays the same while servers behind it come and go. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export class TcpGate implements AsyncDisposable {
  readonly #server = createServer((socket) => this.#accept(socket));
  readonly #sockets = new Set<Socket>();
  /** Port behind the gate; undefined: connections are refused. */
  #port: number | undefined;
  #isSilent = false;

  static async open(): Promise<TcpGate> {
    const gate = new TcpGate();
    await new Promise<void>((resolve) => gate.#server.listen(0, '127.0.0.1', resolve));
    return gate;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Number of connections to the gate. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Lets connections through to this port of the machine. */
  lead(port: number): void {
    this.#port = port;
    this.#isSilent = false;
  }

  /** Takes new connections, and all that they send, and never answers. */
  swallow(): void {
    this.#isSilent = true;
  }

  /** Ends all connections, and lets none through until the gate leads to a server again. */
  shut(): void {
    this.#port = undefined;
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.shut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(outer: Socket): void {
    if (this.#isSilent) {
      this.#sockets.add(outer);
      outer.on('error', () => undefined).on('close', () => this.#sockets.delete(outer));
      return void outer.resume();
    }
    if (this.#port === undefined) return void outer.destroy();
    const inner = connect(this.#port, '127.0.0.1');
    for (const [socket, other] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
