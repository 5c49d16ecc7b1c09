import type { RelationDoc, RelationEndpoint } from '../../../core/relation/document.ts';
import { checkAddRelation, type RelationSide } from '../../../core/relation/check-add.ts';
import {
  applicationView,
  inferEndpoints,
  type ApplicationView,
} from '../../../core/relation/infer-endpoints.ts';
import { formatEndpoint, relationKey } from '../../../core/relation/key.ts';
import type { Settled } from '../../../core/requirements/settle.ts';
import { requirementsIn, settleRelations } from '../requirements.ts';
import { refuseUnitsInContainers } from './storage-in-containers.ts';
import { aliveModel, mustGet, takeNumbers, type Tx, type View } from '../tx.ts';

/**
 * integrate: `a[:x] b[:y]`. Both endpoints become container-scoped when either is; a subordinate without other
 * relations takes the base of the application that it joins. Requirements of waiting applications are evaluated again.
 * Errors: '' (dying model); those of inferEndpoints and checkAddRelation; `not supported` (a subordinate with storage of the
 * cloud, and its principal in a container).
 */
export function addRelation(
  tx: Tx,
  args: { endpoints: readonly string[] },
): { readonly relation: RelationDoc; readonly settled: Settled } {
  aliveModel(tx);
  const [left, right] = inferEndpoints(args.endpoints, (name) => relatable(tx, name));
  const existing = [...tx.find('relation', 'key', relationKey([left, right]))][0];
  const { key, endpoints, rebased } = checkAddRelation([sideOf(tx, left), sideOf(tx, right)], existing);
  const id = takeNumbers(tx, 'relation');
  const relation: RelationDoc = { id, key, endpoints, life: 'alive', createdAt: tx.now };
  tx.put('relation', String(id), relation);
  if (endpoints[0]?.scope === 'container')
    for (const { application } of endpoints) {
      const doc = mustGet(tx, 'application', application);
      if (doc.subordinate) refuseUnitsInContainers(tx, doc);
    }
  if (rebased) {
    const { application: name, base } = rebased;
    const application = mustGet(tx, 'application', name);
    tx.put('application', name, {
      ...application,
      base,
      charmOrigin: { ...application.charmOrigin, base },
    });
  }
  const settled = settleRelations(tx, [relation]);
  return { relation, settled };
}

/** Facts about an application that the inference of endpoints needs. */
export function relatable(view: View, name: string): ApplicationView | undefined {
  const application = view.get('application', name);
  if (!application) return undefined;
  const { meta } = mustGet(view, 'charm', application.charmUrl);
  return applicationView(name, meta, requirementsIn(view)(application, meta));
}

function sideOf(tx: Tx, endpoint: RelationEndpoint): RelationSide {
  const { life, subordinate, base, charmUrl } = mustGet(tx, 'application', endpoint.application);
  const relations = tx.count('relation', 'endpoint', formatEndpoint(endpoint));
  return {
    endpoint,
    life,
    subordinate,
    base,
    free: subordinate && isFree(tx, endpoint.application),
    charmBases: mustGet(tx, 'charm', charmUrl).bases,
    relations,
  };
}

/** True when the application has neither container-scoped relations nor units. */
function isFree(tx: Tx, application: string): boolean {
  if (tx.count('unit', 'application', application) > 0) return false;
  for (const { endpoints } of tx.find('relation', 'application', application))
    if (endpoints.length > 1 && endpoints.some(({ scope }) => scope === 'container')) return false;
  return true;
}
