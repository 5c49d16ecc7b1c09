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

  /** Adds changes of one revision. Revisions come in ascending order, or all in descending order before `turn`. */
  add(space: string, revision: number, isQuiet: boolean, count = 1): void {
    let record = this.#spaces.get(space);
    if (!record) this.#spaces.set(space, (record = { revisions: [], counts: [], quiet: undefined }));
    const { revisions, counts } = record;
    if (revisions.at(-1) === revision) {
      counts[counts.length - 1]! += count;
      return;
    }
    if (record.quiet?.revision === revision) record.quiet.count += count;
    else record.quiet = { revision, count };
    if (isQuiet) return;
    revisions.push(revision);
    counts.push(record.quiet.count);
    record.quiet = undefined;
  }

  /** Reverses what was added newest first: later revisions come in ascending order. */
  turn(): void {
    for (const record of this.#spaces.values()) {
      record.revisions.reverse();
      record.counts.reverse();
      record.quiet = undefined;
    }
  }

  /** The newest revision at or before `revision`. */
  newest(space: string, revision: number): { revision: number; count: number } | undefined {
    const record = this.#spaces.get(space);
    const place = record ? firstAbove(record.revisions, revision) - 1 : -1;
    if (!record || place < 0) return undefined;
    return { revision: record.revisions[place]!, count: record.counts[place]! };
  }

  /** Removes all revisions up to `revision`. */
  forget(revision: number): void {
    for (const [space, { revisions, counts }] of this.#spaces) {
      const forgottenCount = firstAbove(revisions, revision);
      if (forgottenCount === revisions.length) this.#spaces.delete(space);
      else if (forgottenCount > 0) {
        revisions.splice(0, forgottenCount);
        counts.splice(0, forgottenCount);
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
