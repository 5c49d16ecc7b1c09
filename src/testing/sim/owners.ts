/**
 * Models of several controllers. Each commit is judged by whose the model is (migration.md#one-owner), and what others
 * see is one state: that of each model where it is.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Entities, Kind } from '../../core/kinds.ts';
import { isActive, isFrozen } from '../../core/migration/phases.ts';
import { specs } from '../../core/specs.ts';
import type { Change, Commit, Reader } from '../../store/store.ts';
import { aboutModels, JointReader } from './joint-reader.ts';

type Root = Reader<Entities>;

/** A controller, as far as its models are judged. */
interface Site {
  readonly uuid: string;
  /** Its own model. */
  readonly modelUuid: string;
  read(): Root;
}

const modelKinds = (Object.keys(specs) as Kind[]).filter((kind) => specs[kind].space !== 'controller');

export class Owners {
  readonly #sites: readonly Site[];
  readonly #fail: (what: string) => void;
  /** Place of the controller that has a model, by the model's uuid. */
  readonly #owners = new Map<string, number>();

  constructor(sites: readonly Site[], fail: (what: string) => void) {
    this.#sites = sites;
    this.#fail = fail;
  }

  /** Place of the controller that has the model; that of the first one for a model that nobody has. */
  of(model: string): number {
    return this.#owners.get(model) ?? 0;
  }

  /** The joint state of the controllers. */
  reader(): Root {
    return new JointReader(
      this.#sites.map((site) => site.read()),
      (model) => this.#owners.get(model),
    );
  }

  /** Judges a commit of a controller. Returns what of it is of models that it has, undefined for nothing. */
  judge(place: number, commit: Commit<Entities>): Commit<Entities> | undefined {
    const own = this.#sites[place]!.modelUuid;
    // What bootstrap writes is of the controller itself.
    if (own === '') return place === 0 ? commit : undefined;
    const had = new Map(this.#owners);
    const moved = new Set<string>();
    for (const change of commit.changes)
      if (change.kind === 'model' && change.space === '' && this.#model(place, change)) moved.add(change.id);
    for (const change of commit.changes) if (change.kind === 'migration') this.#migration(place, change);
    const told = commit.changes.filter((change) => {
      const model = modelOf(change);
      if (model === undefined || model === own) return place === 0;
      // The activation writes what is about the model, and nothing in it.
      if (moved.has(model) && change.space === '') return false;
      const owner = had.get(model) ?? this.#owners.get(model);
      const wrong = owner === place ? this.#ofOwner(place, change) : this.#ofOther(place, change);
      if (wrong !== undefined) this.#fail(`controller ${place + 1}: ${commit.by} ${wrong}`);
      return owner === place;
    });
    return told.length === 0 ? undefined : { ...commit, changes: told };
  }

  /** Notes whose a model is by a change of its record. Returns whether it came from the other controller. */
  #model(place: number, { id, before, after }: Change<Entities>): boolean {
    const owner = this.#owners.get(id);
    if (before && after) return false;
    if (after) {
      this.#owners.set(id, place);
      if (owner === undefined) return false;
      this.#arrived(id, owner, place);
      return true;
    }
    if (owner !== place) return false;
    if (isActive(this.#at(place).get('migration', id)))
      this.#fail(`model ${id} is removed where it is, while it is being migrated`);
    this.#owners.delete(id);
    return false;
  }

  /** Checks that the model's own controller had asked for the activation, and that everything has come. */
  #arrived(model: string, from: number, to: number): void {
    const migration = this.#at(from).get('migration', model);
    if (
      migration?.phase !== 'VALIDATION' ||
      !migration.asked ||
      migration.target.uuid !== this.#sites[to]!.uuid
    )
      this.#fail(`controller ${to + 1} has activated model ${model}, which the other one has not given away`);
    for (const difference of differences(this.#at(from).in(model), this.#at(to).in(model)))
      this.#fail(`model ${model} is active with ${difference}`);
    for (const { name, saas } of this.#at(to).in(model).find('remote-application', 'saas', 'saas'))
      if (!saas?.elsewhere?.macaroon)
        this.#fail(`model ${model} is active without the right to what it has consumed as ${name}`);
  }

  /** Checks what follows from the phase that a migration enters. */
  #migration(place: number, { id, before, after }: Change<Entities>): void {
    const [was, is] = [before, after] as (Entities['migration'] | undefined)[];
    if (!is || was?.phase === is.phase) return;
    const isHere = this.#owners.get(id) === place;
    const isAway = is.phase === 'SUCCESS' || is.phase === 'REAP' || is.phase === 'DONE';
    if (isAway === isHere)
      this.#fail(
        `the migration of model ${id} is in ${is.phase} where the model ${isHere ? 'is' : 'is not'}`,
      );
    const root = this.#at(place);
    const isLeft =
      isFull(root.in(id)) ||
      root.get('model', id) !== undefined ||
      root.get('arrival', id) !== undefined ||
      root.count('access', 'model', id) > 0;
    if (is.phase === 'DONE' && isLeft) this.#fail(`records of model ${id} are left where it was`);
  }

  #ofOwner(place: number, change: Change<Entities>): string | undefined {
    const { kind, id } = change;
    if (kind === 'last-login') return undefined;
    const model = modelOf(change)!;
    // The commit by which a model comes back ends the migration by which it had left.
    if (!isFrozen(this.#at(place).get('migration', model))) return undefined;
    return `changed ${kind} ${id} of model ${model}, which is being migrated`;
  }

  #ofOther(place: number, change: Change<Entities>): string | undefined {
    const { space, kind, id, after } = change;
    const root = this.#at(place);
    const model = modelOf(change)!;
    if (root.get('arrival', model)?.state === 'arriving' && space !== '') return undefined;
    const phase = root.get('migration', model)?.phase;
    if ((phase === 'REAP' || phase === 'DONE') && !after) return undefined;
    // Logins are noted where they were made.
    if (kind === 'last-login') return undefined;
    return `changed ${kind} ${id} of model ${model}, which the other controller has`;
  }

  #at(place: number): Root {
    return this.#sites[place]!.read();
  }
}

/** The model that a change is about; undefined for one of the controller itself. */
function modelOf({ space, kind, id, before, after }: Change<Entities>): string | undefined {
  if (space !== '') return space;
  if (kind === 'model') return id;
  return aboutModels.has(kind) ? ((after ?? before) as Entities['access']).model : undefined;
}

/** Whether the space has any document. */
export function isFull(view: Root): boolean {
  return modelKinds.some((kind) => view.count(kind) > 0);
}

/** Yields what differs between the documents of a model at the two controllers, apart from what each one seals. */
function* differences(there: Root, here: Root): Iterable<string> {
  for (const kind of modelKinds) {
    // The past stays, and the files that only it has; how other controllers are reached is seen from here.
    if (kind === 'past-blob' || kind === 'external-controller') continue;
    const [was, is] = [there, here].map((view) =>
      [...view.list(kind)].map((doc) => unsealed(asHere(kind, doc))),
    );
    if (was!.length !== is!.length) yield `${is!.length} of ${was!.length} records of kind ${kind}`;
    else if (!isDeepStrictEqual(was, is)) yield `other records of kind ${kind}`;
  }
}

/** What is the same wherever the model is: rights by which other controllers' offers are consumed may be new. */
function asHere(kind: Kind, doc: Entities[Kind]): object {
  if (kind === 'remote-application') {
    const { saas, ...rest } = doc as Entities['remote-application'];
    const { elsewhere: _, url: _url, ...same } = saas ?? {};
    return { ...rest, saas: same };
  }
  if (kind !== 'relation') return doc;
  const { remote, ...rest } = doc as Entities['relation'];
  const { macaroon: _, ...consumed } = remote?.consumed ?? {};
  return { ...rest, remote: { ...remote, consumed } };
}

function unsealed(doc: object): unknown {
  const { content, ...rest } = doc as { readonly content?: unknown };
  const text = JSON.stringify(typeof content === 'string' ? rest : doc);
  return JSON.parse(text.replaceAll(/"sealed:[^"]*"/g, '"sealed"'));
}
