import { JujuError } from '../../../core/errors.ts';
import { isApplicationName } from '../../../core/names.ts';
import type {
  RemoteApplicationDoc,
  RemoteEndpoint,
  Saas,
} from '../../../core/remote-application/document.ts';
import { aliveModel, type Tx } from '../tx.ts';

/**
 * consume: makes the offered application known in the model under a name. The same offer again changes nothing but new
 * endpoints; a terminated one is replaced. Errors: `not valid` (name), `already exists`, '' (dying model).
 */
export function consumeOffer(
  tx: Tx,
  args: {
    readonly name: string;
    /** UUID of the offering model. */
    readonly model: string;
    readonly endpoints: readonly RemoteEndpoint[];
  } & Pick<Saas, 'offerUuid' | 'url' | 'user'>,
): void {
  const { name, model, endpoints, ...saas } = args;
  aliveModel(tx);
  if (!isApplicationName(name)) throw new JujuError('not valid', `application name "${name}" not valid`);
  if (tx.get('application', name))
    throw new JujuError(
      'already exists',
      `cannot add saas application "${name}": local application with same name already exists`,
    );
  const existing = tx.get('remote-application', name);
  if (existing && existing.saas?.status.status !== 'terminated') return addEndpoints(tx, existing, args);
  // Relations with what is gone end by themselves; until then the name is taken.
  if (existing && tx.count('relation', 'application', name) > 0)
    throw new JujuError('already exists', `saas application called "${name}" exists but is terminating`);
  tx.put('remote-application', name, {
    name,
    model,
    endpoints,
    createdAt: tx.now,
    saas: { ...saas, status: { status: 'unknown', message: '', since: tx.now } },
  });
}

function addEndpoints(
  tx: Tx,
  existing: RemoteApplicationDoc,
  { name, model, offerUuid, endpoints }: Parameters<typeof consumeOffer>[1],
): void {
  if (existing.ending)
    throw new JujuError('already exists', `saas application called "${name}" exists but is terminating`);
  if (existing.model !== model || !existing.saas)
    throw new JujuError(
      'already exists',
      `saas application called "${name}" from a different model already exists`,
    );
  if (existing.saas.offerUuid !== offerUuid)
    throw new JujuError(
      'already exists',
      `saas application called "${name}" of another offer already exists`,
    );
  const known = new Map(existing.endpoints.map((one) => [one.name, one]));
  for (const one of endpoints) {
    const before = known.get(one.name);
    if (before && (before.interface !== one.interface || before.role !== one.role))
      throw new JujuError('already exists', `conflicting endpoint ${one.name}`);
    known.set(one.name, one);
  }
  if (known.size !== existing.endpoints.length)
    tx.put('remote-application', name, { ...existing, endpoints: [...known.values()] });
}
