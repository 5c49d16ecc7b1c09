import type { EntityRef } from '../entity-ref.ts';
import type { Death, Group, Keep, Wait } from './plan.ts';

/** The reason why a group of entities dies, stays or is waited for, as a phrase shown to users. */
export function why(
  { reason, of }: Group<Death | Keep | Wait>,
  relationKey: (id: string) => string | undefined,
): string {
  const subject = of === undefined ? '' : named(of, relationKey);
  switch (reason) {
    case 'asked':
      return 'requested';
    case 'unit-of':
      return `unit of ${subject}`;
    case 'subordinate-of':
      return `subordinate to a removed unit of ${subject}`;
    case 'orphan-of':
      return of ? `no relation to ${subject} is left` : 'its principal is gone';
    case 'relation-of':
      return `relation of ${subject}`;
    case 'offer-of':
      return `offer of ${subject}`;
    case 'container-of':
      return `container on ${subject}`;
    case 'on':
      return `on ${subject}`;
    case 'in':
      return `in ${subject}`;
    case 'emptied':
      return 'its last unit is removed';
    case 'held':
      return 'already dying, and nothing else holds it';
    case 'dying':
      return 'already dying';
    case 'attached-to':
      return `attached to ${subject}`;
    case 'policy':
      return 'it is not removed with its last unit';
    case 'awaited':
      return `units of ${subject} wait to be placed on it`;
    case 'harvest':
      return 'provisioner-harvest-mode is none';
    case 'units':
      return `it has units of ${subject}`;
    case 'containers':
      return 'it has containers';
    case 'controller':
      return 'it runs the controller';
    case 'keep-instance':
      return '--keep-instance';
    case 'unmanaged':
      return 'it was not made by the controller';
    case 'detached':
      return 'it outlives its unit';
    case 'stop':
      return 'hooks for leaving relations and stopping';
    case 'failed':
      return 'a hook failed: resolve it, or use --force';
    case 'leave':
      return `hooks for leaving ${subject}`;
    case 'unplaceable':
      return `it is to be placed on ${subject}, which is removed`;
    case 'agent':
      return 'agent to end';
    case 'release':
      return 'agent to end, instance to be released';
  }
}

function named({ kind, id }: EntityRef, relationKey: (id: string) => string | undefined): string {
  return kind === 'machine'
    ? `machine ${id}`
    : `${kind} "${kind === 'relation' ? (relationKey(id) ?? id) : id}"`;
}
