import { JujuError } from '../../../core/errors.ts';
import type { Settled } from '../../../core/requirements/settle.ts';
import { settleRelations } from '../shared/requirements.ts';
import type { Tx } from '../tx.ts';
import { clear } from './clear.ts';
import { setRelationDying } from './destroy-relation.ts';
import { isDue, type ForceRequest } from './force.ts';
import { removeRemoteApplicationIfUnused } from './remove-application.ts';

/**
 * remove-saas: the remote application goes with its last relation; all of them are removed. Errors: `not found`.
 */
export function removeSaas(tx: Tx, args: { readonly name: string; readonly force?: ForceRequest }): Settled {
  const { name, force } = args;
  const remote = tx.get('remote-application', name);
  if (!remote?.saas) throw new JujuError('not found', `saas application "${name}" not found`);
  tx.put('remote-application', name, { ...remote, ending: true });
  const relations = [...tx.find('relation', 'application', name)];
  for (const relation of relations) {
    const id = String(relation.id);
    setRelationDying(tx, relation, force);
    if (isDue(tx, tx.get('relation', id))) clear(tx, { kind: 'relation', id });
  }
  removeRemoteApplicationIfUnused(tx, name);
  return settleRelations(
    tx,
    relations.filter(({ life }) => life === 'alive'),
  );
}
