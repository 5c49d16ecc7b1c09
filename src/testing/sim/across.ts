/**
 * Judge of relations across models: what is told of one side at the other side has happened there, however the way
 * between them was broken, and wherever the models have gone meanwhile.
 */
import type { Entities } from '../../core/kinds.ts';
import type { RelationDoc } from '../../core/relation/document.ts';
import type { Change, Commit, Reader } from '../../store/store.ts';
import type { World } from './world.ts';

type View = Reader<Entities>;
type Scope = Entities['scope'];
type Side = 'consumed' | 'offered';

const by = 'remote-relations';
const otherSide = { consumed: 'offered', offered: 'consumed' } as const;

export class AcrossJudge {
  readonly #fail: (what: string) => void;
  /** Units that have left a relation where they are: token, side and number. */
  readonly #left = new Set<string>();
  /** Relations of which a side has ended, and those whose offering side was suspended, by their tokens. */
  readonly #ended = new Set<string>();
  readonly #suspended = new Set<string>();

  constructor(world: World) {
    this.#fail = (what) => world.fail(what);
    world.onCommit((commit, root) => this.#commit(commit, root));
  }

  #commit(commit: Commit<Entities>, root: View): void {
    const relations = commit.changes.filter(({ kind }) => kind === 'relation');
    for (const change of commit.changes) if (change.kind === 'scope') this.#scope(change, relations, root);
    for (const change of relations) this.#relation(change, commit.by, root);
  }

  #scope(change: Change<Entities>, relations: readonly Change<Entities>[], root: View): void {
    const { space } = change;
    const [before, after] = [change.before, change.after] as (Scope | undefined)[];
    const { relation: id, unit, remote: isRemote } = (after ?? before)!;
    const changed = relations.find((one) => one.space === space && one.id === id);
    const now = root.in(space).get('relation', id);
    const doc = now ?? (changed?.before as RelationDoc | undefined);
    if (!doc?.remote) return;
    const side: Side = doc.remote.consumed ? 'consumed' : 'offered';
    const { token } = doc.remote;
    const number = unit.slice(unit.lastIndexOf('/') + 1);
    if (!isRemote) {
      if (!after || after.departing) this.#left.add(`${token} ${side} ${number}`);
      return;
    }
    const key = `${token} ${otherSide[side]} ${number}`;
    if (!before && after) {
      if (isIn(root, doc, number)) this.#left.delete(key);
      return;
    }
    // A relation that ends here, or is not allowed any more, takes the other side's units along.
    if (after || !now || now.life !== 'alive' || now.suspended || this.#left.has(key)) return;
    this.#fail(`unit ${unit} leaves relation ${doc.key}, and has not left it where it is`);
  }

  #relation({ space, before, after }: Change<Entities>, author: string, root: View): void {
    const [was, is] = [before, after] as (RelationDoc | undefined)[];
    const remote = (is ?? was)?.remote;
    if (!remote) return;
    const { token, consumed } = remote;
    const isStopped = is?.suspended !== undefined && was?.suspended === undefined;
    if (isStopped && consumed && !this.#suspended.has(token))
      this.#fail(`relation ${is.key} is suspended (${is.suspended?.reason}), and not at the other side`);
    if (isStopped && !consumed) this.#suspended.add(token);
    if (was?.life !== 'alive' || is?.life === 'alive') return;
    if (author === by && !this.#ended.has(token) && (!consumed || hasOffer(root.in(space), was)))
      this.#fail(`relation ${was.key} ends, and the other side does not`);
    this.#ended.add(token);
  }
}

/** Whether a unit of the other side is in the relation where it is. */
function isIn(root: View, { remote }: RelationDoc, number: string): boolean {
  for (const { uuid } of root.list('model'))
    for (const other of root.in(uuid).find('relation', 'token', remote?.token ?? '')) {
      if (!other.remote?.consumed === !remote?.consumed) continue;
      for (const { unit, remote: isRemote, departing } of root
        .in(uuid)
        .find('scope', 'relation', String(other.id)))
        if (!isRemote && !departing && unit.endsWith(`/${number}`)) return true;
    }
  return false;
}

/** Whether the offer of a consuming side exists, so that a relation that is new ends without a reason. */
function hasOffer(view: View, { remote }: RelationDoc): boolean {
  const of = view.get('remote-application', remote?.application ?? '');
  return of?.saas !== undefined && view.in(of.model).count('offer', 'uuid', of.saas.offerUuid) > 0;
}
