import type { RelationDoc } from '../../core/entities.ts';
import { endpointsOf } from '../../core/charm/metadata.ts';
import { JujuError } from '../../core/errors.ts';
import { checkAddRelation } from '../../core/relation/check-add.ts';
import { inferEndpoints } from '../../core/relation/infer-endpoints.ts';
import { relationKey } from '../../core/relation/key.ts';
import { mustGet, takeNumbers, type Tx } from './tx.ts';

/**
 * integrate: `a[:x] b[:y]`. Both endpoints become container-scoped when either is.
 * Errors: those of inferEndpoints and checkAddRelation; `already exists`.
 */
export function addRelation(tx: Tx, args: { endpoints: readonly string[] }): RelationDoc {
  const [a, b] = args.endpoints;
  if (a === undefined || b === undefined || args.endpoints.length !== 2)
    throw new JujuError('bad request', 'a relation must involve two applications');
  const sides = [a, b].map((text) => {
    const application = mustGet(tx, 'application', text.split(':')[0]!);
    const charm = mustGet(tx, 'charm', application.charmUrl);
    return { text, application, charm, endpoints: Object.values(endpointsOf(charm.meta)) };
  });
  const [left, right] = sides as [(typeof sides)[0], (typeof sides)[0]];
  const inferred = inferEndpoints(
    { text: left.text, application: left.application.name, subordinate: left.application.subordinate, endpoints: left.endpoints },
    { text: right.text, application: right.application.name, subordinate: right.application.subordinate, endpoints: right.endpoints },
  );
  const container = inferred.some((endpoint) => endpoint.scope === 'container');
  const endpoints = inferred.map((endpoint) => (container ? { ...endpoint, scope: 'container' as const } : endpoint));
  const key = relationKey(endpoints);
  checkAddRelation({
    key,
    endpoints,
    existing: [...tx.find('relation', 'key', key)][0],
    sides: sides.map(({ application, charm }) => ({
      application,
      bases: charm.bases,
      relations: [...tx.find('relation', 'application', application.name)],
    })),
  });
  const id = takeNumbers(tx, 'relation');
  const relation: RelationDoc = { id, key, endpoints, life: 'alive', createdAt: tx.now };
  tx.put('relation', String(id), relation);
  return relation;
}
