import { moved } from '../history/living.ts';
import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { ofModel } from '../quota.ts';

/** A network that some machine has an address in (networks.md#subnets). Model space; id = CIDR. */
export interface SubnetDoc {
  /** The number by which clients know the subnet. */
  readonly id: string;
  /** The network's own CIDR: `10.0.8.0/24`. */
  readonly cidr: string;
  readonly space: string;
  /** Zones of the machines that were seen in the subnet; sorted. */
  readonly zones: readonly string[];
}

export const subnet = defineKind<SubnetDoc>()({
  space: 'model',
  idOf: ({ cidr }) => cidr,
  indexes: { id: (doc) => doc.id, space: (doc) => doc.space },
  quota: { counts: [{ limit: limits.subnets, ...ofModel }] },
  upkeep: 'new',
  describe: (before, after, { id }) => {
    const event = (what: string) => ({ subject: `subnet ${id}`, what, detail: '', about: [] });
    if (!after) return before ? [event('removed')] : [];
    if (!before) return [event('found')];
    return moved('space', before.space, after.space).map(event);
  },
});
