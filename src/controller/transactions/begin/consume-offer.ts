import { defined } from '../../../core/defined.ts';
import { JujuError } from '../../../core/errors.ts';
import { isMoved } from '../../../core/migration/phases.ts';
import { isApplicationName } from '../../../core/names.ts';
import type {
  RemoteApplicationDoc,
  RemoteEndpoint,
  Saas,
} from '../../../core/remote-application/document.ts';
import type { ExternalControllerDoc } from '../../../core/external-controller/document.ts';
import { forgetControllerIfUnused, putController } from '../shared/external-controllers.ts';
import { aliveModel, type Tx } from '../tx.ts';

/**
 * consume: makes the offered application known in the model under a name. The same offer again changes nothing but new
 * endpoints, and the right to it and the way to its controller, which are replaced; a terminated offer is replaced.
 * Errors: `not valid` (name), `already exists`, `try again` (a model that has left), '' (dying model).
 */
export function consumeOffer(
  tx: Tx,
  args: {
    readonly name: string;
    /** UUID of the offering model. */
    readonly model: string;
    readonly endpoints: readonly RemoteEndpoint[];
    /** The offer's controller, when it is another one, and the sealed macaroon for the offer. */
    readonly elsewhere?: { readonly controller: ExternalControllerDoc; readonly macaroon: string };
  } & Pick<Saas, 'offerUuid' | 'url' | 'user'>,
): void {
  const { name, model, endpoints, elsewhere, ...saas } = args;
  aliveModel(tx);
  if (!elsewhere && isMoved(tx.in('').get('migration', model)))
    throw new JujuError('try again', 'the model of the offer has gone to another controller');
  if (!isApplicationName(name)) throw new JujuError('not valid', `application name "${name}" not valid`);
  if (tx.get('application', name))
    throw new JujuError(
      'already exists',
      `cannot add saas application "${name}": local application with same name already exists`,
    );
  const existing = tx.get('remote-application', name);
  if (existing && existing.saas?.status.status !== 'terminated') return addEndpoints(tx, existing, args);
  // Relations with an offer that is gone end by themselves; until then the name is taken.
  if (existing && tx.count('relation', 'application', name) > 0)
    throw new JujuError('already exists', `saas application called "${name}" exists but is terminating`);
  if (elsewhere) putController(tx, elsewhere.controller);
  const status = { status: 'unknown', message: '', since: tx.now };
  tx.put('remote-application', name, {
    name,
    model,
    endpoints,
    createdAt: tx.now,
    saas: { ...saas, status, ...defined({ elsewhere: placeOf(elsewhere) }) },
  });
  forgetControllerIfUnused(tx, existing?.saas?.elsewhere?.controller);
}

function placeOf(elsewhere: Parameters<typeof consumeOffer>[1]['elsewhere']): Saas['elsewhere'] {
  return elsewhere && { controller: elsewhere.controller.uuid, macaroon: elsewhere.macaroon };
}

function addEndpoints(
  tx: Tx,
  existing: RemoteApplicationDoc,
  { name, model, offerUuid, endpoints, elsewhere }: Parameters<typeof consumeOffer>[1],
): void {
  if (existing.ending)
    throw new JujuError('already exists', `saas application called "${name}" exists but is terminating`);
  // The controller of an offer that has followed its model here is this one (migration.md#consumers-follow).
  const self = tx.in('').get('controller', 'self')?.uuid;
  const known = existing.saas?.elsewhere?.controller ?? self;
  if (existing.model !== model || known !== (elsewhere?.controller.uuid ?? self) || !existing.saas)
    throw new JujuError(
      'already exists',
      `saas application called "${name}" from a different model already exists`,
    );
  if (existing.saas.offerUuid !== offerUuid)
    throw new JujuError(
      'already exists',
      `saas application called "${name}" of another offer already exists`,
    );
  const merged = new Map(existing.endpoints.map((one) => [one.name, one]));
  for (const one of endpoints) {
    const before = merged.get(one.name);
    if (before && (before.interface !== one.interface || before.role !== one.role))
      throw new JujuError('already exists', `conflicting endpoint ${one.name}`);
    merged.set(one.name, one);
  }
  if (elsewhere) putController(tx, elsewhere.controller);
  if (merged.size !== existing.endpoints.length || elsewhere)
    tx.put('remote-application', name, {
      ...existing,
      endpoints: [...merged.values()],
      saas: { ...existing.saas, ...defined({ elsewhere: placeOf(elsewhere) }) },
    });
}
