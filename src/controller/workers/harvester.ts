/**
 * Finds instances of the model that no machine has (machines.md#strays). The harvester looks at everything that the
 * cloud lists: at the start, at long intervals, and when something may have left an instance behind. Strays are
 * reported, and stopped where the model's provisioner-harvest-mode says so.
 */
import type { MachineDoc } from '../../core/machine/document.ts';
import { mergedModelConfig } from '../../core/model/config.ts';
import type { ModelDoc } from '../../core/model/document.ts';
import {
  confirmedAfterMs,
  planHarvest,
  type HarvestPlan,
  type TaggedInstance,
} from '../../core/machine/plan-harvest.ts';
import { planStrayRecords } from '../../core/stray/plan-records.ts';
import { harvestModeOf, isHeld } from '../../core/model/restored.ts';
import type { Log } from '../../kit/log.ts';
import { Timetable } from '../../kit/timetable.ts';
import { tagKeys, type Environ, type Instance } from '../../providers/contract/provider.ts';
import { stopInstances } from '../../provisioning/stop-instances.ts';
import { recordListed } from '../transactions/change/restore.ts';
import { recordStrays } from '../transactions/instance/record-strays.ts';
import type { Tx, View } from '../transactions/tx.ts';
import type { ModelWorker, WorkerNeeds } from './model-worker.ts';

const by = 'harvester';
const intervalMs = 15 * 60_000;
/** Delay of a look after an event, during which more may happen; long enough to confirm an earlier sighting. */
const soonMs = 2 * confirmedAfterMs;

type Records = Parameters<typeof planHarvest>[1];
type Needs = WorkerNeeds<'clock' | 'dispatch' | 'environ' | 'log'>;

export class Harvester implements ModelWorker {
  readonly #needs: Needs;
  readonly #log: Log;
  readonly #timetable = new Timetable();
  /** Times at which instances without a machine were first seen, including those that are not reported yet. */
  #firstSeen = new Map<string, number>();
  /** Machines that must have their own instance before another that was created for them is stopped. */
  #awaitedMachines = new Set<string>();
  readonly #subscriptions: readonly (() => void)[];

  constructor(needs: Needs) {
    this.#needs = needs;
    const { dispatch, log } = needs.services;
    this.#log = log.module('grigri.harvester');
    this.#scheduleWithin(soonMs);
    this.#subscriptions = [
      dispatch.on('', `model ${needs.modelUuid}`, ({ before, after }) => {
        if (after && harvestModeOf(before) !== harvestModeOf(after)) this.#wakeWithin(0);
      }),
      dispatch.on(needs.modelUuid, 'machine', ({ before, after }) => {
        const hasArrived =
          this.#awaitedMachines.has((after ?? before)?.id ?? '') && after?.instance !== undefined;
        if (hasArrived || this.#mayLeaveStray(before, after)) this.#wakeWithin(soonMs);
      }),
    ];
  }

  /** Looks at the cloud. Returns milliseconds until the next look. */
  async pass(signal: AbortSignal): Promise<number | undefined> {
    const { services, store, modelUuid } = this.#needs;
    const model = store.read().get('model', modelUuid);
    // A dying model's instances go with it.
    if (model?.life !== 'alive') return undefined;
    if (this.#timetable.take(services.clock.now()).length > 0)
      try {
        this.#scheduleWithin((await this.#harvest(signal)) ? soonMs : intervalMs);
      } catch (error) {
        this.#scheduleWithin(0);
        throw error;
      }
    return this.#timetable.untilNext(services.clock.now());
  }

  stop(): void {
    for (const end of this.#subscriptions) end();
  }

  #scheduleWithin(ms: number): void {
    const now = this.#needs.services.clock.now();
    if ((this.#timetable.untilNext(now) ?? Infinity) > ms) this.#timetable.set('look', ms, now);
  }

  #wakeWithin(ms: number): void {
    this.#scheduleWithin(ms);
    this.#needs.wake();
  }

  /** True when the change may leave an instance behind: the machine lost its instance, which was not stopped. */
  #mayLeaveStray(before: MachineDoc | undefined, after: MachineDoc | undefined): boolean {
    if (!before?.instance || before.instance.unmanaged || after?.instance?.id === before.instance.id)
      return false;
    if (after) return true;
    const mode = harvestModeOf(this.#needs.store.read().get('model', this.#needs.modelUuid));
    return !before.keepInstance && (mode === 'none' || mode === 'unknown');
  }

  /** Looks at all instances; true when another look is needed soon. */
  async #harvest(signal: AbortSignal): Promise<boolean> {
    const { services, modelUuid } = this.#needs;
    const environ = services.environ(modelUuid, this.#read());
    const instances = (await environ.instances.list(signal)).map(tagged);
    // The state is read after the list: every listed instance was started after its nonce was written.
    const view = this.#read();
    const model = view.in('').get('model', modelUuid);
    if (!model) return false;
    const now = services.clock.now();
    for (const { instanceId, since } of view.list('stray'))
      this.#firstSeen.set(instanceId, Date.parse(since));
    const plan = planHarvest(instances, recordsOf(view, model), {
      mode: harvestModeOf(model),
      since: this.#firstSeen,
      now,
    });
    const unclaimed = [...plan.suspects, ...plan.strays];
    this.#firstSeen = new Map(unclaimed.map(({ id }) => [id, Math.min(this.#firstSeen.get(id) ?? now, now)]));
    this.#awaitedMachines = new Set(plan.awaiting.map(({ machineId }) => machineId));
    await this.#report(plan, now);
    const stops = [...plan.stops, ...plan.givenUp];
    if (stops.length > 0) await this.#stopAll(environ, plan, signal);
    if (plan.suspects.length > 0) return true;
    if (isHeld(model) && !model.restored?.listed) await this.#change((tx) => recordListed(tx));
    return false;
  }

  /** Reports strays before they are stopped. */
  async #report(plan: HarvestPlan, now: number): Promise<void> {
    const known = new Map([...this.#read().list('stray')].map((stray) => [stray.instanceId, stray]));
    const news = planStrayRecords(plan, known, (id) =>
      new Date(this.#firstSeen.get(id) ?? now).toISOString(),
    );
    if (news.found.length + news.gone.length === 0) return;
    const instances = news.found.map(({ instanceId }) => instanceId).filter((id) => !known.has(id));
    if (instances.length > 0) this.#log.warning('instances without a machine', { instances });
    await this.#change((tx) => recordStrays(tx, news));
  }

  /** Stops instances; one that cannot be stopped does not delay the others and is tried again in the next pass. */
  async #stopAll(environ: Environ, { stops, givenUp }: HarvestPlan, signal: AbortSignal): Promise<void> {
    if (stops.length > 0)
      this.#log.warning('stopping instances without a machine (provisioner-harvest-mode)', {
        instances: stops.map(({ id }) => id),
      });
    if (givenUp.length > 0)
      this.#log.info('stopping instances of abandoned start attempts', {
        instances: givenUp.map(({ id, machineId }) => `${id} of machine ${machineId}`),
      });
    const all = [...stops, ...givenUp].map(({ id }) => ({ instanceId: id }));
    const failures = await stopInstances(environ, all, signal);
    const failedIds = new Set(failures.map(({ stop }) => stop.instanceId));
    const gone = all.map(({ instanceId }) => instanceId).filter((id) => !failedIds.has(id));
    await this.#change((tx) => recordStrays(tx, { gone }));
    if (failures[0]) throw failures[0].error;
  }

  #read(): View {
    return this.#needs.store.read().in(this.#needs.modelUuid);
  }

  #change<T>(fn: (tx: Tx) => T): Promise<T> {
    return this.#needs.store.change((root) => fn(root.in(this.#needs.modelUuid)), by);
  }
}

function tagged({ id, tags }: Instance): TaggedInstance {
  return {
    id,
    machineId: tags[tagKeys.machine] ?? '',
    nonce: tags[tagKeys.nonce] ?? '',
    isController: tags[tagKeys.isController] === 'true',
  };
}

function recordsOf(view: View, { keptInstances = [], config }: ModelDoc): Records {
  const recorded = new Set<string>();
  for (const { instance } of view.list('machine')) if (instance) recorded.add(instance.id);
  // A restored model stops nothing that may be newer than the backup, but what the machine itself gave up is not.
  const stops = mergedModelConfig(config)['provisioner-harvest-mode'] !== 'none';
  const machine: Records['machine'] = (id) => {
    const doc = view.get('machine', id);
    if (!doc) return undefined;
    const { nonce = '', givenUp = [], instance } = doc;
    return { nonce, hasInstance: instance !== undefined, givenUp: stops ? givenUp : [] };
  };
  return { recorded, machine, kept: new Set(keptInstances) };
}
