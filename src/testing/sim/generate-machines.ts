/** Commands about machines, and scripts that are mainly about starting, stopping and losing machines. */
import { Chance } from './chance.ts';
import { withStorage } from './generate-storage.ts';
import { cloudBlow, worst } from './generate-troubles.ts';
import { tooMuchMem, zoneNames } from './cloud.ts';
import {
  modelOptions,
  type By,
  type Command,
  type ModelOption,
  type Script,
  type Step,
  type Where,
  type Wishes,
} from './script.ts';
import type { FaultKind } from '../../forecast/world/faults.ts';
import { defined } from '../../core/defined.ts';

/** Fraction of placements that are in containers. */
const inContainers = 0.3;

/** Returns the placement of a unit, with a given probability. */
export function to(chance: Chance, often: number): { where?: Where; reuse?: boolean } {
  if (chance.is(0.05)) return { reuse: true };
  return chance.is(often) ? { where: where(chance) } : {};
}

function where(chance: Chance): Where {
  if (chance.is(0.2)) return { zone: chance.below(zoneNames.length) };
  const onMachine = chance.below(6);
  if (!chance.is(inContainers)) return { onMachine };
  return chance.is(0.6) ? { container: true, onMachine } : { container: true };
}

export function wishes(chance: Chance): { wishes?: Wishes } {
  if (chance.is(0.08)) return { wishes: { zones: [chance.below(2), 2] } };
  return chance.is(0.04) ? { wishes: { mem: tooMuchMem } } : {};
}

/** Returns a command about machines, not about units on them. */
export function machineCommand(chance: Chance): Command {
  const pick = chance.below(6);
  return chance.of<() => Command>([
    () => addMachine(chance),
    () => addMachine(chance),
    () => addMachine(chance),
    () => ({ do: 'retry-provisioning' }),
    () => ({ do: 'resolve-machine', pick, ...defined({ mem: chance.is(0.6) ? 1024 : undefined }) }),
    () => ({ do: 'reprovision-machine', pick, anyway: chance.is(0.3) }),
    () => modelConfig(chance),
  ])();
}

function addMachine(chance: Chance): Command {
  const { where: place } = to(chance, 0.35);
  // A machine cannot be placed on a machine.
  const isOnMachine = place?.onMachine !== undefined && !place.container;
  // Machines in one zone can be requested together.
  if (chance.is(0.2))
    return {
      do: 'add-machine',
      machines: 3 + chance.below(2),
      where: { zone: chance.below(zoneNames.length) },
    };
  const machines = chance.is(0.2) ? { machines: 2 + chance.below(2) } : {};
  return {
    do: 'add-machine',
    ...machines,
    ...defined({ where: place && !isOnMachine ? place : undefined }),
    ...wishes(chance),
  };
}

function modelConfig(chance: Chance): Command {
  const option = chance.of(Object.keys(modelOptions) as ModelOption[]);
  return { do: 'model-config', option, value: chance.of<string>(modelOptions[option]) };
}

/** Faults of the cloud. */
const cloudKinds: readonly FaultKind[] = [
  'cloud-transient',
  'cloud-zonal',
  'cloud-quota',
  'cloud-credential',
  'cloud-bad-request',
  'cloud-answer-lost',
  'cloud-slow',
];
const otherKinds: readonly FaultKind[] = [
  'controller-crash',
  'agent-crash',
  'disk-error',
  'crash-before-durable',
  'crash-after-durable',
  'clock-forward',
  'connection-reset',
];

/**
 * Generates a short script in one small model: a few machines and units, and a cloud with few kinds of faults, each
 * for a while.
 */
export function generateProvisioningScript({ seed }: { seed: number }): Script {
  const chance = new Chance(seed);
  const endMs = 40_000 + chance.below(80_000);
  const steps: Step[] = [];
  for (let atMs = 0; atMs < endMs; atMs += chance.is(0.5) ? chance.below(2_000) : chance.below(40_000)) {
    const by: By = chance.is(0.8) ? 'alice' : 'bob';
    steps.push({ atMs, by, model: 0, ...provisioningCommand(chance) });
  }
  for (const trouble of cloudKinds) if (chance.is(0.3)) steps.push(window(chance, trouble, endMs));
  for (const trouble of otherKinds) if (chance.is(0.08)) steps.push(window(chance, trouble, endMs));
  for (let n = chance.below(3); n > 0; n--) steps.push({ atMs: chance.below(endMs), ...cloudBlow(chance) });
  // Everything is removed while the cloud still fails.
  if (chance.is(0.1))
    steps.push({
      atMs: endMs * (0.3 + 0.3 * chance.next()),
      by: 'alice',
      model: 0,
      do: 'destroy-model',
      ...defined({ force: chance.is(0.7) ? { maxWaitS: 0 } : undefined }),
    });
  return {
    seed,
    hours: endMs / 3_600_000,
    places: 1,
    steps: steps.map((step) => withStorage(step, seed)).toSorted((a, b) => a.atMs - b.atMs),
  };
}

function provisioningCommand(chance: Chance): Command {
  const pick = chance.below(4);
  const force = chance.is(0.4) ? { force: chance.of([{}, { maxWaitS: 0 }]) } : {};
  const application = chance.of(['db', 'cache']);
  // Commands about units are rare, because hooks cost most of the time.
  if (chance.is(0.55)) return machineCommand(chance);
  return chance.of<() => Command>([
    () => ({ do: 'remove-machine', pick, fresh: chance.is(0.5), keep: chance.is(0.15), ...force }),
    () => ({ do: 'remove-machine', pick, fresh: chance.is(0.5), keep: chance.is(0.15), ...force }),
    () => ({
      do: 'deploy',
      application,
      units: chance.is(0.15) ? 2 + chance.below(3) : 1,
      ...to(chance, 0.3),
      ...wishes(chance),
    }),
    () => ({ do: 'add-unit', application, units: 1, ...to(chance, 0.3) }),
    () => ({ do: 'remove-unit', application, pick, fresh: chance.is(0.5), ...force }),
  ])();
}

function window(chance: Chance, trouble: FaultKind, endMs: number): Step {
  const atMs = chance.below(endMs / 2);
  // Faults that are rare in hours would not happen in a short script.
  const most = Math.max(worst[trouble], 0.2);
  const rate = Number((most * (0.2 + 0.8 * chance.next())).toPrecision(2));
  return { atMs, trouble, rate, forMs: 10_000 + chance.below(endMs - atMs) };
}
