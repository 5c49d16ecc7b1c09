/**
 * Finds instances of the model that no machine has (machines.md#strays). The harvester looks at all that the cloud
 * lists: at the start, now and then, and when something may have left one behind. Strays are reported, and stopped
 * where the model's provisioner-harvest-mode says so.
 */
import type { Entities } from '../../core/kinds.ts';
import type { MachineDoc } from '../../core/machine/document.ts';
import type { ModelDoc } from '../../core/model/document.ts';
import type { StrayDoc } from '../../core/stray/document.ts';
import {
  confirmedAfterMs,
  planHarvest,
  type HarvestPlan,
  type TaggedInstance,
} from '../../core/machine/plan-harvest.ts';
import type { HarvestMode } from '../../core/machine/plan-provisioning.ts';
import { mergedModelConfig } from '../../core/model/config.ts';
import { Timetable } from '../../kit/timetable.ts';
import { tagKeys, type Environ, type Instance } from '../../providers/provider.ts';
import { stopInstances } from '../../provisioning/stop-instances.ts';
import type { Store } from '../../store/store.ts';
import type { Services } from '../services.ts';
import type { View } from '../transactions/tx.ts';

const by = 'harvester';
const everyMs = 15 * 60_000;
/** After something happened: much may be happening. Long enough to confirm what was seen. */
const soonMs = 2 * confirmedAfterMs;

export function createHarvester(needs: {
  readonly store: Store<Entities>;
  readonly services: Pick<Services, 'clock' | 'dispatch' | 'environ' | 'log'>;
  readonly modelUuid: string;
  readonly wake: () => void;
}): {
  /** Returns milliseconds until the next look. */
  pass: (signal: AbortSignal) => Promise<number | undefined>;
  stop: () => void;
} {
  const { store, services, modelUuid, wake } = needs;
  const { clock } = services;
  const log = services.log.module('grigri.harvester');
  const due = new Timetable();
  /** When those without a machine were first seen, those that are not reported yet among them. */
  let since = new Map<string, number>();
  /** Machines that are to have their own instance before another that was made for them is stopped. */
  let awaited = new Set<string>();
  lookWithin(soonMs);
  const ends = [
    services.dispatch.on('', `model ${modelUuid}`, ({ before, after }) => {
      if (!after || modeOf(before) === modeOf(after)) return;
      lookWithin(0);
      wake();
    }),
    services.dispatch.on(modelUuid, 'machine', ({ before: was, after: is }) => {
      const isThere = awaited.has((is ?? was)?.id ?? '') && is?.instance !== undefined;
      if (!isThere && !mayLeave(was, is)) return;
      lookWithin(soonMs);
      wake();
    }),
  ];

  function lookWithin(ms: number): void {
    const now = clock.now();
    if ((due.untilNext(now) ?? Infinity) > ms) due.set('look', ms, now);
  }

  /** Its instance is its no longer, and was not stopped. */
  function mayLeave(before: MachineDoc | undefined, after: MachineDoc | undefined): boolean {
    if (!before?.instance || before.instance.unmanaged || after?.instance?.id === before.instance.id)
      return false;
    if (after) return true;
    const mode = modeOf(store.read().get('model', modelUuid));
    return !before.keepInstance && (mode === 'none' || mode === 'unknown');
  }

  async function pass(signal: AbortSignal): Promise<number | undefined> {
    const model = store.read().get('model', modelUuid);
    // All that a dying model has goes with it.
    if (model?.life !== 'alive') return undefined;
    if (due.take(clock.now()).length > 0)
      try {
        lookWithin((await look(signal)) ? soonMs : everyMs);
      } catch (error) {
        lookWithin(0);
        throw error;
      }
    return due.untilNext(clock.now());
  }

  /** True: it has to be looked again soon. */
  async function look(signal: AbortSignal): Promise<boolean> {
    const environ = services.environ(modelUuid, store.read().in(modelUuid));
    const instances = (await environ.instances.list(signal)).map(tagged);
    // Newer than the list: what it lists was started after its nonce was written.
    const view = store.read().in(modelUuid);
    const model = view.in('').get('model', modelUuid);
    if (!model) return false;
    const now = clock.now();
    for (const { instanceId, since: at } of view.list('stray')) since.set(instanceId, Date.parse(at));
    const plan = planHarvest(instances, recordsOf(view, model), { mode: modeOf(model), since, now });
    const unclaimed = [...plan.suspects, ...plan.strays];
    since = new Map(unclaimed.map(({ id }) => [id, Math.min(since.get(id) ?? now, now)]));
    awaited = new Set(plan.awaiting.map(({ machineId }) => machineId));
    await report(plan);
    const stops = [...plan.stops, ...plan.givenUp];
    if (stops.length > 0) await stopAll(environ, plan, signal);
    return plan.suspects.length > 0;
  }

  /** What is to be stopped is said before it is. */
  async function report({ strays, stops }: HarvestPlan): Promise<void> {
    const stopped = new Set(stops.map(({ id }) => id));
    const wanted = new Map(
      strays.map(({ id, machineId }): [string, StrayDoc] => {
        const at = new Date(since.get(id) ?? clock.now()).toISOString();
        const stray = { instanceId: id, machine: machineId, since: at };
        return [id, stopped.has(id) ? { ...stray, stopping: true } : stray];
      }),
    );
    const known = new Map(
      [...store.read().in(modelUuid).list('stray')].map((stray) => [stray.instanceId, stray]),
    );
    const news = [...wanted.values()].filter((stray) => !isSame(known.get(stray.instanceId), stray));
    const gone = [...known.keys()].filter((id) => !wanted.has(id));
    if (news.length + gone.length === 0) return;
    const found = news.filter(({ instanceId }) => !known.has(instanceId));
    if (found.length > 0)
      log.warning('instances without a machine', { instances: found.map(({ instanceId }) => instanceId) });
    await store.change((root) => {
      const tx = root.in(modelUuid);
      for (const stray of news) tx.put('stray', stray.instanceId, stray);
      for (const id of gone) tx.remove('stray', id);
    }, by);
  }

  /** What cannot be stopped holds no other up; it is tried again with the pass. */
  async function stopAll(
    environ: Environ,
    { stops, givenUp }: HarvestPlan,
    signal: AbortSignal,
  ): Promise<void> {
    if (stops.length > 0)
      log.warning('stopping instances without a machine, as provisioner-harvest-mode says', {
        instances: stops.map(({ id }) => id),
      });
    if (givenUp.length > 0)
      log.info('stopping instances of attempts that were given up', {
        instances: givenUp.map(({ id, machineId }) => `${id} of machine ${machineId}`),
      });
    const all = [...stops, ...givenUp].map(({ id }) => ({ instanceId: id }));
    const failures = await stopInstances(environ, all, signal);
    const left = new Set(failures.map(({ stop }) => stop.instanceId));
    await store.change((root) => {
      for (const { instanceId } of all)
        if (!left.has(instanceId)) root.in(modelUuid).remove('stray', instanceId);
    }, by);
    if (failures[0]) throw failures[0].error;
  }

  return {
    pass,
    stop() {
      for (const end of ends) end();
    },
  };
}

function tagged({ id, tags }: Instance): TaggedInstance {
  return {
    id,
    machineId: tags[tagKeys.machine] ?? '',
    nonce: tags[tagKeys.nonce] ?? '',
    isController: tags[tagKeys.isController] === 'true',
  };
}

function recordsOf(view: View, { keptInstances = [] }: ModelDoc): Parameters<typeof planHarvest>[1] {
  const recorded = new Set<string>();
  for (const { instance } of view.list('machine')) if (instance) recorded.add(instance.id);
  const machine = (id: string): { nonce: string; hasInstance: boolean } | undefined => {
    const doc = view.get('machine', id);
    return doc && { nonce: doc.nonce ?? '', hasInstance: doc.instance !== undefined };
  };
  return { recorded, machine, kept: new Set(keptInstances) };
}

function modeOf(model: ModelDoc | undefined): HarvestMode {
  return mergedModelConfig(model?.config ?? {})['provisioner-harvest-mode'] as HarvestMode;
}

function isSame(a: StrayDoc | undefined, b: StrayDoc): boolean {
  return a !== undefined && a.machine === b.machine && a.since === b.since && a.stopping === b.stopping;
}
