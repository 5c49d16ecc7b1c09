import { EventEmitter } from 'node:events';
import type { FrameSocket } from '../../client/frames.ts';
import type { SessionSocket } from '../../controller/server/session.ts';
import type { SimHost, SimNetwork } from './network.ts';
import type { SimProcess } from './process.ts';
import type { SimEvent } from './scheduler.ts';

type Packet =
  | { readonly kind: 'text'; readonly text: string; readonly at: number }
  | { readonly kind: 'ping' | 'pong' | 'reset'; readonly at: number }
  | { readonly kind: 'close'; readonly code: number; readonly reason: string; readonly at: number };

interface Side {
  readonly process: SimProcess;
  readonly host: SimHost;
}

/** The same timeout as in ws. */
const closeTimeoutMs = 30_000;
/** Maximum time in milliseconds that a peer takes to notice a broken connection by itself. */
const findOutMs = 60_000;
const lateMs = 30_000;
const overtakenMs = 500;
const open = 1;
const closing = 2;
const closed = 3;

/** One end of a connection: the part of a WebSocket that sessions and clients use. */
export class SimSocket implements FrameSocket, SessionSocket {
  /** Creates both ends; the first is the client's. */
  static pair(network: SimNetwork, client: Side, server: Side): [SimSocket, SimSocket] {
    const a = new SimSocket(network, client, false);
    const b = new SimSocket(network, server, true);
    a.#peer = b;
    b.#peer = a;
    for (const end of [a, b]) end.#forgetDeath = end.#process.onDeath(() => end.#died());
    return [a, b];
  }

  readonly OPEN = open;
  readonly isPaused = false;
  readonly bufferedAmount = 0;
  readyState = open;
  readonly #network: SimNetwork;
  readonly #process: SimProcess;
  readonly #host: SimHost;
  readonly #isServer: boolean;
  readonly #events = new EventEmitter();
  /** Packets on their way to this end. */
  readonly #incoming: Packet[] = [];
  #delivery: SimEvent | undefined;
  /** Whether nothing reaches this end any more, and it has not noticed. */
  #deaf = false;
  /** The other end; this one until both are connected. */
  #peer: SimSocket = this;
  #forgetDeath: () => void = () => undefined;

  private constructor(network: SimNetwork, { process, host }: Side, isServer: boolean) {
    this.#network = network;
    this.#process = process;
    this.#host = host;
    this.#isServer = isServer;
  }

  // The listener's arguments depend on the event, as both interfaces say.
  on(event: string, listener: (...args: never[]) => void): unknown {
    return this.#events.on(event, listener as (...args: unknown[]) => void);
  }

  pause(): void {}
  resume(): void {}

  send(text: string, done: (error?: Error | null) => void): void {
    if (!this.#process.does('send', text)) return;
    if (this.readyState !== open) return done(new Error('WebSocket is not open'));
    done();
    const { faults } = this.#network;
    if (faults.happens('connection-reset')) return this.#break('both');
    if (faults.happens('connection-half-open'))
      return this.#break(faults.stream('connection-half-open').chance(0.5) ? 'own' : 'other');
    if (faults.happens('message-lost')) return this.#lose();
    if (this.#isServer && faults.happens('answer-lost')) return this.#break('both');
    let delay = this.#network.latency();
    if (faults.happens('message-late')) delay += faults.stream('message-late').skewed(10, lateMs);
    if (this.#isServer && faults.happens('answers-reordered')) {
      const held = delay + faults.stream('answers-reordered').skewed(1, overtakenMs);
      this.#network.scheduler.after(held, 'network', 'overtaken', () =>
        this.#peer.#expect({ kind: 'text', text, at: this.#network.scheduler.now }),
      );
      return;
    }
    this.#transmit({ kind: 'text', text, at: this.#network.scheduler.now + delay });
  }

  ping(): void {
    if (this.readyState === open && this.#process.does('ping')) this.#transmit(this.#packet('ping'));
  }

  close(code = 1005, reason = ''): void {
    if (this.readyState !== open || !this.#process.does('close', reason)) return;
    this.readyState = closing;
    this.#transmit({ kind: 'close', code, reason, at: this.#arrival() });
    this.#process.after(closeTimeoutMs, 'close timeout', () => this.#end(1006, ''));
  }

  terminate(): void {
    if (this.readyState === closed || !this.#process.does('terminate')) return;
    this.readyState = closing;
    this.#transmit(this.#packet('reset'));
    this.#process.after(0, 'terminated', () => this.#end(1006, ''));
  }

  /** Ends the connection as the operating system does for a dead process; a host that is off does nothing. */
  #died(): void {
    if (this.readyState === closed) return;
    this.readyState = closed;
    if (!this.#host.off) this.#transmit(this.#packet('reset'));
  }

  #arrival(): number {
    return this.#network.scheduler.now + this.#network.latency();
  }

  #packet(kind: 'ping' | 'pong' | 'reset'): Packet {
    return { kind, at: this.#arrival() };
  }

  /** Sends a packet; it never arrives before earlier ones. */
  #transmit(packet: Packet): void {
    const peer = this.#peer;
    if (peer.#deaf || this.#host.off) return;
    const before = peer.#incoming.at(-1);
    peer.#expect(before && before.at > packet.at ? { ...packet, at: before.at } : packet);
  }

  #expect(packet: Packet): void {
    if (this.#deaf || this.readyState === closed) return;
    this.#incoming.push(packet);
    if (!this.#delivery) this.#await();
  }

  /** Schedules one event for each packet, at its time. */
  #await(): void {
    const next = this.#incoming[0];
    if (!next) return;
    const { scheduler } = this.#network;
    const name = next.kind === 'text' ? 'message' : next.kind;
    this.#delivery = this.#process.after(next.at - scheduler.now, name, () => {
      this.#delivery = undefined;
      if (this.#deaf || this.readyState === closed || this.#host.off) return;
      const cut = this.#network.cutFor(this.#host, this.#peer.#host);
      if (cut > 0) return this.#retransmitted(cut);
      const packet = this.#incoming.shift();
      if (packet) this.#receive(packet);
      this.#await();
    });
  }

  /**
   * Returns the delay after a cut: lost packets are sent again at growing intervals, so they arrive some time after the
   * cut.
   */
  #retransmitted(cut: number): void {
    const { scheduler, random } = this.#network;
    const at = scheduler.now + cut + random.skewed(0, cut);
    const first = this.#incoming[0];
    if (first) this.#incoming[0] = { ...first, at };
    this.#await();
  }

  #receive(packet: Packet): void {
    switch (packet.kind) {
      case 'text':
        if (this.readyState === open) this.#events.emit('message', Buffer.from(packet.text), false);
        return;
      case 'ping':
        if (this.readyState === open && this.#process.does('pong')) this.#transmit(this.#packet('pong'));
        this.#events.emit('ping');
        return;
      case 'pong':
        this.#events.emit('pong');
        return;
      case 'close':
        if (this.readyState === open && this.#process.does('close', ''))
          this.#transmit({ ...packet, at: this.#arrival() });
        return this.#end(packet.code, packet.reason);
      case 'reset':
        return this.#end(1006, '');
    }
  }

  #end(code: number, reason: string): void {
    if (this.readyState === closed) return;
    this.readyState = closed;
    this.#forgetDeath();
    this.#incoming.length = 0;
    this.#events.emit('close', code, Buffer.from(reason));
  }

  /** Breaks the connection. `told`: ends that notice at once; the other end receives nothing any more. */
  #break(told: 'both' | 'own' | 'other'): void {
    const ends = { both: [this, this.#peer], own: [this], other: [this.#peer] }[told];
    for (const end of [this, this.#peer]) end.#goDeaf();
    for (const end of ends) end.#findOut(this.#network.latency());
  }

  /** Loses everything that is sent from here; the sender notices when its data are not acknowledged, or never. */
  #lose(): void {
    const { faults } = this.#network;
    const lost = faults.stream('message-lost');
    this.#peer.#goDeaf();
    this.#findOut(lost.skewed(200, findOutMs));
    if (lost.chance(0.5)) this.#peer.#findOut(lost.skewed(200, findOutMs));
  }

  #goDeaf(): void {
    this.#deaf = true;
    this.#incoming.length = 0;
  }

  #findOut(delay: number): void {
    if (this.readyState !== closed) this.#process.after(delay, 'reset', () => this.#end(1006, ''));
  }
}
