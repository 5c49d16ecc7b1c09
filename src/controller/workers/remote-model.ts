/**
 * A model of another controller, by the facade CrossModelRelations there (offers.md#over-the-wire): methods of the
 * contract are answered from what the watchers there have told.
 */
import { hasCode, JujuError } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import { cut, limits } from '../../core/limits.ts';
import type { RelationDoc } from '../../core/relation/document.ts';
import { remoteEnd } from '../../core/relation/ends.ts';
import type { SideState } from '../../core/relation/side.ts';
import type { Status } from '../../core/status.ts';
import { isoTime } from '../../kit/clock.ts';
import { macaroonToJson } from '../../kit/macaroon/encode.ts';
import { bakeryFromJson } from '../../kit/macaroon/slices.ts';
import type { Store } from '../../store/store.ts';
import { checked, only, peerAnswers, readAnswer, type PeerOffer } from '../../wire/peer-answers.ts';
import { modelTag } from '../../wire/tags.ts';
import { followModel } from '../migration/follow-model.ts';
import type { Services } from '../services.ts';
import { keepMacaroon, type Registration } from '../transactions/remote/remote-side.ts';
import type { View } from '../transactions/tx.ts';
import { nameOfSecret, type OfferingModel, type SecretNews } from '../offering-model.ts';
import { keepRenewed } from './keep-renewed.ts';
import { Peer } from './peer.ts';
import {
  applyEvent,
  applyLives,
  applySecrets,
  eventOf,
  nameOf,
  nothingTold,
  stateOf,
  type Told,
} from './peer-relation.ts';
import { stopAll, Watched, type Following, type Opened } from './watched.ts';

const by = 'remote-relations';
const facade = 'CrossModelRelations';
const dischargesMax = 1_000;

interface Needs {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'clock' | 'random' | 'elsewhere' | 'sealer'>;
  /** UUID of the consuming model. */
  readonly modelUuid: string;
  /** UUID of the other controller, and of its model. */
  readonly controller: string;
  readonly model: string;
}

/** Macaroons of an item of a call: one with its discharges, in JSON. */
type Slice = readonly unknown[];

export class RemoteModel implements OfferingModel {
  readonly #needs: Needs;
  readonly #peer: Peer;
  readonly #relations = new Map<string, Watched<Told>>();
  readonly #offers = new Map<string, Watched<{ status: Status }>>();
  readonly #offerListeners = new Set<() => void>();
  /** Slices with discharges, by the sealed macaroon that they are for. */
  readonly #discharged = new Map<string, Slice>();
  /** Networks that the other controller knows, by relation. */
  readonly #networks = new Map<string, string>();

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#peer = new Peer({
      services: needs.services,
      model: needs.model,
      controller: () => this.#read().get('external-controller', needs.controller),
      onReturn: () => this.#returned(),
      follow: (error) =>
        followModel(
          needs.store,
          { consumer: needs.modelUuid, model: needs.model, from: needs.controller },
          error,
        ),
    });
  }

  async register(args: Registration): Promise<void> {
    const { services, store, modelUuid } = this.#needs;
    const registration = {
      'application-token': args.applicationToken,
      'source-model-tag': modelTag(args.model),
      'relation-token': args.token,
      'remote-endpoint': args.endpoint,
      'offer-uuid': args.offerUuid,
      'local-endpoint-name': args.offerEndpoint,
      'consume-version': 1,
    };
    const answer = await this.#authorized(this.#macaroonOfOffer(args.offerUuid), (macaroons) =>
      this.#ask('RegisterRemoteRelations', 'relations', { ...registration, macaroons }),
    );
    const { macaroon } = only(readAnswer(peerAnswers.registered, answer)).result ?? {};
    const sealed = services.sealer.seal(JSON.stringify(macaroonToJson(bakeryFromJson(macaroon).macaroon)));
    await store.change((root) => keepMacaroon(root.in(modelUuid), args.token, sealed), by);
  }

  async publish(token: string, state: SideState): Promise<void> {
    const relation = this.#find(token);
    const consumed = relation?.remote?.consumed ?? this.#read().get('relation-end', token);
    if (!consumed) return;
    const { macaroon = '', applicationToken } = consumed;
    const named = { 'relation-token': token, 'application-token': applicationToken };
    const count = relation ? this.#read().count('scope', 'local', String(relation.id)) : 0;
    const told = { ...named, ...eventOf(state, count) };
    await this.#tell(macaroon, 'PublishRelationChanges', told);
    const networks = state.networks.join();
    if (state.life !== 'alive' || this.#networks.get(token) === networks) return;
    await this.#tell(macaroon, 'PublishIngressNetworkChanges', {
      ...named,
      networks: state.networks,
      'ingress-required': state.networks.length > 0,
    });
    this.#networks.set(token, networks);
  }

  async units(token: string): Promise<readonly string[] | undefined> {
    const told = await this.#relation(token).state();
    return told && told.life !== 'dead' ? [...this.#namesOf(token, told)] : undefined;
  }

  async read(token: string, units: readonly string[]): Promise<SideState | undefined> {
    const told = await this.#relation(token).state();
    return told && told.life !== 'dead' ? stateOf(told, units) : undefined;
  }

  async revisions(token: string, only?: readonly string[]): Promise<SecretNews[]> {
    const { secrets = new Map<string, number>() } = (await this.#relation(token).state()) ?? {};
    return [...(only ?? secrets.keys())].flatMap((id) => {
      const revision = secrets.get(id);
      return revision === undefined ? [] : [{ id, revision }];
    });
  }

  async offerStatus(offerUuid: string): Promise<Status | undefined> {
    this.#dropOffers();
    let watched = this.#offers.get(offerUuid);
    if (!watched) {
      watched = this.#watched(
        () => this.#openOffer(offerUuid),
        () => [''],
      );
      watched.listen(() => this.#offersChanged());
      this.#offers.set(offerUuid, watched);
    }
    return (await watched.state())?.status;
  }

  watch(token: string, changed: (unit: string) => void): () => void {
    const watched = this.#relation(token);
    const end = watched.listen(changed);
    return () => {
      end();
      if (watched.isHeard || this.#relations.get(token) !== watched) return;
      this.#relations.delete(token);
      this.#networks.delete(token);
      watched.stop();
    };
  }

  watchOffers(changed: () => void): () => void {
    this.#offerListeners.add(changed);
    return () => {
      this.#offerListeners.delete(changed);
    };
  }

  stop(): void {
    for (const one of [...this.#relations.values(), ...this.#offers.values()]) one.stop();
    this.#peer.stop();
  }

  /** Stops watching offers that are not consumed any more. */
  #dropOffers(): void {
    const view = this.#read();
    const { controller } = this.#needs;
    if (this.#offers.size <= view.count('remote-application', 'controller', controller)) return;
    const consumed = new Set(
      [...view.find('remote-application', 'controller', controller)].map(({ saas }) => saas?.offerUuid),
    );
    for (const [uuid, watched] of this.#offers) {
      if (consumed.has(uuid)) continue;
      watched.stop();
      this.#offers.delete(uuid);
    }
  }

  #relation(token: string): Watched<Told> {
    let watched = this.#relations.get(token);
    if (!watched) {
      watched = this.#watched(
        () => this.#openRelation(token),
        (told) => [...this.#namesOf(token, told), ...[...told.secrets.keys()].map(nameOfSecret)],
      );
      this.#relations.set(token, watched);
    }
    return watched;
  }

  #watched<T>(open: () => Promise<Opened<T> | undefined>, names: (state: T) => Iterable<string>): Watched<T> {
    return new Watched({ peer: this.#peer, clock: this.#needs.services.clock, open, names });
  }

  async #openRelation(token: string): Promise<Opened<Told> | undefined> {
    const { macaroon = '', applicationToken = '' } = this.#find(token)?.remote?.consumed ?? {};
    const item = { 'relation-token': token };
    const state = nothingTold();
    const following: Following[] = [];
    try {
      const first = await this.#orGone(macaroon, 'WatchRelationChanges', item);
      if (!first) return undefined;
      const changes = only(readAnswer(peerAnswers.relation, first));
      following.push({
        facade: 'RemoteRelationWatcher',
        id: changes['watcher-id'],
        apply: (answer) => {
          const { isComplete } = state;
          const names = applyEvent(state, checked(readAnswer(peerAnswers.nextOfRelation, answer)).changes);
          // The complete state now tells which units left while nobody followed.
          return isComplete || !state.isComplete ? names : ['', ...this.#namesOf(token, state)];
        },
      });
      const second = await this.#orGone(macaroon, 'WatchRelationsSuspendedStatus', item);
      if (!second) throw new JujuError('not found', `relation "${token}" not found`);
      const lives = only(readAnswer(peerAnswers.lives, second));
      following.push({
        facade: 'RelationStatusWatcher',
        id: lives['watcher-id'],
        apply: (answer) => applyLives(state, checked(readAnswer(peerAnswers.nextOfLives, answer)).changes),
      });
      const about = { ...item, 'application-token': applicationToken };
      const third = await this.#watchSecrets(macaroon, about);
      if (third) following.push(this.#followSecrets(third['watcher-id'], state));
      applyEvent(state, changes.changes);
      applyLives(state, lives.changes);
      if (third) applySecrets(state, third.changes);
      return { state, following };
    } catch (error) {
      await stopAll(this.#peer, following);
      if (hasCode(error, 'not found')) return undefined;
      throw error;
    }
  }

  #followSecrets(id: string, state: Told): Following {
    return {
      facade: 'SecretsRevisionWatcher',
      id,
      apply: (answer) => applySecrets(state, checked(readAnswer(peerAnswers.nextOfSecrets, answer)).changes),
    };
  }

  /** Begins to watch the secrets that are read there; undefined when that controller offers none to others. */
  async #watchSecrets(macaroon: string, item: object) {
    try {
      const answer = await this.#orGone(macaroon, 'WatchConsumedSecretsChanges', item);
      return answer === undefined ? undefined : only(readAnswer(peerAnswers.secrets, answer));
    } catch (error) {
      if (hasCode(error, 'not implemented')) return undefined;
      throw error;
    }
  }

  async #openOffer(offerUuid: string): Promise<Opened<{ status: Status }> | undefined> {
    const macaroon = this.#macaroonOfOffer(offerUuid);
    const answer = await this.#orGone(macaroon, 'WatchOfferStatus', { 'offer-uuid': offerUuid });
    if (!answer) return undefined;
    const opened = only(readAnswer(peerAnswers.offers, answer));
    const unknown = { status: 'unknown', message: '', since: isoTime(this.#needs.services.clock) };
    const state = { status: this.#statusOf(opened.changes) ?? unknown };
    return {
      state,
      following: [
        {
          facade: 'OfferStatusWatcher',
          id: opened['watcher-id'],
          apply: (next) => {
            const { changes } = checked(readAnswer(peerAnswers.nextOfOffers, next));
            state.status = this.#statusOf(changes) ?? state.status;
            return [''];
          },
        },
      ],
    };
  }

  #statusOf(changes: readonly PeerOffer[]): Status | undefined {
    const last = changes.at(-1)?.status;
    if (!last) return undefined;
    const since = Date.parse(last.since ?? '');
    return {
      status: cut(limits.endpointName, last.status),
      message: cut(limits.statusMessage, last.info),
      since: Number.isNaN(since) ? isoTime(this.#needs.services.clock) : new Date(since).toISOString(),
    };
  }

  /** Answer of a call about something that may be gone; undefined when it is gone. */
  async #orGone(macaroon: string, method: string, item: object): Promise<unknown> {
    try {
      return await this.#authorized(macaroon, (macaroons) =>
        this.#ask(method, 'args', { ...item, macaroons }),
      );
    } catch (error) {
      if (hasCode(error, 'not found')) return undefined;
      throw error;
    }
  }

  /** Tells the other controller something, unless the subject is gone there. */
  async #tell(macaroon: string, method: string, item: object): Promise<void> {
    try {
      await this.#authorized(macaroon, (macaroons) => this.#ask(method, 'changes', { ...item, macaroons }));
    } catch (error) {
      if (!hasCode(error, 'not found')) throw error;
    }
  }

  /** Makes a call about one item. Errors: the item's own. */
  async #ask(method: string, list: string, item: object): Promise<unknown> {
    const answer = await this.#peer.call(facade, method, { [list]: [{ ...item, 'bakery-version': 3 }] });
    only(readAnswer(peerAnswers.done, answer));
    return answer;
  }

  /**
   * Makes a call with a macaroon, and once more with its discharges when these are asked for. Errors: `unauthorized
   * access` when they are refused; those of the call.
   */
  async #authorized<R>(sealed: string, call: (macaroons: Slice) => Promise<R>): Promise<R> {
    const { sealer } = this.#needs.services;
    if (sealed === '') throw new JujuError('unauthorized access', 'there is no macaroon for the offer');
    try {
      return await call(this.#discharged.get(sealed) ?? [JSON.parse(sealer.open(sealed)) as unknown]);
    } catch (error) {
      if (!hasCode(error, 'macaroon discharge required')) throw error;
      this.#discharged.delete(sealed);
      const slice = await this.#discharge(error as JujuError);
      // Forgotten discharges are asked for again.
      if (this.#discharged.size >= dischargesMax) this.#discharged.clear();
      this.#discharged.set(await keepRenewed(this.#needs, sealed, error as JujuError), slice);
      return await call(slice);
    }
  }

  async #discharge({ info }: JujuError): Promise<Slice> {
    try {
      return await this.#peer.discharge(info?.['bakery-macaroon'] ?? info?.['macaroon']);
    } catch (error) {
      if (hasCode(error, 'try again')) throw error;
      throw new JujuError('unauthorized access', (error as Error).message, { cause: error });
    }
  }

  /** Reads all that is watched anew after a loss of the connection, in which news may have been lost. */
  #returned(): void {
    this.#networks.clear();
    for (const one of [...this.#relations.values(), ...this.#offers.values()]) one.reset();
    this.#offersChanged();
  }

  #offersChanged(): void {
    for (const changed of this.#offerListeners) changed();
  }

  /** Units that the offering side has, and those that this model still attributes to it. */
  #namesOf(token: string, { units }: Told): Set<string> {
    const names = new Set([...units.keys()].map(nameOf));
    const relation = this.#find(token);
    const end = relation && remoteEnd(relation);
    if (!end) return names;
    for (const { unit } of this.#read().find('scope', 'side', `${relation.id} ${end.application}`))
      names.add(nameOf(Number(unit.slice(unit.lastIndexOf('/') + 1))));
    return names;
  }

  #macaroonOfOffer(offerUuid: string): string {
    for (const { saas } of this.#read().find('remote-application', 'controller', this.#needs.controller))
      if (saas?.offerUuid === offerUuid) return saas.elsewhere?.macaroon ?? '';
    return '';
  }

  #find(token: string): RelationDoc | undefined {
    return [...this.#read().find('relation', 'token', token)].find(({ remote }) => remote?.consumed);
  }

  #read(): View {
    return this.#needs.store.read().in(this.#needs.modelUuid);
  }
}
