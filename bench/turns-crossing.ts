/** Another controller in bench/turns.ts: what it has registered in the model, and arguments with its macaroons. */
import type { Entities } from '../src/core/kinds.ts';
import { limits } from '../src/core/limits.ts';
import { OfferMacaroons } from '../src/controller/macaroons/offer-macaroons.ts';
import type { Services } from '../src/controller/services.ts';
import { makeOffer } from '../src/controller/transactions/begin/make-offer.ts';
import { applySide, registerRelation } from '../src/controller/transactions/remote/remote-side.ts';
import type { Tx } from '../src/controller/transactions/tx.ts';
import { macaroonToJson } from '../src/kit/macaroon/encode.ts';
import { countMarks } from '../src/wire/check-marks.ts';
import type { Store } from '../src/store/store.ts';
import type { Request } from './turns-client.ts';

/** Model that consumes the offer. */
const consumer = '00000000-0000-4000-8000-00000000c0de';
const endpoint = { name: 'db', role: 'requirer', interface: 'mysql', limit: 0 } as const;
const token = uuidOf(0);
/** Units of the consuming application. */
export const unitsThere = Math.floor(limits.remoteUnitsOfRelation.max / 2);
const bags = { settings: { 'ingress-address': '10.1.1.1', 'egress-subnets': '10.1.1.1/32', database: 'wp' } };

function uuidOf(n: number): string {
  return `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
}

/** Offers `packed`, and registers a relation of it. Returns the relation's number. */
export function registerConsumer(tx: Tx): string {
  const endpoints = { server: 'server' };
  const args = { name: 'packed', application: 'packed', endpoints, description: '', owner: 'admin' };
  const { uuid: offerUuid } = makeOffer(tx, args);
  registerRelation(tx, {
    token,
    applicationToken: token,
    model: consumer,
    offerUuid,
    offerEndpoint: 'server',
    endpoint,
    user: 'admin',
  });
  const [relation] = tx.find('relation', 'token', token);
  return String(relation!.id);
}

/** Lets units of the consuming application enter the relation. */
export function enterConsumers(tx: Tx, relation: string, { from, to }: { from: number; to: number }): void {
  applySide(tx, relation, { life: 'alive', forced: false, units: numbered(from, to, bags), departed: [] });
}

function numbered<T extends object>(from: number, to: number, rest: T): ({ readonly number: number } & T)[] {
  return Array.from({ length: to - from }, (_, n) => ({ number: from + n, ...rest }));
}

/** Mints the macaroons that the other controller shows. */
export class Crossing {
  readonly #model: string;
  readonly #of: () => { readonly store: Store<Entities>; readonly services: Services };

  constructor(model: string, of: () => { readonly store: Store<Entities>; readonly services: Services }) {
    this.#model = model;
    this.#of = of;
  }

  #proof(relation?: string): { readonly macaroons: unknown; readonly 'bakery-version': number } {
    const { store, services } = this.#of();
    const consent = { user: 'admin', since: services.clock.now(), offer: this.#offer(), model: this.#model };
    const macaroon = new OfferMacaroons({ store, services }).mint(
      relation === undefined ? consent : { ...consent, relation },
    );
    return { macaroons: [macaroonToJson(macaroon)], 'bakery-version': 3 };
  }

  #offer(): string {
    return this.#of().store.read().in(this.#model).get('offer', 'packed')!.uuid;
  }

  /**
   * Returns the request that starts watching for the events of a facade's watcher; undefined when that watcher reports
   * something else.
   */
  watch(facade: string): Request | undefined {
    const method = (
      {
        RemoteRelationWatcher: 'WatchRelationChanges',
        RelationStatusWatcher: 'WatchRelationsSuspendedStatus',
        OfferStatusWatcher: 'WatchOfferStatus',
        SecretsRevisionWatcher: 'WatchConsumedSecretsChanges',
      } as Readonly<Record<string, string>>
    )[facade];
    if (method === undefined) return undefined;
    const item = method === 'WatchOfferStatus' ? this.#ofOffer() : this.#ofRelation();
    return { facade: 'CrossModelRelations', method, version: 3, args: { args: [item] } };
  }

  #ofRelation(): object {
    return { 'relation-token': token, 'application-token': token, ...this.#proof(token) };
  }

  #ofOffer(): object {
    return { 'offer-uuid': this.#offer(), ...this.#proof() };
  }

  /** Returns arguments of a method, chosen by what is large in them. */
  arguments(method: string, bytes: number): Readonly<Record<string, () => unknown>> {
    switch (method) {
      case 'PublishRelationChanges':
        return this.#publications(bytes);
      case 'PublishIngressNetworkChanges':
        return {
          'in turn': () => ({
            changes: this.#many(bytes, this.#ofRelation(), (n) => ({
              networks: Array.from({ length: limits.viaCidrs.max }, (_, i) => `10.${n % 256}.${i}.0/24`),
              'ingress-required': true,
            })),
          }),
        };
      case 'RegisterRemoteRelations':
        return this.#registrations(bytes);
      case 'WatchOfferStatus':
        return { valid: () => ({ args: this.#many(bytes, this.#ofOffer(), () => ({})) }) };
      default:
        return { valid: () => ({ args: this.#many(bytes, this.#ofRelation(), () => ({})) }) };
    }
  }

  /** Repeats an item as often as a request may have items. */
  #many(bytes: number, shared: object, rest: (n: number) => object): object[] {
    const one = Buffer.from(JSON.stringify({ ...shared, ...rest(9_999) }));
    const length = Math.min(bytes / (one.length + 1), (0.95 * limits.requestMarks.max) / countMarks(one));
    return Array.from({ length: Math.min(length, limits.listEntries.max) }, (_, n) => ({
      ...shared,
      ...rest(n),
    }));
  }

  #publications(bytes: number): Readonly<Record<string, () => unknown>> {
    const change = (rest: object) => () => ({
      changes: [{ ...this.#change(), ...rest }],
    });
    const most = Math.min(limits.listEntries.max, Math.floor(bytes / 300));
    const units = (from: number, length: number, settings: object) =>
      Array.from({ length }, (_, n) => ({ 'unit-id': from + n, settings }));
    const long = (size: number) => ({ long: 'x'.repeat(Math.min(size, bytes / 5)) });
    const keys = Math.floor(Math.min(limits.databagKeys.max, bytes / 250));
    return {
      'many units': change({ 'changed-units': units(0, most, { database: 'x'.repeat(200) }) }),
      'new units': change({ 'changed-units': units(unitsThere, most, { database: 'x'.repeat(200) }) }),
      'long settings': change({ 'changed-units': units(0, 4, long(limits.databag.max - 100)) }),
      'settings of many keys': change({
        'changed-units': Array.from({ length: 4 }, (_, unit) => ({
          'unit-id': unit,
          settings: keyed(keys, 'x'.repeat(100)),
        })),
      }),
      "the application's settings and many units": change({
        'application-settings': keyed(keys, 'x'.repeat(100)),
        'changed-units': units(0, most, { database: 'x' }),
      }),
      departures: change({ 'departed-units': Array.from({ length: most }, (_, n) => n) }),
      'the end': change({ life: 'dying' }),
      'the end, with force': change({ life: 'dying', 'force-cleanup': true }),
      'in many changes': () => ({
        changes: this.#many(bytes, this.#change(), (n) => ({
          'changed-units': units(n % unitsThere, 1, { database: String(n) }),
        })),
      }),
      'settings of the application in many changes': () => ({
        changes: this.#many(bytes, this.#change(), (n) => ({ 'application-settings': { n: String(n) } })),
      }),
    };
  }

  #change(): object {
    const rest = { life: 'alive', 'unit-count': unitsThere, 'suspended-reason': '' };
    return { ...this.#ofRelation(), ...rest, 'changed-units': [], 'departed-units': [] };
  }

  #registrations(bytes: number): Readonly<Record<string, () => unknown>> {
    const shared = (): object => ({
      'source-model-tag': `model-${consumer}`,
      'remote-endpoint': endpoint,
      'offer-uuid': this.#offer(),
      'local-endpoint-name': 'server',
      ...this.#proof(),
    });
    const relations = (rest: (n: number) => object) => () => ({
      relations: this.#many(bytes, shared(), rest),
    });
    return {
      'of many applications': relations((n) => ({
        'relation-token': uuidOf(n + 1),
        'application-token': uuidOf(n + 1),
      })),
      'of one application': relations((n) => ({
        'relation-token': uuidOf(n + 1),
        'application-token': token,
        'remote-endpoint': { ...endpoint, name: `db${n}` },
      })),
      again: relations(() => ({ 'relation-token': token, 'application-token': token })),
    };
  }
}

function keyed(count: number, value: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, value]));
}
