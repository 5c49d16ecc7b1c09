import { networksOfSide } from '../../../core/relation/side.ts';
import { localEnd } from '../../../core/relation/ends.ts';
import type { Status } from '../../../core/status.ts';
import { notFound } from '../../../core/errors.ts';
import { isoTime } from '../../../kit/clock.ts';
import type { crossModelRelations as spec } from '../../../wire/facades/cross-model-relations.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { egressOf, watchSide } from '../../offering-model.ts';
import {
  ConsumedSecretsNews,
  EgressNews,
  OfferNews,
  SideNews,
  SuspensionNews,
} from '../../watchers/remote-news.ts';
import { bulk } from '../shared/bulk.ts';
import { allowedRelation, modelOf, shownBy, viewOf, type OfferedRelation } from './relation.ts';

type Args<M extends keyof (typeof spec)['methods']> = ParamsOf<typeof spec, M>;
type Result<M extends keyof (typeof spec)['methods']> = Promise<ResultOf<typeof spec, M>>;

/** Begins to watch what the offering sides of relations tell. */
export async function watchRelationChanges(
  call: Call,
  { args }: Args<'WatchRelationChanges'>,
): Result<'WatchRelationChanges'> {
  const results = await bulk(call, args, (item) => {
    const { relation, offered, consent, token } = allowedRelation(call, item);
    const side = `${relation.id} ${localEnd(relation).application}`;
    const watcher = new SideNews(
      {
        model: modelOf(call),
        mayRead: () => call.offerMacaroons.allows(consent),
        unitCount: () => viewOf(call).count('scope', 'side', side),
      },
      { token, offer: viewOf(call).get('offer', offered.offer)?.uuid ?? consent.offer },
    );
    return begin(call, watcher, token);
  });
  return { results: results.map(withId) };
}

/** Begins to watch lives and suspensions of relations. */
export async function watchRelationsSuspendedStatus(
  call: Call,
  { args }: Args<'WatchRelationsSuspendedStatus'>,
): Result<'WatchRelationsSuspendedStatus'> {
  const { clock, dispatch } = call.services;
  const results = await bulk(call, args, (item) => {
    const { relation, token } = allowedRelation(call, item);
    const { key } = relation;
    const id = String(relation.id);
    const watcher = new SuspensionNews({
      clock,
      read: () => {
        const { life = 'dead', suspended } = viewOf(call).get('relation', id) ?? {};
        return [
          { key, life, suspended: suspended !== undefined, 'suspended-reason': suspended?.reason ?? '' },
        ];
      },
      subscribe: (changed) => dispatch.on(call.modelUuid, `relation ${id}`, changed),
    });
    return begin(call, watcher, token);
  });
  return { results: results.map(withId) };
}

/** Begins to watch the statuses of offered applications. */
export async function watchOfferStatus(
  call: Call,
  { args }: Args<'WatchOfferStatus'>,
): Result<'WatchOfferStatus'> {
  const { clock } = call.services;
  const model = modelOf(call);
  const results = await bulk(call, args, (item) => {
    const uuid = item['offer-uuid'];
    const [offer] = viewOf(call).find('offer', 'uuid', uuid);
    if (!offer) throw notFound('application offer', uuid.slice(0, 100));
    call.offerMacaroons.check(shownBy(call, item), { model: call.modelUuid, offer: uuid });
    const watcher = new OfferNews({
      clock,
      read: async () => {
        const status = (await model.offerStatus(uuid)) ?? endOf(call);
        const { status: word, message: info, since } = status;
        return [{ 'offer-name': offer.name, status: { status: word, info, since } }];
      },
      subscribe: (changed) => model.watchOffers(changed),
    });
    return begin(call, watcher);
  });
  return { results: results.map(withId) };
}

function endOf({ services }: Call): Status {
  return { status: 'terminated', message: 'offer has been removed', since: isoTime(services.clock) };
}

/** Begins to watch the networks that the offering sides' units come from. */
export async function watchEgressAddresses(
  call: Call,
  { args }: Args<'WatchEgressAddressesForRelations'>,
): Result<'WatchEgressAddressesForRelations'> {
  const results = await bulk(call, args, (item) => {
    const found = allowedRelation(call, item);
    const { clock, dispatch } = call.services;
    const watcher = new EgressNews({
      clock,
      read: () => egressOfRelation(call, found),
      subscribe: (changed) => {
        const ends = [
          watchSide(dispatch, call.modelUuid, found.relation, changed),
          dispatch.on('', `model ${call.modelUuid}`, changed),
        ];
        return () => ends.forEach((end) => end());
      },
    });
    return begin(call, watcher, found.token);
  });
  return { results: results.map(withId) };
}

function egressOfRelation(call: Call, { relation: { id } }: OfferedRelation): readonly string[] {
  const view = viewOf(call);
  const relation = view.get('relation', String(id));
  return relation ? networksOfSide(view, relation, egressOf(view)) : [];
}

/** Begins to watch the secrets that units of consuming applications read. */
export async function watchConsumedSecrets(
  call: Call,
  { args }: Args<'WatchConsumedSecretsChanges'>,
): Result<'WatchConsumedSecretsChanges'> {
  const results = await bulk(call, args, (item) => {
    const { consent, token } = allowedRelation(call, item);
    const mayRead = (): boolean => call.offerMacaroons.allows(consent);
    const watcher = new ConsumedSecretsNews(
      { model: modelOf(call), mayRead },
      { token, model: call.modelUuid },
    );
    return begin(call, watcher, token);
  });
  return { results: results.map(withId) };
}

/**
 * Registers a watcher, of a relation by its token, and takes its first news: a watcher for which there is no room reads
 * nothing.
 */
async function begin<T>(
  { connection, modelUuid }: Call,
  watcher: { next(): Promise<T>; stop(): void },
  token?: string,
): Promise<{ 'watcher-id': string; changes: T }> {
  const id = connection.register(watcher, token === undefined ? undefined : `${modelUuid} ${token}`);
  try {
    return { 'watcher-id': id, changes: await watcher.next() };
  } catch (error) {
    connection.remove(id);
    throw error;
  }
}

/** An error has no watcher: its id is ''. */
function withId<R extends object>(result: R): R & { 'watcher-id': string } {
  return { 'watcher-id': '', ...result };
}
