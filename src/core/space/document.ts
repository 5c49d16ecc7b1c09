import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { ofModel } from '../quota.ts';

/**
 * A space: subnets that an endpoint may be bound to (networks.md#spaces). Model space; id = name. Every model also has
 * the default space, which has no document.
 */
export interface SpaceDoc {
  /** The number by which clients know the space; the default space has 0. */
  readonly id: string;
  readonly name: string;
  /** Former name, while running machines may still have it in their constraints (networks.md#renamed-space). */
  readonly formerly?: string;
  readonly createdAt: string;
}

/** The space of every subnet that was not moved to another one. */
export const defaultSpace = 'alpha';
export const defaultSpaceId = '0';

export const space = defineKind<SpaceDoc>()({
  space: 'model',
  idOf: ({ name }) => name,
  quota: { counts: [{ limit: limits.spaces, ...ofModel }] },
  describe: (before, after, { id }) =>
    before && after
      ? []
      : [{ subject: `space ${id}`, what: after ? 'added' : 'removed', detail: '', about: [] }],
});
