/**
 * Relations of a model with those of one controller, as the consuming side carries them (offers.md#who-carries):
 * settings of this model's units go to the offering model, settings of that model's units come here, and so do the end
 * and the suspension of a relation. Each pass tells the present state, so a killed controller loses no news.
 */
import { hasCode, JujuError } from '../../core/errors.ts';
import type { RelationDoc } from '../../core/relation/document.ts';
import { localEnd, remoteEnd } from '../../core/relation/ends.ts';
import { readSide, unitsOfSide, type SideState } from '../../core/relation/side.ts';
import type { RemoteApplicationDoc } from '../../core/remote-application/document.ts';
import { statusId } from '../../core/status.ts';
import { DirtyIds } from '../../kit/dirty-ids.ts';
import { egressOf, secretOfName, watchSide, type OfferingModel } from '../offering-model.ts';
import {
  applySide,
  cannotCarry,
  clearProblem,
  endIsTold,
  markRegistered,
  otherSideEnded,
} from '../transactions/remote/remote-side.ts';
import type { Tx, View } from '../transactions/tx.ts';
import { inBatches } from './in-batches.ts';
import { controllerOf, endsAt, hasMoved, OfferingModels, type LaneNeeds } from './offering-models.ts';
import { ReadSecrets } from './read-secrets.ts';
import { SaasStatuses } from './saas-statuses.ts';

const by = 'remote-relations';
/** Number of units that are told in one change. */
const batch = 100;
/** Interval of attempts to make an offering side that was refused. */
const retryMs = 5_000;

/** Units of one side that have to be told. */
type Units = Set<string> | 'all';

/** A relation that is carried. */
interface Link {
  ours: Units;
  theirs: Units;
  readonly secrets: ReadSecrets;
  readonly ends: (() => void)[];
  isWatched: boolean;
  /** Whether the other side took over departures only: it accepts nothing else any more. */
  isRefused: boolean;
}

/** State that is told of a side that is gone: it was removed by force. */
const removedByForce: SideState = { life: 'dying', forced: true, units: [], departed: [], networks: [] };

/** A relation that is carried now. */
interface Crossing {
  readonly model: OfferingModel;
  readonly link: Link;
  readonly signal: AbortSignal;
}

export class Crossings {
  readonly #needs: LaneNeeds;
  readonly #dirty: DirtyIds;
  readonly #links = new Map<string, Link>();
  readonly #models: OfferingModels;
  readonly #statuses: SaasStatuses;
  readonly #subscriptions: readonly (() => void)[];

  constructor(needs: LaneNeeds) {
    this.#needs = needs;
    const { dispatch } = needs.services;
    this.#models = new OfferingModels(needs);
    this.#statuses = new SaasStatuses(needs, this.#models);
    this.#dirty = new DirtyIds(() =>
      [...this.#read().find('relation', 'remote', 'consumed')]
        .filter((relation) => this.#isMine(relation))
        .map(({ id }) => String(id)),
    );
    this.#subscriptions = [
      dispatch.on(needs.modelUuid, 'relation@remote consumed', ({ id, after }) => {
        if (this.#links.has(id) || (after && this.#isMine(after))) this.#changed(id);
      }),
      dispatch.on(needs.modelUuid, 'relation-end', () => needs.wake()),
      dispatch.on(needs.modelUuid, 'remote-application@saas saas', ({ id, before, after }) => {
        if (hasMoved(before, after))
          for (const relation of this.#read().find('relation', 'application', id))
            this.#changed(String(relation.id));
      }),
    ];
  }

  /** Runs one pass. Returns milliseconds until it has to look again. */
  async pass(signal: AbortSignal): Promise<number | undefined> {
    const later: string[] = [];
    await this.#dirty.take(async (ids) => {
      for (const id of ids) if (!(await this.#carry(id, signal))) later.push(id);
    });
    this.#dirty.add(later);
    const areEnded = await this.#tellEnds(signal);
    const statusDelay = await this.#statuses.hear(signal);
    const delays = [
      ...(later.length > 0 || !areEnded ? [retryMs] : []),
      ...(statusDelay === undefined ? [] : [statusDelay]),
    ];
    return delays.length === 0 ? undefined : Math.min(...delays);
  }

  stop(): void {
    for (const end of this.#subscriptions) end();
    for (const id of this.#links.keys()) this.#drop(id);
    this.#statuses.stop();
    this.#models.stop();
  }

  #changed(id: string): void {
    this.#dirty.add([id]);
    this.#needs.wake();
  }

  /** Carries one relation as far as possible; false: try again later. */
  async #carry(id: string, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const relation = this.#read().get('relation', id);
    const remote = relation && this.#read().get('remote-application', relation.remote?.application ?? '');
    const { consumed } = relation?.remote ?? {};
    if (!relation || !remote || !consumed || consumed.state === 'told' || !this.#isMine(relation)) {
      this.#drop(id);
      return true;
    }
    try {
      await this.#cross(relation, remote, signal);
    } catch (error) {
      signal.throwIfAborted();
      await this.#cannot(id, error);
      return false;
    }
    if (this.#read().get('status', statusId('relation', id))?.status === 'error')
      await this.#change((tx) => clearProblem(tx, id));
    return true;
  }

  /** Records why a relation is not carried. */
  async #cannot(id: string, error: unknown): Promise<void> {
    if (!(error instanceof JujuError))
      this.#needs.services.log.error('relation not carried', { relation: id, retryMs, error });
    else await this.#change((tx) => cannotCarry(tx, id, error));
  }

  async #cross(relation: RelationDoc, remote: RemoteApplicationDoc, signal: AbortSignal): Promise<void> {
    const id = String(relation.id);
    const { token = '' } = relation.remote ?? {};
    const model = this.#models.get(remote.model);
    if (!(await this.#register(relation, remote, model))) return;
    const link = this.#link(relation);
    if (!link.isWatched) {
      link.isWatched = true;
      link.ends.push(
        model.watch(token, (unit) => {
          const secret = secretOfName(unit);
          if (secret !== undefined) link.secrets.note(secret);
          else if (unit !== '' && link.theirs !== 'all') link.theirs.add(unit);
          this.#changed(id);
        }),
      );
    }
    const [received] = await Promise.allSettled([this.#receive(id, token, { model, link, signal })]);
    if (received.status === 'fulfilled' && !received.value && relation.life === 'alive') {
      await this.#change((tx) => otherSideEnded(tx, id));
      this.#drop(id);
      return;
    }
    // A side that tells nothing any more may still be told of the end.
    await this.#tell(id, token, { model, link, signal });
    if (received.status === 'rejected') throw received.reason;
    await link.secrets.hear(model, { model: remote.model, token }, signal);
  }

  /**
   * Makes the offering side; false when none is to be made. A relation that ends before the answer may have that side:
   * another controller hears of the end only with the macaroon that the answer brings.
   */
  async #register(
    relation: RelationDoc,
    remote: RemoteApplicationDoc,
    model: OfferingModel,
  ): Promise<boolean> {
    const { saas } = remote;
    const end = remoteEnd(relation);
    const local = localEnd(relation);
    const { consumed, token = '' } = relation.remote ?? {};
    if (!saas || !end || !consumed) return false;
    const isEnding = relation.life !== 'alive';
    if (consumed.state !== 'new' || (isEnding && (!saas.elsewhere || consumed.macaroon !== undefined)))
      return true;
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
      const isNone = isEnding
        ? !hasCode(error, 'try again')
        : hasCode(error, 'not found') && !(await model.offerStatus(saas.offerUuid));
      if (!isNone) throw error;
      await this.#change((tx) => otherSideEnded(tx, id));
      return false;
    }
    await this.#change((tx) => markRegistered(tx, id));
    return true;
  }

  /** Takes over the offering side's state; false when that side is gone. */
  async #receive(id: string, token: string, { model, link, signal }: Crossing): Promise<boolean> {
    const units = link.theirs;
    link.theirs = new Set();
    try {
      const names = units === 'all' ? await model.units(token) : [...units];
      if (!names) return false;
      let isThere = true;
      await inBatches(batchesOf(names), 1, signal, async ([some = []]) => {
        const state = await model.read(token, some);
        if (state) await this.#change((tx) => applySide(tx, id, state));
        else isThere = false;
      });
      return isThere;
    } catch (error) {
      link.theirs = 'all';
      throw error;
    }
  }

  /**
   * Tells the offering side of this one, and records that it knows of the end. A side that accepts departures only is
   * told all units, and all again when it accepts the rest; a side that lets no unit in accepts all.
   */
  async #tell(id: string, token: string, { model, link, signal }: Crossing): Promise<void> {
    const units = link.ours;
    link.ours = new Set();
    let refusal: unknown;
    try {
      const first = this.#read().get('relation', id);
      if (!first) return;
      const names = units === 'all' ? [...unitsOfSide(this.#read(), first)] : [...units];
      await inBatches(batchesOf(names), 1, signal, async ([some = []]) => {
        const view = this.#read();
        const relation = view.get('relation', id);
        if (!relation) return;
        try {
          await model.publish(token, readSide(view, relation, { units: some, egress: egressOf(view) }));
        } catch (error) {
          if (!hasCode(error, 'unauthorized access') && !hasCode(error, 'forbidden')) throw error;
          refusal = error;
          return;
        }
        if (relation.life === 'alive') return;
        await this.#change((tx) => otherSideEnded(tx, id));
        this.#drop(id);
      });
    } catch (error) {
      // Changes that were taken out of the set may not have been sent.
      link.ours = 'all';
      throw error;
    }
    const wasRefused = link.isRefused;
    link.isRefused = hasCode(refusal, 'unauthorized access');
    if (refusal) throw refusal;
    if (!wasRefused) return;
    link.ours = 'all';
    this.#changed(id);
  }

  #link(relation: RelationDoc): Link {
    const id = String(relation.id);
    const known = this.#links.get(id);
    if (known) return known;
    const changed = (): void => this.#changed(id);
    const secrets = new ReadSecrets({ ...this.#needs, relation: id, changed });
    const link: Link = { ours: 'all', theirs: 'all', secrets, ends: [], isWatched: false, isRefused: false };
    link.ends.push(
      secrets.stop,
      watchSide(this.#needs.services.dispatch, this.#needs.modelUuid, relation, (unit) => {
        if (unit !== '' && link.ours !== 'all') link.ours.add(unit);
        this.#changed(id);
      }),
    );
    this.#links.set(id, link);
    return link;
  }

  #drop(id: string): void {
    for (const end of this.#links.get(id)?.ends ?? []) end();
    this.#links.delete(id);
  }

  /** Tells the ends of relations that were removed by force; false when some have to be told later. */
  async #tellEnds(signal: AbortSignal): Promise<boolean> {
    let areTold = true;
    for (const { token, model } of endsAt(this.#read(), this.#needs.controller)) {
      signal.throwIfAborted();
      try {
        await this.#models.get(model).publish(token, removedByForce);
      } catch (error) {
        signal.throwIfAborted();
        // A side that may not tell this now never will be allowed to.
        if (!hasCode(error, 'unauthorized access')) {
          areTold = false;
          if (!hasCode(error, 'try again'))
            this.#needs.services.log.error('end of a relation not told', { token, retryMs, error });
          continue;
        }
      }
      await this.#change((tx) => endIsTold(tx, token));
    }
    return areTold;
  }

  #isMine({ remote }: RelationDoc): boolean {
    const of = this.#read().get('remote-application', remote?.application ?? '');
    return of !== undefined && controllerOf(of) === this.#needs.controller;
  }

  #read(): View {
    return this.#needs.store.read().in(this.#needs.modelUuid);
  }

  #change<T>(fn: (tx: Tx) => T): Promise<T> {
    return this.#needs.store.change((root) => fn(root.in(this.#needs.modelUuid)), by);
  }
}

/** Names in batches, at least one batch: a side without units tells of itself, too. */
function* batchesOf(names: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at === 0 || at < names.length; at += batch) yield names.slice(at, at + batch);
}
