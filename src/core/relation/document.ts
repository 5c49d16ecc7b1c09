import type { Endpoint } from '../charm/metadata.ts';
import { defineKind } from '../kind.ts';
import { type Ending, isForced, type Life } from '../life.ts';
import { limits } from '../limits.ts';
import type { Made } from '../model-file/ownership.ts';
import { describeRelation } from './history.ts';

/** A relation. Model space; id = relation id as text. */
export interface RelationDoc extends Ending, Made {
  readonly id: number;
  /** Canonical name: `wordpress:db mysql:server`. Unique by index. */
  readonly key: string;
  readonly endpoints: readonly RelationEndpoint[];
  readonly life: Life;
  readonly createdAt: string;
  /** The side in another model; absent when both ends are in this model. */
  readonly remote?: RemoteSide;
  /** Set while units have to leave the relation and may not enter it (offers.md#suspended-relations). */
  readonly suspended?: { readonly reason: string };
}

/** Facts that this side of a relation has about the other side, which is in another model (offers.md#two-sides). */
export interface RemoteSide {
  /** UUID by which both sides know the relation. */
  readonly token: string;
  /** Name of the remote application, as this model has it. */
  readonly application: string;
  /** Facts of the consuming side; absent on the offering side. */
  readonly consumed?: Consumed;
  /** Facts of the offering side; absent on the consuming side. */
  readonly offered?: Offered;
}

interface Consumed {
  /** UUID by which the offering side knows the application of this model. */
  readonly applicationToken: string;
  /** CIDRs that units come from, as the operator says; none = what the units announce. */
  readonly via: readonly string[];
  /** Whether the other side was made, and whether it was told of the end (offers.md#told-before-gone). */
  readonly state: 'new' | 'registered' | 'told';
  /** The right to carry the relation, as another controller gave it: a macaroon in JSON, sealed. */
  readonly macaroon?: string;
}

export interface Offered {
  /** Name of the offer; '' once the offer was removed, as another offer may get the name. */
  readonly offer: string;
  /** The user in whose name the relation was made. */
  readonly user: string;
  /** UUID of the consuming model. */
  readonly model: string;
  /** CIDRs that the other side's units come from, sorted. */
  readonly ingress: readonly string[];
}

export interface RelationEndpoint extends Endpoint {
  readonly application: string;
}

/** The offer, and the user in whose name it is consumed. */
function consumer({ remote }: RelationDoc): string | undefined {
  const { offer = '', user = '' } = remote?.offered ?? {};
  return offer === '' ? undefined : `${offer} ${user}`;
}

export const relation = defineKind<RelationDoc>()({
  space: 'model',
  idOf: ({ id }) => String(id),
  indexes: {
    application: (doc) => [...new Set(doc.endpoints.map((e) => e.application))],
    endpoint: (doc) => doc.endpoints.map((e) => `${e.application}:${e.name}`),
    key: (doc) => doc.key,
    token: ({ remote }) => remote?.token,
    /** Relations with applications of other models. */
    remote: ({ remote }) => remote && (remote.consumed ? 'consumed' : 'offered'),
    /** Connections of an offer. */
    offer: ({ remote }) => remote?.offered?.offer || undefined,
    /** Relations that a user has made by offers. */
    user: ({ remote }) => remote?.offered?.user,
    consumer,
    force: isForced,
    life: (doc) => doc.life,
  },
  findRemovedBy: ['application'],
  quota: {
    name: ({ key }) => `relation ${key}`,
    counts: [
      ...([0, 1] as const).map((end) => ({
        limit: limits.relationsOfApplication,
        index: 'application',
        value: ({ endpoints }: RelationDoc) => endpoints[end]?.application,
        whose: ({ endpoints }: RelationDoc) => `application ${endpoints[end]?.application}`,
      })),
      {
        limit: limits.relationsOfConsumer,
        index: 'consumer',
        value: consumer,
        whose: ({ remote }) => `user ${remote?.offered?.user} by offer ${remote?.offered?.offer}`,
      },
    ],
  },
  upkeep: 'old',
  describe: describeRelation,
});
