interface Known {
  /** Revisions, ascending, and the number of changes of each. */
  readonly revisions: number[];
  readonly counts: number[];
  /** The newest revision, while all its changes are quiet. */
  quiet: { readonly revision: number; count: number } | undefined;
}

/** Index of the revisions that changed a space by more than quiet changes, with their number of changes. */
export class SpaceRevisions {
  readonly #spaces = new Map<string, Known>();

  /** Adds one change. Revisions come in ascending order, or all in descending order before `turn`. */
  add(space: string, revision: number, isQuiet: boolean): void {
    let known = this.#spaces.get(space);
    if (!known) this.#spaces.set(space, (known = { revisions: [], counts: [], quiet: undefined }));
    const { revisions, counts } = known;
    if (revisions.at(-1) === revision) {
      counts[counts.length - 1]!++;
      return;
    }
    if (known.quiet?.revision === revision) known.quiet.count++;
    else known.quiet = { revision, count: 1 };
    if (isQuiet) return;
    revisions.push(revision);
    counts.push(known.quiet.count);
    known.quiet = undefined;
  }

  /** Reverses what was added newest first: later revisions come in ascending order. */
  turn(): void {
    for (const known of this.#spaces.values()) {
      known.revisions.reverse();
      known.counts.reverse();
      known.quiet = undefined;
    }
  }

  /** The newest revision at or before `revision`. */
  newest(space: string, revision: number): { revision: number; count: number } | undefined {
    const known = this.#spaces.get(space);
    const place = known ? firstAbove(known.revisions, revision) - 1 : -1;
    if (!known || place < 0) return undefined;
    return { revision: known.revisions[place]!, count: known.counts[place]! };
  }

  /** Removes all revisions up to `revision`. */
  forget(revision: number): void {
    for (const [space, { revisions, counts }] of this.#spaces) {
      const gone = firstAbove(revisions, revision);
      if (gone === revisions.length) this.#spaces.delete(space);
      else if (gone > 0) {
        revisions.splice(0, gone);
        counts.splice(0, gone);
      }
    }
  }
}

function firstAbove(revisions: readonly number[], revision: number): number {
  let from = 0;
  let to = revisions.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (revisions[middle]! <= revision) from = middle + 1;
    else to = middle;
  }
  return from;
}
