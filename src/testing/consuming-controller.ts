/** Another controller that consumes an offer, by raw calls in the order in which Juju makes them. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { bind } from '../kit/macaroon/macaroon.ts';
import { macaroonToJson } from '../kit/macaroon/encode.ts';
import { bakeryFromJson } from '../kit/macaroon/slices.ts';
import { fromWireError } from '../wire/errors.ts';
import { offered, ok, type TwoModels } from './two-models.ts';

interface WireError {
  readonly code: string;
  readonly message: string;
  readonly info?: Record<string, unknown>;
}
export interface Item<R = unknown> {
  readonly result?: R;
  readonly error?: WireError;
  readonly 'watcher-id'?: string;
  readonly changes?: Record<string, unknown>;
}

/** Another controller, as it calls the offering one: it knows only what the answers told it. */
export class Consumer {
  readonly #world: TwoModels;
  readonly offer: string;
  readonly model = randomUUID();
  readonly application = randomUUID();
  readonly relation = randomUUID();
  /** Macaroons that this controller sends: at first the offer's, then the relation's. */
  macaroons: unknown;

  constructor(world: TwoModels, found: { offer: { 'offer-uuid': string }; macaroon: unknown }) {
    this.#world = world;
    this.offer = found.offer['offer-uuid'];
    this.macaroons = [found.macaroon];
  }

  async call(method: string, item: Record<string, unknown>, list = 'args'): Promise<Item> {
    const { results } = await this.raw<{ results: Item[] }>('CrossModelRelations', method, {
      [list]: [{ macaroons: this.macaroons, 'bakery-version': 3, ...item }],
    });
    return results[0]!;
  }

  raw<R>(facade: string, method: string, params: unknown = {}, id = ''): Promise<R> {
    const { callers, offering } = this.#world;
    const model = facade === 'CrossController' ? '' : offering.uuid;
    return callers.call<R>(facade, method, params, { as: { kind: 'anonymous' }, id, model });
  }

  async register(rest: Record<string, unknown> = {}): Promise<Item> {
    const item = await this.call(
      'RegisterRemoteRelations',
      {
        'application-token': this.application,
        'source-model-tag': `model-${this.model}`,
        'relation-token': this.relation,
        'remote-endpoint': { name: 'db', role: 'requirer', interface: 'mysql', limit: 0 },
        'offer-uuid': this.offer,
        'local-endpoint-name': 'server',
        ...rest,
      },
      'relations',
    );
    const { macaroon } = (item.result ?? {}) as { macaroon?: unknown };
    if (macaroon !== undefined) this.macaroons = [macaroon];
    return item;
  }

  publish(change: Record<string, unknown>): Promise<Item> {
    const item = { 'relation-token': this.relation, 'application-token': this.application, life: 'alive' };
    return this.call('PublishRelationChanges', { ...item, ...change }, 'changes');
  }

  watch(method = 'WatchRelationChanges'): Promise<Item> {
    return this.call(method, { 'relation-token': this.relation });
  }

  async next(facade: string, { 'watcher-id': id = '' }: Item): Promise<Item> {
    return this.raw<Item>(facade, 'Next', {}, id);
  }

  /** Discharges the macaroon of an error, and sends it from now on. */
  discharge({ error }: Item): void {
    const { macaroon } = bakeryFromJson(error?.info?.['bakery-macaroon']);
    const caveat = macaroon.caveats.find(({ verificationId }) => verificationId)!;
    expect(caveat.location).toBe('https://10.0.0.1:17070/offeraccess');
    const { offerMacaroons } = this.#world.callers.context;
    const discharge = bakeryFromJson(offerMacaroons.discharge({ id: caveat.id, caveat: caveat.id })).macaroon;
    this.macaroons = [macaroonToJson(macaroon), macaroonToJson(bind(macaroon, discharge))];
  }
}

/** Offers mysql, lets bob consume it, and consumes it as bob. */
export async function consumer(world: TwoModels): Promise<Consumer> {
  await offered(world);
  await world.callers.addUser('bob');
  await modify(world, 'grant');
  return consuming(world, {}, 'bob');
}

/** Consumes mysql as a user; `more`: further arguments beside the offer. Errors: those of the answer. */
export async function consuming(world: TwoModels, more: object, as: string): Promise<Consumer> {
  const { results } = await world.call<{
    results: ({ offer: { 'offer-uuid': string }; macaroon: unknown } & { error?: WireError })[];
  }>(
    'ApplicationOffers',
    'GetConsumeDetails',
    { 'offer-urls': { 'offer-urls': ['admin/default.db'], 'bakery-version': 3 }, ...more },
    as,
  );
  const { error } = results[0]!;
  if (error) throw fromWireError(error);
  return new Consumer(world, results[0]!);
}

export function modify({ call }: TwoModels, action: 'grant' | 'revoke', user = 'bob'): Promise<void> {
  const change = { 'user-tag': `user-${user}`, action, access: action === 'grant' ? 'consume' : 'read' };
  return ok(
    call('ApplicationOffers', 'ModifyOfferAccess', {
      changes: [{ ...change, 'offer-url': 'admin/default.db' }],
    }),
  );
}

export function relationOf({ offering }: TwoModels) {
  return [...offering.view().find('relation', 'remote', 'offered')][0];
}

export const denied = { error: { code: 'unauthorized access', message: 'permission denied' } };
export const dischargeRequired = { error: { code: 'macaroon discharge required' } };
