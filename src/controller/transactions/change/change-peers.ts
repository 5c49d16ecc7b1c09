import type { CharmMeta } from '../../../core/charm/metadata.ts';
import { makePeers } from '../begin/make-peers.ts';
import { setRelationDying } from '../end/destroy-relation.ts';
import type { Tx } from '../tx.ts';

/**
 * Makes peer relations that are new in the charm, and ends those that it lacks, unless a roll-out goes on: units that
 * are held still take part in them, and a rollback must find what units have told each other (refresh.md#rolled-parts).
 * A relation whose interface has changed goes on as it is: its units are the same.
 */
export function changePeers(
  tx: Tx,
  application: string,
  meta: CharmMeta,
  { ends }: { readonly ends: boolean },
): void {
  for (const relation of tx.find('relation', 'application', application)) {
    const [end] = relation.endpoints;
    if (end?.role !== 'peer' || relation.life !== 'alive') continue;
    const endpoint = meta.endpoints[end.name];
    if (endpoint?.role === 'peer')
      tx.put('relation', String(relation.id), { ...relation, endpoints: [{ ...endpoint, application }] });
    else if (ends) setRelationDying(tx, relation);
  }
  makePeers(tx, application, meta);
}
