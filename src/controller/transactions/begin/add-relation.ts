import type { RelationDoc, RelationEndpoint, RemoteSide } from '../../../core/relation/document.ts';
import { checkAddRelation, type RelationSide } from '../../../core/relation/check-add.ts';
import {
  applicationView,
  inferEndpoints,
  type ApplicationView,
} from '../../../core/relation/infer-endpoints.ts';
import { formatEndpoint, relationKey } from '../../../core/relation/key.ts';
import type { Settled } from '../../../core/requirements/settle.ts';
import { requirementsIn, settleRelations } from '../shared/requirements.ts';
import { refuseUnitsInContainers } from './storage-in-containers.ts';
import { putRelation } from './put-relation.ts';
import { aliveModel, mustGet, type Tx, type View } from '../tx.ts';
import { checkVia } from '../../../core/relation/check-via.ts';
import { defined } from '../../../core/defined.ts';
import { remoteEnd, remoteView } from '../../../core/remote-application/relatable.ts';

/**
 * integrate: `a[:x] b[:y]`. Both endpoints become container-scoped when either is; a subordinate without other
 * relations takes the base of the application that it joins. Requirements of waiting applications are evaluated again.
 * With an application that was consumed, this is the consuming side; `via`: CIDRs that its units come from.
 * Errors: '' (dying model); those of inferEndpoints, checkAddRelation and checkVia; `not supported` (a subordinate with
 * storage of the cloud, and its principal in a container).
 */
export function addRelation(
  tx: Tx,
  args: { endpoints: readonly string[]; via?: readonly string[] },
): { readonly relation: RelationDoc; readonly settled: Settled } {
  aliveModel(tx);
  const [left, right] = inferEndpoints(args.endpoints, (name) => relatable(tx, name));
  const existing = [...tx.find('relation', 'key', relationKey([left, right]))][0];
  const { key, endpoints, rebased } = checkAddRelation([sideOf(tx, left), sideOf(tx, right)], existing);
  const consumed = endpoints.find(({ application }) => tx.get('remote-application', application));
  const via = checkVia(args.via ?? [], consumed !== undefined);
  const remote = consumed && consumingSide(tx, endpoints, consumed.application, via);
  const relation = putRelation(tx, { key, endpoints, ...defined({ remote }) });
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

/** Facts about an application that the inference of endpoints needs. Errors: `not found`. */
export function relatable(view: View, name: string): ApplicationView {
  const remote = view.get('remote-application', name);
  // A proxy is related by the consuming model only.
  if (remote?.saas) return remoteView(name, remote.endpoints);
  const application = mustGet(view, 'application', name);
  const { meta } = mustGet(view, 'charm', application.charmUrl);
  return applicationView(name, meta, requirementsIn(view)(application, meta));
}

/** Consuming side of a relation: an application has one token for all its relations with a model, hence one proxy. */
function consumingSide(
  tx: Tx,
  endpoints: readonly RelationEndpoint[],
  application: string,
  via: readonly string[],
): RemoteSide {
  const model = tx.get('remote-application', application)?.model;
  const local = endpoints.find((end) => end.application !== application)!.application;
  let applicationToken: string | undefined;
  for (const { remote } of tx.find('relation', 'application', local))
    if (remote?.consumed && tx.get('remote-application', remote.application)?.model === model)
      ({ applicationToken } = remote.consumed);
  applicationToken ??= tx.newUuid();
  return { token: tx.newUuid(), application, consumed: { applicationToken, via, state: 'new' } };
}

/** The endpoint's side of a relation that is to be made. */
export function sideOf(tx: Tx, endpoint: RelationEndpoint): RelationSide {
  const remote = tx.get('remote-application', endpoint.application);
  if (remote)
    return remoteEnd({
      endpoint,
      life: remote.ending || remote.saas?.status.status === 'terminated' ? 'dying' : 'alive',
      relations: tx.count('relation', 'endpoint', formatEndpoint(endpoint)),
    });
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
