/**
 * The cleaner does work that no agent does: it makes units of dying applications dying, and subordinates that no
 * relation holds to their principal any more; it removes very many databags, grants and secrets, clears forced
 * entities, ends expired leases, and completes a space's rename that a killed controller has left. All of that goes in
 * batches, never in one change of 100,000 units (lives.md#nothing-of-many-at-once).
 */
import { ownerKey } from '../../core/secret/document.ts';
import type { Ending, Life } from '../../core/life.ts';
import { planExpiry } from '../../core/lease/plan-expiry.ts';
import { orphansOf } from '../../core/unit/orphan.ts';
import { changeConstraints, type SpaceChange } from '../../core/network/space-uses.ts';
import { DirtyIds } from '../../kit/dirty-ids.ts';
import { endOrphans, endUnits } from '../transactions/end/destroy-unit.ts';
import { endLeases } from '../transactions/agent/leadership.ts';
import { removeRelationIfEmpty } from '../transactions/end/leave-scope.ts';
import { removeApplicationIfUnreferenced, removeDatabags } from '../transactions/end/remove-application.ts';
import { endRename } from '../transactions/set/rename-space.ts';
import { changeMachines } from '../transactions/shared/spaces.ts';
import { forgetReading, removeGrants, removeSecret } from '../transactions/shared/secrets.ts';
import type { Tx, View } from '../transactions/tx.ts';
import { ForceClearer } from './force-clearer.ts';
import { inBatches } from './in-batches.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';

const by = 'cleaner';
const batch = 100;
/** Secrets in one batch: few, as their revisions, grants and readers go with them. */
const secretsOfBatch = 20;
/** Interval of looking for the earliest expiry: a lease may be granted at any time. */
const leaseLookMs = 15_000;

export class Cleaner implements ModelWorker {
  readonly #needs: Omit<WorkerNeeds<'clock' | 'dispatch' | 'log' | 'nextTurn'>, 'wake'>;
  readonly #clearer: ForceClearer;
  /** Dying applications whose units have to be made dying. */
  readonly #ending: DirtyIds;
  /** Subordinate applications that have lost a relation. */
  readonly #orphanCandidates: DirtyIds;
  /**
   * Spaces whose rename a controller before this one has begun: renames of this controller are ended by their requests.
   */
  readonly #renamed: DirtyIds;
  readonly #subscriptions: readonly (() => void)[];

  constructor(needs: Omit<WorkerNeeds<'clock' | 'dispatch' | 'log' | 'nextTurn'>, 'wake'>) {
    this.#needs = needs;
    this.#clearer = new ForceClearer(needs);
    this.#ending = new DirtyIds(() =>
      [...this.#read().find('application', 'life', 'dying')].map(({ name }) => name),
    );
    this.#orphanCandidates = new DirtyIds(() =>
      [...this.#read().list('application')].map(({ name }) => name),
    );
    this.#renamed = new DirtyIds(() =>
      [...this.#read().list('space')].flatMap(({ name, formerly }) => (formerly === undefined ? [] : name)),
    );
    const { dispatch } = needs.services;
    this.#subscriptions = [
      dispatch.on(needs.modelUuid, 'application', ({ id, before, after }) => {
        if (before?.life === 'alive' && after?.life === 'dying') this.#ending.add([id]);
      }),
      dispatch.on(needs.modelUuid, 'relation', ({ before: relation, after }) => {
        const isEnding = relation?.life === 'alive' && after?.life !== 'alive';
        if (!isEnding || relation.endpoints[0]?.scope !== 'container') return;
        this.#orphanCandidates.add(relation.endpoints.map(({ application }) => application));
      }),
    ];
  }

  /** Runs one pass. Returns milliseconds until the next deadline, or the end of a lease. */
  async pass(signal: AbortSignal): Promise<number | undefined> {
    await this.#endUnits(signal);
    await this.#endOrphans(signal);
    await this.#emptyDead(signal);
    await this.#endRenames(signal);
    const lease = await this.#endLeases();
    const due = await this.#clearer.pass(signal);
    const leases = this.#read().count('application') > 0;
    const delay = Math.min(due ?? Infinity, lease ?? Infinity, leases ? leaseLookMs : Infinity);
    return delay === Infinity ? undefined : delay;
  }

  /** Entities that stay alive need no cleaning. */
  ignores({ before, after }: { readonly before: unknown; readonly after: unknown }): boolean {
    return isAlive(before) && isAlive(after);
  }

  stop(): void {
    for (const end of this.#subscriptions) end();
    this.#clearer.stop();
  }

  #endUnits(signal: AbortSignal): Promise<void> {
    return this.#ending.take(async (names) => {
      // The request that made the application dying is answered first, and its answer may be long.
      if (names.length > 0) await new Promise<void>((resolve) => this.#needs.services.nextTurn(resolve));
      for (const name of names) {
        await inBatches(this.#aliveUnits(name), batch, signal, (units) =>
          this.#change((tx) => endUnits(tx, { application: name, units })),
        );
        await this.#change((tx) => void removeApplicationIfUnreferenced(tx, name));
      }
    });
  }

  #endOrphans(signal: AbortSignal): Promise<void> {
    return this.#orphanCandidates.take(async (names) => {
      const view = this.#read();
      for (const name of names) {
        if (!view.get('application', name)?.subordinate) continue;
        const orphans = orphansOf(view, name).map((unit) => unit.name);
        await inBatches(orphans, batch, signal, (units) =>
          this.#change((tx) => endOrphans(tx, { application: name, units })),
        );
      }
    });
  }

  /** Empties dead relations and applications that have more databags and secrets than one change removes. */
  async #emptyDead(signal: AbortSignal): Promise<void> {
    const view = this.#read();
    for (const relation of view.find('relation', 'life', 'dead')) {
      const id = String(relation.id);
      const all = [...view.find('settings', 'relation', id)].map(({ owner }) => owner);
      await inBatches(all, batch, signal, (owners) =>
        this.#change((tx) => removeDatabags(tx, { relation: id, owners })),
      );
      await inBatches(view.find('secret-grant', 'relation', id), batch, signal, (some) =>
        this.#change((tx) => removeGrants(tx, some)),
      );
      await inBatches(view.find('secret-consumer', 'relation', id), batch, signal, (some) =>
        this.#change((tx) => {
          for (const reading of some) forgetReading(tx, reading);
        }),
      );
      await this.#change((tx) => removeRelationIfEmpty(tx, id));
    }
    for (const { name } of view.find('application', 'life', 'dead')) {
      const key = ownerKey({ kind: 'application', id: name });
      await inBatches(view.find('secret-grant', 'subject', key), batch, signal, (some) =>
        this.#change((tx) => removeGrants(tx, some)),
      );
      await inBatches(view.find('secret', 'owner', key), secretsOfBatch, signal, (some) =>
        this.#change((tx) => {
          for (const { id } of some) if (tx.get('secret', id)) removeSecret(tx, id);
        }),
      );
      await this.#change((tx) => void removeApplicationIfUnreferenced(tx, name));
    }
  }

  #endRenames(signal: AbortSignal): Promise<void> {
    return this.#renamed.take(async (names) => {
      for (const name of names) {
        const from = this.#read().get('space', name)?.formerly;
        if (from === undefined) continue;
        const change = { from, to: name };
        await inBatches(this.#machinesNaming(change), batch, signal, (ids) =>
          this.#change((tx) => changeMachines(tx, ids, change)),
        );
        await this.#change((tx) => endRename(tx, name));
      }
    });
  }

  *#machinesNaming(change: SpaceChange): Generator<string> {
    for (const { id, constraints } of this.#read().list('machine'))
      if (changeConstraints(constraints, change) !== constraints) yield id;
  }

  /** Ends expired leases. Returns milliseconds until the next lease expires. */
  async #endLeases(): Promise<number | undefined> {
    const { expired, nextMs } = planExpiry(this.#read().list('lease'), this.#needs.services.clock.now());
    if (expired.length > 0) await this.#change((tx) => endLeases(tx, expired));
    return nextMs;
  }

  /** Alive units, found lazily: with very many units even the search takes time. */
  *#aliveUnits(application: string): Generator<string> {
    for (const unit of this.#read().find('unit', 'application', application))
      if (unit.life === 'alive') yield unit.name;
  }

  #read(): View {
    return this.#needs.store.read().in(this.#needs.modelUuid);
  }

  #change<T>(fn: (tx: Tx) => T): Promise<T> {
    return this.#needs.store.change((root) => fn(root.in(this.#needs.modelUuid)), by);
  }
}

function isAlive(doc: unknown): boolean {
  const { life, force } = (doc ?? {}) as Partial<Ending & { readonly life: Life }>;
  return life === 'alive' && !force;
}
