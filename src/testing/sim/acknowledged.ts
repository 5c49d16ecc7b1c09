/**
 * Operations that operators were told are done must be in the store, whatever crashes: they are compared with every
 * durable commit.
 */
import type { Ending, Life } from '../../core/life.ts';
import type { Entities } from '../../core/kinds.ts';
import type { Change, Commit } from '../../store/store.ts';

type Living = 'application' | 'machine' | 'model' | 'relation' | 'unit';

/** Maximum delay between a commit and its notice here, when the controller crashed over it. */
const latenessMs = 20_000;

interface Noted<P extends Living> {
  /** Simulated milliseconds at which the commit was noticed; never before it happened. */
  readonly at: number;
  /** Commit time by the controller's clock, RFC 3339. */
  readonly committedAt: string;
  readonly id: string;
  readonly before: Entities[P] | undefined;
  readonly after: Entities[P] | undefined;
}

/** All durable changes of one kind in one space, oldest first. */
export class Changes<P extends Living> {
  all: Noted<P>[] = [];

  /** Forgets the changes after `at`. */
  cut(at: number): void {
    this.all = this.all.filter((change) => change.at <= at);
  }

  /** Whether any change since `at` satisfies `isIt`. */
  some(at: number, isIt: (change: Noted<P>) => boolean): boolean {
    return this.all.some((change) => change.at >= at && isIt(change));
  }

  /**
   * Whether soon after `answered` the entity was due to be cleared within `waitMs` of the answer, perhaps by an earlier
   * request, or nothing was left to clear.
   */
  forced(answered: number, waitMs: number, isIt: (doc: Entities[P]) => boolean): boolean {
    return this.all.some(({ at, before, after, committedAt }) => {
      if (at > answered + latenessMs) return false;
      if (!after) return before !== undefined && isIt(before);
      return isIt(after) && dueMs(after, committedAt) <= waitMs + Math.max(0, answered - at);
    });
  }

  born(id: string, since = 0): boolean {
    return this.some(since, (change) => change.id === id && !change.before);
  }

  /** Whether the entity stopped being alive after its last creation before `at`. */
  ended(isIt: (doc: Entities[P]) => boolean, at = Infinity): boolean {
    const birth = this.all.findLast(
      (change) => change.at <= at && !change.before && change.after && isIt(change.after),
    );
    return this.some(
      birth?.at ?? 0,
      ({ before, after }) => before !== undefined && isIt(before) && (!after || lifeOf(after) !== 'alive'),
    );
  }
}

export class Acknowledged {
  readonly #changes = new Map<string, Changes<Living>>();
  #promises: { readonly at: number; readonly text: string; readonly isKept: () => boolean }[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records a durable commit; called in order. */
  onCommit(commit: Commit<Entities>): void {
    for (const change of commit.changes) {
      if (!isLiving(change)) continue;
      const { space, kind, id, before, after } = change;
      this.changes(space, kind).all.push({ at: this.#now(), committedAt: commit.at, id, before, after });
    }
  }

  changes<P extends Living>(space: string, kind: P): Changes<P> {
    const key = `${space} ${kind}`;
    let found = this.#changes.get(key);
    if (!found) this.#changes.set(key, (found = new Changes<Living>()));
    return found as Changes<P>;
  }

  /** Records an answer to an operator; by the end `isKept` must hold for the durable commits. */
  promise(text: string, isKept: () => boolean): void {
    this.#promises.push({ at: this.#now(), text, isKept });
  }

  /** Forgets what was committed and answered after a backup that the controller was restored from. */
  restored(madeMs: number): void {
    for (const changes of this.#changes.values()) changes.cut(madeMs);
    this.#promises = this.#promises.filter(({ at }) => at <= madeMs);
  }

  /** Answers whose effects are missing in the store. */
  broken(): string[] {
    return this.#promises.filter(({ isKept }) => !isKept()).map(({ text }) => text);
  }
}

type LivingChange = {
  [P in Living]: Change<Entities> & { kind: P; before?: Entities[P]; after?: Entities[P] };
}[Living];

const living: readonly string[] = ['application', 'machine', 'model', 'relation', 'unit'] satisfies Living[];

function isLiving(change: Change<Entities>): change is LivingChange {
  return living.includes(change.kind);
}

/** Milliseconds from the commit until the entity is cleared by force. */
function dueMs({ force, life }: Ending & { life: Life }, committedAt: string): number {
  if (life === 'dead') return 0;
  return force ? Date.parse(force.deadline) - Date.parse(committedAt) : Infinity;
}

function lifeOf(doc: { readonly life: Life }): Life {
  return doc.life;
}
