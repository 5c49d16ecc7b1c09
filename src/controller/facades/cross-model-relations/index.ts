import type {
  crossModelRelations as spec,
  offerStatusWatcher as offerStatusSpec,
  relationStatusWatcher as relationStatusSpec,
  remoteRelationWatcher as remoteRelationSpec,
  secretsRevisionWatcher as secretsRevisionSpec,
} from '../../../wire/facades/cross-model-relations.ts';
import type { Call, FacadeTable } from '../../facade.ts';
import { ConsumedSecretsNews, OfferNews, SideNews, SuspensionNews } from '../../watchers/remote-news.ts';
import { stopWatcher, watcherOf } from '../shared/watched.ts';
import { publishIngressNetworkChanges, publishRelationChanges } from './publish.ts';
import { registerRemoteRelations } from './register.ts';
import {
  watchConsumedSecrets,
  watchEgressAddresses,
  watchOfferStatus,
  watchRelationChanges,
  watchRelationsSuspendedStatus,
} from './watch.ts';

/** Offers as other controllers consume them. Each item is checked by its macaroons (offers.md#offer-macaroons). */
export const crossModelRelations = {
  PublishIngressNetworkChanges: { needs: 'anonymous', run: publishIngressNetworkChanges },
  PublishRelationChanges: { needs: 'anonymous', run: publishRelationChanges },
  RegisterRemoteRelations: { needs: 'anonymous', run: registerRemoteRelations },
  WatchConsumedSecretsChanges: { needs: 'anonymous', run: watchConsumedSecrets },
  WatchEgressAddressesForRelations: { needs: 'anonymous', run: watchEgressAddresses },
  WatchOfferStatus: { needs: 'anonymous', run: watchOfferStatus },
  WatchRelationChanges: { needs: 'anonymous', run: watchRelationChanges },
  WatchRelationsSuspendedStatus: { needs: 'anonymous', run: watchRelationsSuspendedStatus },
} satisfies FacadeTable<typeof spec>;

/** Answer of a watcher's Next, without its id: the call that began to watch has returned that. */
const told = async <T>(news: Promise<T>): Promise<{ 'watcher-id': string; changes: T }> => ({
  'watcher-id': '',
  changes: await news,
});
const stop = { needs: 'anonymous', run: (call: Call) => stopWatcher(call) } as const;

export const remoteRelationWatcher = {
  Next: { needs: 'anonymous', run: (call) => told(watcherOf(call, SideNews).next()) },
  Stop: stop,
} satisfies FacadeTable<typeof remoteRelationSpec>;

export const relationStatusWatcher = {
  Next: { needs: 'anonymous', run: (call) => told(watcherOf(call, SuspensionNews).next()) },
  Stop: stop,
} satisfies FacadeTable<typeof relationStatusSpec>;

export const offerStatusWatcher = {
  Next: { needs: 'anonymous', run: (call) => told(watcherOf(call, OfferNews).next()) },
  Stop: stop,
} satisfies FacadeTable<typeof offerStatusSpec>;

export const secretsRevisionWatcher = {
  Next: { needs: 'anonymous', run: (call) => told(watcherOf(call, ConsumedSecretsNews).next()) },
  Stop: stop,
} satisfies FacadeTable<typeof secretsRevisionSpec>;
