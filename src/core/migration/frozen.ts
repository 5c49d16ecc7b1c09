/** A model that is being migrated does not change: every commit of the store is asked (migration.md#frozen). */
import { JujuError } from '../errors.ts';
import type { Entities, Kind } from '../kinds.ts';
import { isFrozen } from './phases.ts';

/** What a change is about to commit. */
export interface Written {
  /** Spaces of which something is written. */
  readonly spaces: Iterable<string>;
  readonly writes: () => Iterable<Write>;
  /** Reads a document of the controller's space as it will be. */
  readonly peek: <P extends Kind>(kind: P, id: string) => Entities[P] | undefined;
}

interface Write {
  readonly space: string;
  readonly kind: string;
  readonly id: string;
  readonly before?: { readonly doc: object } | undefined;
  readonly after?: { readonly doc: object } | undefined;
}

/** The error for a change of a model that is being migrated, which begins with Juju's words. `more`: what is known. */
export function inMigration(more?: string): JujuError {
  const code = 'model migration in progress';
  return new JujuError(code, more === undefined ? code : `${code}: ${more}`);
}

/** Refuses changes of models that are being migrated, of their records and of the access to them. */
export function refuseFrozen({ spaces, writes, peek }: Written): void {
  for (const space of spaces)
    if (space !== '') refuseMigrating(peek, space);
    else
      for (const write of writes()) {
        const model = write.space === '' ? modelOf(write) : undefined;
        if (model !== undefined) refuseMigrating(peek, model);
      }
}

/** Refuses a change of the model while it is being migrated. `peek`: reads a document of the controller's space. */
export function refuseMigrating(peek: Written['peek'], model: string): void {
  const doc = peek('migration', model);
  if (!doc || !isFrozen(doc)) return;
  const { owner, name } = peek('model', model) ?? {};
  const what = name === undefined ? model : `"${owner}/${name}"`;
  const to = doc.target.alias || doc.target.uuid;
  throw inMigration(
    `model ${what} goes to controller "${to}", in phase ${doc.phase}: try again when that has ended ("show-model" tells)`,
  );
}

/** The model that a document of the controller's space is about, where it moves with the model. */
function modelOf({ kind, id, before, after }: Write): string | undefined {
  if (kind === 'model') return id;
  if (kind === 'offer-access') return ((after ?? before)?.doc as Entities['offer-access'] | undefined)?.model;
  return kind === 'access' ? id.slice(id.lastIndexOf(' ') + 1) : undefined;
}
