/** Which revisions have changed a space, and how much of it: found without looking at the others'. */
export class SpaceRevisions {
  /** Ascending, with how many changes each has. */
  readonly #spaces = new Map<string, { revisions: number[]; counts: number[] }>();

  /** Revisions come in their order. */
  add(space: string, revision: number): void {
    let known = this.#spaces.get(space);
    if (!known) this.#spaces.set(space, (known = { revisions: [], counts: [] }));
    const { revisions, counts } = known;
    if (revisions.at(-1) === revision) counts[counts.length - 1]!++;
    else {
      revisions.push(revision);
      counts.push(1);
    }
  }

  /** The newest at or before `revision`. */
  newest(space: string, revision: number): { revision: number; count: number } | undefined {
    const known = this.#spaces.get(space);
    const place = known ? firstAbove(known.revisions, revision) - 1 : -1;
    if (!known || place < 0) return undefined;
    return { revision: known.revisions[place]!, count: known.counts[place]! };
  }

  /** All up to `revision` go. */
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
