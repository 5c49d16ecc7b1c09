import type { Endpoint } from '../charm/metadata.ts';
import { defineKind } from '../kind.ts';
import { type Ending, isForced, type Life } from '../life.ts';
import { limits } from '../limits.ts';
import { describeRelation } from './history.ts';

/** A relation. Model space; id = relation id as text. */
export interface RelationDoc extends Ending {
  readonly id: number;
  /** Canonical name: `wordpress:db mysql:server`. Unique by index. */
  readonly key: string;
  readonly endpoints: readonly RelationEndpoint[];
  readonly life: Life;
  readonly createdAt: string;
}
export interface RelationEndpoint extends Endpoint {
  readonly application: string;
}

export const relation = defineKind<RelationDoc>()({
  space: 'model',
  idOf: ({ id }) => String(id),
  indexes: {
    application: (doc) => [...new Set(doc.endpoints.map((e) => e.application))],
    endpoint: (doc) => doc.endpoints.map((e) => `${e.application}:${e.name}`),
    key: (doc) => doc.key,
    force: isForced,
    life: (doc) => doc.life,
  },
  findRemovedBy: ['application'],
  quota: {
    name: ({ key }) => `relation ${key}`,
    counts: ([0, 1] as const).map((end) => ({
      limit: limits.relationsOfApplication,
      index: 'application',
      value: ({ endpoints }) => endpoints[end]?.application,
      whose: ({ endpoints }) => `application ${endpoints[end]?.application}`,
    })),
  },
  upkeep: 'old',
  describe: describeRelation,
});
