import type { Endpoint } from '../charm/metadata.ts';
import { applicationRef } from '../history/words.ts';
import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { ofModel } from '../quota.ts';
import type { Status } from '../status.ts';
import type { Made } from '../model-file/ownership.ts';

/**
 * An application of another model, as far as this model is related with it (offers.md#two-sides). It is a consumed
 * application (SAAS) or, on the offering side, the proxy of a consuming application. Model space; id = its name here.
 */
export interface RemoteApplicationDoc extends Made {
  readonly name: string;
  /** UUID of the model that has the application. */
  readonly model: string;
  readonly endpoints: readonly RemoteEndpoint[];
  readonly createdAt: string;
  /** The consumed offer; absent for a proxy, which goes with its last relation. */
  readonly saas?: Saas;
  /** Set once the application's removal was requested: it goes with its last relation. */
  readonly ending?: true;
}

export type RemoteEndpoint = Pick<Endpoint, 'name' | 'role' | 'interface' | 'limit'>;

export interface Saas {
  readonly offerUuid: string;
  /** The offer's URL as `consume` got it: `[controller:]owner/model.offer`. */
  readonly url: string;
  /** The user who consumed the offer, in whose name relations are made. */
  readonly user: string;
  /** The offered application's status as it was last heard of. */
  readonly status: Status;
  /** Set when the offer is on another controller. */
  readonly elsewhere?: {
    /** UUID of the offer's controller. */
    readonly controller: string;
    /** The right to relate, as the offer's controller gave it: a macaroon in JSON, sealed. */
    readonly macaroon: string;
  };
}

export const remoteApplication = defineKind<RemoteApplicationDoc>()({
  space: 'model',
  idOf: ({ name }) => name,
  indexes: {
    saas: ({ saas }) => saas && 'saas',
    model: (doc) => doc.model,
    controller: ({ saas }) => saas?.elsewhere?.controller,
  },
  quota: {
    name: ({ name }) => `remote application ${name}`,
    measures: [{ limit: limits.offerEndpoints, of: ({ endpoints }) => endpoints }],
    counts: [{ limit: limits.remoteApplications, ...ofModel }],
  },
  upkeep: 'old',
  describe: (before, after, { id }) => {
    const of = after ?? before;
    if (!of) return [];
    const subject = of.saas ? `saas ${id}` : `proxy ${id}`;
    const event = (what: string) => ({ subject, what, detail: '', about: [applicationRef(id)] });
    if (!before) return [event(of.saas ? `consumed from ${of.saas.url}` : 'made')];
    if (!after) return [event('removed')];
    if (after.ending && !before.ending) return [event('is to be removed')];
    const { status, message } = after.saas?.status ?? { status: '', message: '' };
    const isSame = status === before.saas?.status.status && message === before.saas.status.message;
    if (isSame || status === '') return [];
    return [{ ...event(`status ${status}${message === '' ? '' : `: ${message}`}`), report: 'status' }];
  },
});
