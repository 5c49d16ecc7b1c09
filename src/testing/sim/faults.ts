import { createRandom, type Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';
import { faultKinds, type FaultKind, type FaultRates } from './world.ts';

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
