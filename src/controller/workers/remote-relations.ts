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
import { statusId, type Status } from '../../core/status.ts';
import { DirtyIds } from '../../kit/dirty-ids.ts';
import { isoTime } from '../../kit/clock.ts';
import {
  applySide,
  cannotCarry,
  clearProblem,
  markRegistered,
  otherSideEnded,
  refuseRegistration,
  setSaasStatus,
} from '../transactions/remote-side.ts';
import type { Tx, View } from '../transactions/tx.ts';
import { inBatches } from './in-batches.ts';
import { RemoteModel } from './remote-model.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';
import { unreachable } from './peer.ts';
import { egressOf, localModel, watchSide, type OfferingModel } from '../offering-model.ts';

const by = 'remote-relations';
/** Units that are told in one change. */
const batch = 100;
/** Interval of attempts to make the other side of a relation that was refused. */
const retryMs = 5_000;
/** Least interval of looks at the status of what was consumed: it is that of all of an application's units. */
const statusMs = 2_000;

type Needs = WorkerNeeds<'between' | 'clock' | 'dispatch' | 'elsewhere' | 'log' | 'random' | 'sealer'>;

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

/** An offering model. */
interface Neighbour {
  readonly model: OfferingModel;
  /** Whether it is of another controller. */
  readonly isElsewhere: boolean;
  readonly stop: () => void;
}

export class RemoteRelations implements ModelWorker {
  readonly #needs: Needs;
  readonly #dirty: DirtyIds;
  readonly #links = new Map<string, Link>();
  /** Offering models, with what ends the watch of their offers, by controller and model. */
  readonly #models = new Map<string, Neighbour>();
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
    const later: string[] = [];
    await this.#dirty.take(async (ids) => {
      // A controller that is slow to answer holds up what goes there, and nothing else.
      const lanes = Map.groupBy(ids, (id) => this.#controllerOf(id));
      const runs = [...lanes.values()].map(async (some) => {
        for (const id of some) {
          signal.throwIfAborted();
          if (!(await this.#carry(id, signal))) later.push(id);
        }
      });
      const failed = (await Promise.allSettled(runs)).find(({ status }) => status === 'rejected');
      if (failed) throw (failed as PromiseRejectedResult).reason;
    });
    this.#dirty.add(later);
    const statusDelay = await this.#hearStatuses();
    const delays = [
      ...(later.length > 0 ? [retryMs] : []),
      ...(statusDelay === undefined ? [] : [statusDelay]),
    ];
    return delays.length === 0 ? undefined : Math.min(...delays);
  }

  stop(): void {
    for (const end of this.#subscriptions) end();
    for (const id of this.#links.keys()) this.#drop(id);
    for (const { stop } of this.#models.values()) stop();
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
    const neighbour = this.#neighbour(remote);
    const { model } = neighbour;
    if (consumed.state === 'new' && relation.life === 'alive') {
      const registered = await this.#register(relation, remote, model);
      if (registered !== 'done') return registered === 'ended';
    }
    const link = this.#link(relation, () => tellEnd(neighbour, token));
    if (!link.isWatched) {
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
      if (!neighbour.isElsewhere || !(error instanceof JujuError)) throw error;
      // Of a controller that is not reached the status of what was consumed tells.
      if (error.code !== 'try again') await this.#change((tx) => cannotCarry(tx, id, error));
      return false;
    }
    if (this.#read().get('status', statusId('relation', id))?.status === 'error')
      await this.#change((tx) => clearProblem(tx, id));
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
    this.#watchOffers(all);
    if (!this.#statusIsStale) return undefined;
    const now = this.#needs.services.clock.now();
    if (now < this.#nextStatus) return this.#nextStatus - now;
    this.#nextStatus = now + statusMs;
    this.#statusIsStale = false;
    let delay: number | undefined;
    try {
      for (const remote of all) if (!(await this.#hearStatus(remote))) delay = retryMs;
    } catch (error) {
      this.#statusIsStale = true;
      throw error;
    }
    if (delay !== undefined) this.#statusIsStale = true;
    return delay;
  }

  /** Takes over the status of an offered application; false: ask again later. */
  async #hearStatus(remote: RemoteApplicationDoc): Promise<boolean> {
    const { model, isElsewhere } = this.#neighbour(remote);
    const since = isoTime(this.#needs.services.clock);
    let heard: Status | undefined;
    let problem: JujuError | undefined;
    try {
      heard = await model.offerStatus(remote.saas!.offerUuid);
    } catch (error) {
      if (!isElsewhere || !(error instanceof JujuError)) throw error;
      problem = error;
    }
    const status = problem
      ? { status: 'error', message: problem.message, since }
      : (heard ?? { status: 'terminated', message: 'offer has been removed', since });
    const { status: before } = remote.saas!;
    const isSame = before.status === status.status && before.message === status.message;
    // Each attempt to connect fails in its own words: the first ones stay.
    const isKnown = problem && before.status === 'error' && before.message.startsWith(unreachable);
    if (!isSame && !isKnown) await this.#change((tx) => setSaasStatus(tx, remote.name, status));
    return !problem;
  }

  /** Watches the offers of these, and forgets the models of which nothing is consumed any more. */
  #watchOffers(all: readonly RemoteApplicationDoc[]): void {
    const wanted = new Set(all.map(keyOf));
    for (const remote of all) this.#neighbour(remote);
    for (const [key, { stop }] of this.#models) {
      if (wanted.has(key)) continue;
      stop();
      this.#models.delete(key);
    }
  }

  #neighbour(remote: RemoteApplicationDoc): Neighbour {
    const key = keyOf(remote);
    let neighbour = this.#models.get(key);
    if (!neighbour) {
      const { store, services, modelUuid } = this.#needs;
      const { controller } = remote.saas?.elsewhere ?? {};
      const theirs = { store, services, modelUuid, model: remote.model };
      const elsewhere = controller === undefined ? undefined : new RemoteModel({ ...theirs, controller });
      const reached = elsewhere ?? localModel(store, services, remote.model);
      const model = services.between?.(reached) ?? reached;
      const end = model.watchOffers(() => {
        if (this.#statusIsStale) return;
        this.#statusIsStale = true;
        this.#needs.wake();
      });
      const stop = (): void => {
        end();
        elsewhere?.stop();
      };
      this.#models.set(key, (neighbour = { model, isElsewhere: elsewhere !== undefined, stop }));
    }
    return neighbour;
  }

  #controllerOf(id: string): string {
    const { remote } = this.#read().get('relation', id) ?? {};
    const of = remote && this.#read().get('remote-application', remote.application);
    return of?.saas?.elsewhere?.controller ?? '';
  }

  #read(): View {
    return this.#needs.store.read().in(this.#needs.modelUuid);
  }

  #change<T>(fn: (tx: Tx) => T): Promise<T> {
    return this.#needs.store.change((root) => fn(root.in(this.#needs.modelUuid)), by);
  }
}

/** What an offering model is known by: its controller, unless that is this one, and its UUID. */
function keyOf({ model, saas }: RemoteApplicationDoc): string {
  return `${saas?.elsewhere?.controller ?? ''}/${model}`;
}

/** Tells the end of a side that is gone; another controller that cannot be told now is not waited for. */
async function tellEnd({ model, isElsewhere }: Neighbour, token: string): Promise<void> {
  try {
    await model.publish(token, removedByForce);
  } catch (error) {
    if (!isElsewhere || !(error instanceof JujuError)) throw error;
  }
}

/** The names in batches, at least one: a side without units tells of itself all the same. */
function* batchesOf(names: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at === 0 || at < names.length; at += batch) yield names.slice(at, at + batch);
}
