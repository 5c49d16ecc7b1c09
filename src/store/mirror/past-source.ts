import { JujuError } from '../../core/errors.ts';
import type { Entries } from './entries.ts';
import type { Entry } from './entry-set.ts';
import type { Journal, JournalCommit } from './journal.ts';
import type { Mirror } from './mirror.ts';
import { Overlay } from './overlay.ts';
import type { Rows } from './table.ts';
import type { Source } from './view.ts';

/**
 * The state at a past revision: the mirror with all later changes undone. It follows the mirror, so it may be used
 * for as long as the journal reaches back to its last use.
 */
export class PastSource implements Source {
  readonly revision: number;
  readonly #mirror: Mirror;
  readonly #journal: Journal;
  readonly #durableRevision: () => number;
  readonly #pending: () => readonly JournalCommit[];
  readonly #overlay: Overlay;
  /** Revision up to which changes are undone. */
  #undone: number;
  #version: number | undefined;

  constructor(options: {
    revision: number;
    mirror: Mirror;
    journal: Journal;
    durableRevision: () => number;
    pending: () => readonly JournalCommit[];
  }) {
    this.revision = options.revision;
    this.#mirror = options.mirror;
    this.#journal = options.journal;
    this.#durableRevision = options.durableRevision;
    this.#pending = options.pending;
    this.#overlay = new Overlay(options.mirror);
    this.#undone = options.revision;
  }

  /**
   * Undoes the changes made so far, yielding to other work between the slices; a read undoes those that came after.
   */
  async prepare(pause: () => Promise<void>): Promise<void> {
    const durable = this.#durableRevision();
    for (const values of this.#journal.valuesAt(this.revision)) {
      for (const value of values) this.#overlay.layBefore(value);
      await pause();
    }
    this.#undone = durable;
    if (this.revision < this.#journal.horizon) throw this.#forgotten();
  }

  get(space: string, kind: string, id: string): Entry | undefined {
    return this.#rows(space, kind)?.get(id);
  }

  revisionOf(space: string, kind: string, id: string): number {
    return this.get(space, kind, id)?.revision ?? 0;
  }

  find(space: string, kind: string, index: string, value: string): Entries | undefined {
    return this.#rows(space, kind)?.find(index, value);
  }

  count(space: string, kind: string, index: string, value: string): number {
    return this.#rows(space, kind)?.count(index, value) ?? 0;
  }

  spaces(): Iterable<string> {
    this.#undo();
    return this.#overlay.spaces();
  }

  #rows(space: string, kind: string): Rows | undefined {
    this.#undo();
    return this.#overlay.rows(space, kind);
  }

  #undo(): void {
    if (this.#version === this.#mirror.version) return;
    if (this.#undone < this.#journal.horizon) throw this.#forgotten();
    const durable = this.#durableRevision();
    if (this.#undone < durable) {
      for (const commit of this.#journal.commitsAfter(this.#undone)) this.#undoCommit(commit);
      this.#undone = durable;
    }
    for (const commit of this.#pending()) this.#undoCommit(commit);
    this.#overlay.mirrorChanged();
    this.#version = this.#mirror.version;
  }

  #forgotten(): JujuError {
    return new JujuError('not found', `revision ${this.revision} not found: history begins later`);
  }

  #undoCommit(commit: JournalCommit): void {
    for (const change of commit.changes) this.#overlay.layBefore(change);
  }
}
