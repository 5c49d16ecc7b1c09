/** Spaces and subnets as clients see them. */
import { defaultSpace, defaultSpaceId, type SpaceDoc } from '../../../core/space/document.ts';
import type { SubnetDoc } from '../../../core/subnet/document.ts';
import { notFound } from '../../../core/errors.ts';
import { spaceTag } from '../../../wire/tags.ts';
import type { View } from '../../transactions/tx.ts';

type Space = Pick<SpaceDoc, 'id' | 'name'>;

const alpha: Space = { id: defaultSpaceId, name: defaultSpace };

/** All spaces of the model, by name. */
export function spacesOf(view: View): Space[] {
  return [alpha, ...view.list('space')].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Finds a space by its name. Errors: `not found`. */
export function spaceNamed(view: View, name: string): Space {
  const space = name === defaultSpace ? alpha : view.get('space', name);
  if (!space) throw notFound('space', name);
  return space;
}

/** The subnets of a space, in the order of their CIDRs. */
export function subnetsOf(view: View, space: string): SubnetDoc[] {
  return [...view.find('subnet', 'space', space)].sort(byCidr);
}

export function byCidr(a: SubnetDoc, b: SubnetDoc): number {
  return a.cidr < b.cidr ? -1 : 1;
}

export function describeSubnet({ cidr, space, zones }: SubnetDoc) {
  return { cidr, 'vlan-tag': 0, life: 'alive' as const, 'space-tag': spaceTag(space), zones };
}

export function describeSpace(view: View, { id, name }: Space) {
  return { id, name, subnets: subnetsOf(view, name).map(describeSubnet) };
}
