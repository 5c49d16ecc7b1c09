/**
 * Carries relations with other models, for the consuming side (offers.md#who-carries): what this model's units set goes
 * to the offering model, what that one's units set comes here, and so do the end and the suspension of a relation. Each
 * pass tells what is so now, so nothing is lost that a killed controller had still to tell.
 */
import { hasCode, JujuError } from '../../core/errors.ts';
import type { RelationDoc } from '../../core/relation/document.ts';
import { localEnd, remoteEnd } from '../../core/relation/ends.ts';
import { readSide, unitsOfSide, type SideState } from '../../core/relation/side.ts';
import type { RemoteApplicationDoc } from '../../core/remote-application/document.ts';
import { DirtyIds } from '../../kit/dirty-ids.ts';
import { isoTime } from '../../kit/clock.ts';
import {
  applySide,
  markRegistered,
  otherSideEnded,
  refuseRegistration,
  setSaasStatus,
} from '../transactions/remote-side.ts';
import type { Tx, View } from '../transactions/tx.ts';
import { inBatches } from './in-batches.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';
import { egressOf, localModel, watchSide, type OfferingModel } from '../offering-model.ts';

const by = 'remote-relations';
/** Units that are told in one change. */
const batch = 100;
/** Interval of attempts to make the other side of a relation that was refused. */
const retryMs = 5_000;
/** Least interval of looks at the status of what was consumed: it is that of all of an application's units. */
const statusMs = 2_000;

type Needs = WorkerNeeds<'clock' | 'dispatch' | 'log' | 'between'>;

/** Units of one side that have to be told. */
type Units = Set<string> | 'all';

/** A relation that is carried. */
interface Link {
  ours: Units;
  theirs: Units;
  readonly ends: (() => void)[];
  isWatched: boolean;
  /** Tells the other side that this one is gone: a removal by force has not waited for that. */
  readonly end: () => Promise<void>;
}

/** What is left to tell of a side that is gone. */
const removedByForce: SideState = { life: 'dying', forced: true, units: [], departed: [], networks: [] };

export class RemoteRelations implements ModelWorker {
  readonly #needs: Needs;
  readonly #dirty: DirtyIds;
  readonly #links = new Map<string, Link>();
  readonly #models = new Map<string, OfferingModel>();
  /** Ends of watches of offers, by model. */
  readonly #offers = new Map<string, () => void>();
  readonly #subscriptions: readonly (() => void)[];
  #statusIsStale = true;
  #nextStatus = 0;

  constructor(needs: Needs) {
    this.#needs = needs;
    const { dispatch } = needs.services;
    this.#dirty = new DirtyIds(() =>
      [...this.#read().find('relation', 'remote', 'consumed')].map(({ id }) => String(id)),
    );
    this.#subscriptions = [
      dispatch.on(needs.modelUuid, 'relation@remote consumed', ({ id }) => this.#changed(id)),
      dispatch.on(needs.modelUuid, 'remote-application@saas saas', ({ before, after }) => {
        if (before && after && before.ending === after.ending) return;
        this.#statusIsStale = true;
        needs.wake();
      }),
    ];
  }

  /** Runs one pass. Returns milliseconds until it has to look again. */
  async pass(signal: AbortSignal): Promise<number | undefined> {
    let delay: number | undefined;
    await this.#dirty.take(async (ids) => {
      for (const id of ids) {
        signal.throwIfAborted();
        if (await this.#carry(id, signal)) continue;
        this.#dirty.add([id]);
        delay = retryMs;
      }
    });
    const statusDelay = await this.#hearStatuses();
    return Math.min(delay ?? Infinity, statusDelay ?? Infinity) === Infinity
      ? undefined
      : Math.min(delay ?? Infinity, statusDelay ?? Infinity);
  }

  stop(): void {
    for (const end of [...this.#subscriptions, ...this.#offers.values()]) end();
    for (const id of this.#links.keys()) this.#drop(id);
  }

  #changed(id: string): void {
    this.#dirty.add([id]);
    this.#needs.wake();
  }

  /** Carries one relation as far as it can be; false: try again later. */
  async #carry(id: string, signal: AbortSignal): Promise<boolean> {
    const relation = this.#read().get('relation', id);
    const remote = relation && this.#read().get('remote-application', relation.remote?.application ?? '');
    const { consumed, token = '' } = relation?.remote ?? {};
    if (!relation) await this.#links.get(id)?.end();
    if (!relation || !remote || !consumed || consumed.state === 'told') {
      this.#drop(id);
      return true;
    }
    const model = this.#model(remote.model);
    if (consumed.state === 'new' && relation.life === 'alive') {
      const registered = await this.#register(relation, remote, model);
      if (registered !== 'done') return registered === 'ended';
    }
    const link = this.#link(relation, () => model.publish(token, removedByForce));
    if (!link.isWatched && relation.life === 'alive') {
      link.isWatched = true;
      link.ends.push(
        model.watch(token, (unit) => {
          if (unit !== '' && link.theirs !== 'all') link.theirs.add(unit);
          this.#changed(id);
        }),
      );
    }
    try {
      const isThere = await this.#receive(id, token, { model, link, signal });
      if (!isThere && relation.life === 'alive') {
        await this.#change((tx) => otherSideEnded(tx, id));
        this.#drop(id);
        return true;
      }
      await this.#tell(id, token, { model, link, signal });
    } catch (error) {
      // What was taken out of the sets may not have been told.
      link.ours = 'all';
      link.theirs = 'all';
      throw error;
    }
    return true;
  }

  async #register(
    relation: RelationDoc,
    remote: RemoteApplicationDoc,
    model: OfferingModel,
  ): Promise<'done' | 'ended' | 'refused'> {
    const { saas } = remote;
    const end = remoteEnd(relation);
    const local = localEnd(relation);
    const { consumed, token = '' } = relation.remote ?? {};
    if (!saas || !end || !consumed) return 'ended';
    const id = String(relation.id);
    try {
      await model.register({
        token,
        applicationToken: consumed.applicationToken,
        model: this.#needs.modelUuid,
        offerUuid: saas.offerUuid,
        offerEndpoint: end.name,
        endpoint: { name: local.name, role: local.role, interface: local.interface, limit: local.limit },
        user: saas.user,
      });
    } catch (error) {
      if (!(error instanceof JujuError)) throw error;
      if (hasCode(error, 'not found') && !(await model.offerStatus(saas.offerUuid))) {
        await this.#change((tx) => otherSideEnded(tx, id));
        return 'ended';
      }
      await this.#change((tx) => refuseRegistration(tx, id, error.message));
      return 'refused';
    }
    await this.#change((tx) => markRegistered(tx, id));
    return 'done';
  }

  /** Takes over what the other side tells; false when it is gone. */
  async #receive(
    id: string,
    token: string,
    { model, link, signal }: { model: OfferingModel; link: Link; signal: AbortSignal },
  ): Promise<boolean> {
    const units = link.theirs;
    link.theirs = new Set();
    const names = units === 'all' ? await model.units(token) : [...units];
    if (!names) return false;
    let isThere = true;
    await inBatches(batchesOf(names), 1, signal, async ([some = []]) => {
      const state = await model.read(token, some);
      if (state) await this.#change((tx) => applySide(tx, id, state));
      else isThere = false;
    });
    return isThere;
  }

  /** Tells the other side of this one, and records that it knows of the end. */
  async #tell(
    id: string,
    token: string,
    { model, link, signal }: { model: OfferingModel; link: Link; signal: AbortSignal },
  ): Promise<void> {
    const units = link.ours;
    link.ours = new Set();
    const first = this.#read().get('relation', id);
    if (!first) return;
    const names = units === 'all' ? [...unitsOfSide(this.#read(), first)] : [...units];
    await inBatches(batchesOf(names), 1, signal, async ([some = []]) => {
      const view = this.#read();
      const relation = view.get('relation', id);
      if (!relation) return;
      await model.publish(token, readSide(view, relation, { units: some, egress: egressOf(view) }));
      if (relation.life === 'alive') return;
      await this.#change((tx) => otherSideEnded(tx, id));
      this.#drop(id);
    });
  }

  #link(relation: RelationDoc, end: Link['end']): Link {
    const id = String(relation.id);
    let link = this.#links.get(id);
    if (link) return link;
    const made: Link = { ours: 'all', theirs: 'all', ends: [], isWatched: false, end };
    link = made;
    made.ends.push(
      watchSide(this.#needs.services.dispatch, this.#needs.modelUuid, relation, (unit) => {
        if (unit !== '' && made.ours !== 'all') made.ours.add(unit);
        this.#changed(id);
      }),
    );
    this.#links.set(id, made);
    return link;
  }

  #drop(id: string): void {
    for (const end of this.#links.get(id)?.ends ?? []) end();
    this.#links.delete(id);
  }

  /** Looks at the offers of what was consumed. Returns milliseconds until the next look is due. */
  async #hearStatuses(): Promise<number | undefined> {
    const all = [...this.#read().find('remote-application', 'saas', 'saas')];
    this.#watchOffers(new Set(all.map(({ model }) => model)));
    if (!this.#statusIsStale) return undefined;
    const now = this.#needs.services.clock.now();
    if (now < this.#nextStatus) return this.#nextStatus - now;
    this.#nextStatus = now + statusMs;
    this.#statusIsStale = false;
    try {
      for (const one of all) await this.#hearStatus(one);
    } catch (error) {
      this.#statusIsStale = true;
      throw error;
    }
    return undefined;
  }

  async #hearStatus({ name, model, saas }: RemoteApplicationDoc): Promise<void> {
    const heard = await this.#model(model).offerStatus(saas!.offerUuid);
    const status = heard ?? {
      status: 'terminated',
      message: 'offer has been removed',
      since: isoTime(this.#needs.services.clock),
    };
    const { status: before } = saas!;
    if (before.status !== status.status || before.message !== status.message)
      await this.#change((tx) => setSaasStatus(tx, name, status));
  }

  #watchOffers(models: ReadonlySet<string>): void {
    for (const uuid of models)
      if (!this.#offers.has(uuid))
        this.#offers.set(
          uuid,
          this.#model(uuid).watchOffers(() => {
            if (this.#statusIsStale) return;
            this.#statusIsStale = true;
            this.#needs.wake();
          }),
        );
    for (const [uuid, end] of this.#offers) {
      if (models.has(uuid)) continue;
      end();
      this.#offers.delete(uuid);
    }
  }

  #model(uuid: string): OfferingModel {
    let model = this.#models.get(uuid);
    if (!model) {
      const { store, services } = this.#needs;
      const local = localModel(store, services, uuid);
      this.#models.set(uuid, (model = services.between?.(local) ?? local));
    }
    return model;
  }

  #read(): View {
    return this.#needs.store.read().in(this.#needs.modelUuid);
  }

  #change<T>(fn: (tx: Tx) => T): Promise<T> {
    return this.#needs.store.change((root) => fn(root.in(this.#needs.modelUuid)), by);
  }
}

/** The names in batches, at least one: a side without units tells of itself all the same. */
function* batchesOf(names: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at === 0 || at < names.length; at += batch) yield names.slice(at, at + batch);
}
