/** Decides which changes agents are told of. */
import type { ApplicationDoc } from '../../core/application/document.ts';
import { defaultSpace } from '../../core/space/document.ts';
import type { SubnetDoc } from '../../core/subnet/document.ts';

/** True when anything in ApplicationRecord changed. Unchanged values are the same objects. */
export function concernsAgents(a: ApplicationDoc | undefined, b: ApplicationDoc | undefined): boolean {
  if (!a || !b) return true;
  return (
    a.life !== b.life ||
    a.force !== b.force ||
    a.charmUrl !== b.charmUrl ||
    a.forceCharm !== b.forceCharm ||
    a.older !== b.older ||
    a.charmModifiedVersion !== b.charmModifiedVersion ||
    (a.rollout === undefined) !== (b.rollout === undefined) ||
    (a.rollout?.resources === undefined) !== (b.rollout?.resources === undefined) ||
    a.config !== b.config ||
    a.trust !== b.trust ||
    a.endpointBindings !== b.endpointBindings ||
    (a.exposed === undefined) !== (b.exposed === undefined)
  );
}

/** True when addresses in the subnet change their space; in a new subnet they counted to the default space before. */
export function changesSpace(a: SubnetDoc | undefined, b: SubnetDoc | undefined): boolean {
  return (a?.space ?? defaultSpace) !== (b?.space ?? defaultSpace);
}
