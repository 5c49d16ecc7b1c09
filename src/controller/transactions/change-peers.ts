import type { CharmMeta } from '../../core/charm/metadata.ts';
import { makePeers } from './begin/make-peers.ts';
import { setRelationDying } from './end/destroy-relation.ts';
import type { Tx } from './tx.ts';

/**
 * Ends peer relations that the charm no longer has, and makes those that are new. One whose interface has changed goes
 * on as it is: its units are the same.
 */
export function changePeers(tx: Tx, application: string, meta: CharmMeta): void {
  for (const relation of tx.find('relation', 'application', application)) {
    const [end] = relation.endpoints;
    if (end?.role !== 'peer' || relation.life !== 'alive') continue;
    const endpoint = meta.endpoints[end.name];
    if (endpoint?.role === 'peer')
      tx.put('relation', String(relation.id), { ...relation, endpoints: [{ ...endpoint, application }] });
    else setRelationDying(tx, relation);
  }
  makePeers(tx, application, meta);
}
