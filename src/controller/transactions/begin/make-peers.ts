import type { CharmMeta } from '../../../core/charm/metadata.ts';
import { relationKey } from '../../../core/relation/key.ts';
import type { Tx } from '../tx.ts';
import { putRelation } from './put-relation.ts';

/**
 * Makes the peer relations of the charm that the application does not have. A relation that is still ending, because an
 * earlier charm lacked it, is made anew when it is gone.
 */
export function makePeers(tx: Tx, application: string, meta: Pick<CharmMeta, 'endpoints'>): void {
  for (const endpoint of Object.values(meta.endpoints)) {
    if (endpoint.role !== 'peer') continue;
    const endpoints = [{ ...endpoint, application }];
    const key = relationKey(endpoints);
    if (tx.count('relation', 'key', key) > 0) continue;
    putRelation(tx, { key, endpoints });
  }
}
