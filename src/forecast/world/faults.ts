import { createRandom, type Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

/** Kinds of random faults. Each kind has a rate, and is counted each time that it happens. */
export const faultKinds = [
  // Faults of processes and machines; rates are per simulated hour, for the controller and for each machine.
  'controller-crash',
  'agent-crash',
  'machine-reboot',
  'machine-lost',
  'partition',
  'clock-forward',
  'clock-back',
  'operator-disconnect',
  // Faults of the network; probabilities for each message, or each attempt to connect.
  'message-late',
  'message-lost',
  'answer-lost',
  'answers-reordered',
  'connection-reset',
  'connection-half-open',
  'connection-refused',
  // Faults of contents of resources; probabilities for each transfer.
  'upload-cut',
  'download-cut',
  // Faults of the controller's disk; probabilities for each write.
  'disk-slow',
  'disk-error',
  'crash-before-durable',
  'crash-after-durable',
  // Faults of the cloud; probabilities for each call, and for each instance that boots.
  'cloud-transient',
  'cloud-zonal',
  'cloud-quota',
  'cloud-credential',
  'cloud-bad-request',
  'cloud-answer-lost',
  'cloud-slow',
  'boot-slow',
  // Faults of storage; probabilities for each call about a volume, and for each step of a machine's agent.
  'volume-failed',
  'volume-hung',
  'mount-failed',
  'mount-hung',
  // Faults of the secret backend; probabilities for each request. `vault-away` begins an outage.
  'vault-away',
  'vault-silent',
  'vault-slow',
  'vault-failed',
  'vault-answer-lost',
  // Faults between models; probabilities for each call of an offering model by a consuming one.
  'crossing-late',
  'crossing-failed',
  'crossing-answer-lost',
  // Faults of charms; probabilities for each run of a hook.
  'hook-failed',
  'hook-slow',
  'hook-killed',
  'hook-reboot',
] as const;
export type FaultKind = (typeof faultKinds)[number];
export type FaultRates = Readonly<Partial<Record<FaultKind, number>>>;

/** Rates of faults, and counters. Each kind has its own random stream. */
export class Faults {
  readonly counts: Record<FaultKind, number>;
  readonly calls: Record<string, number> = {};
  readonly #rates = new Map<FaultKind, number>();
  readonly #streams = new Map<FaultKind, Random>();
  readonly #scheduler: Scheduler;

  constructor(options: { seed: number; rates: FaultRates; scheduler: Scheduler }) {
    this.#scheduler = options.scheduler;
    this.counts = Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Record<FaultKind, number>;
    for (const kind of faultKinds) this.#streams.set(kind, createRandom(options.seed, `fault ${kind}`));
    this.set(options.rates);
  }

  set(rates: FaultRates): void {
    for (const kind of faultKinds) {
      const rate = rates[kind];
      if (rate !== undefined) this.#rates.set(kind, rate);
    }
  }

  rate(kind: FaultKind): number {
    return this.#rates.get(kind) ?? 0;
  }

  /** Whether a fault happens now; for kinds whose rate is a probability. */
  happens(kind: FaultKind): boolean {
    if (!this.stream(kind).chance(this.rate(kind))) return false;
    this.note(kind);
    return true;
  }

  /** Returns the random stream of a kind, from which the severity of a fault is drawn. */
  note(kind: FaultKind): void {
    this.counts[kind]++;
    this.#scheduler.trace.note('fault', kind, '');
  }

  /** Returns the random stream of a kind, from which the severity of a fault is drawn. */
  stream(kind: FaultKind): Random {
    return this.#streams.get(kind)!;
  }
}
