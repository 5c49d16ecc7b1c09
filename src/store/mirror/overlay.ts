import { Delta } from './delta.ts';
import type { Entry } from './entry-set.ts';
import type { Mirror } from './mirror.ts';
import { everything, type Rows } from './table.ts';

/** Deltas over the whole mirror, created per space and kind when first written to. */
export class Overlay {
  readonly #mirror: Mirror;
  readonly #spaces = new Map<string, Map<string, Delta>>();

  constructor(mirror: Mirror) {
    this.#mirror = mirror;
  }

  rows(space: string, kind: string): Rows | undefined {
    return this.own(space, kind) ?? this.#mirror.table(space, kind);
  }

  own(space: string, kind: string): Delta | undefined {
    return this.#spaces.get(space)?.get(kind);
  }

  /** The delta to write to; created when there is none. */
  delta(space: string, kind: string): Delta {
    let deltas = this.#spaces.get(space);
    if (!deltas) this.#spaces.set(space, (deltas = new Map()));
    let delta = deltas.get(kind);
    if (!delta) {
      delta = new Delta(() => this.#mirror.table(space, kind), this.#mirror.functions(kind));
      deltas.set(kind, delta);
    }
    return delta;
  }

  /** Records the value before a change; an older value that is recorded already is kept. */
  layBefore(change: { space: string; kind: string; id: string; before: Entry | undefined }): void {
    const delta = this.delta(change.space, change.kind);
    delta.rowsBelowChanged();
    if (!delta.has(change.id)) delta.set(change.id, change.before);
  }

  mirrorChanged(): void {
    for (const deltas of this.#spaces.values()) for (const delta of deltas.values()) delta.rowsBelowChanged();
  }

  spaces(): string[] {
    const spaces = new Set(this.#mirror.spaces());
    for (const [space, deltas] of this.#spaces) {
      const holds = (kind: string): boolean => (this.rows(space, kind)?.count(everything, '') ?? 0) > 0;
      if ([...deltas.keys()].some(holds)) spaces.add(space);
      else if (this.#mirror.kinds(space).every((kind) => !holds(kind))) spaces.delete(space);
    }
    return [...spaces];
  }
}
