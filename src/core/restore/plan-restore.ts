/**
 * Tells what is newer than the backup that a model was restored from, and what becomes of each when an operator accepts
 * the restore (backups.md#after-a-restore).
 */
import type { MachineDoc } from '../machine/document.ts';
import { mergedModelConfig } from '../model/config.ts';
import type { ModelDoc } from '../model/document.ts';
import type { StrayDoc } from '../stray/document.ts';
import type { UnitStateDoc } from '../unit-state/document.ts';

export const restoreKinds = ['instance', 'machine', 'unit', 'hooks', 'volume'] as const;

/** One thing in which the world differs from the backup. */
export interface Difference {
  readonly kind: (typeof restoreKinds)[number];
  /** Id of the instance, machine or volume, or name of the unit. */
  readonly name: string;
  /** How it differs, as a phrase. */
  readonly text: string;
  /** What becomes of it, as a phrase. */
  readonly outcome: string;
}

/** What the model's documents and the connections of its agents tell. */
export interface AfterRestore {
  readonly model: ModelDoc;
  readonly strays: Iterable<StrayDoc>;
  readonly machines: Iterable<MachineDoc>;
  readonly machine: (id: string) => MachineDoc | undefined;
  readonly states: Iterable<UnitStateDoc>;
  readonly isLost: (machine: MachineDoc) => boolean;
  readonly isPresent: (machine: string) => boolean;
}

/** Which units go on where their agents are, and which where the backup has them. */
type Hooks = 'keep' | 'rerun';

/** Differences, lazily: there may be one for each unit. */
export function* planRestore(after: AfterRestore, hooks: Hooks): Generator<Difference> {
  const { model, strays, machines, states } = after;
  if (!model.restored?.listed)
    yield {
      kind: 'instance',
      name: '…',
      text: 'the cloud has not yet told for sure which instances there are',
      outcome: 'is not known yet: look again in half a minute',
    };
  for (const stray of strays) yield ofStray(stray, after);
  for (const machine of machines) yield* ofMachine(machine, after);
  for (const state of states) if (state.newer) yield ofState(state, state.newer.agent, hooks);
  const { ids = [], count = 0 } = model.restored?.volumes ?? {};
  const outcome = 'stays, unless the storage that it was made for was removed before the backup';
  for (const id of ids) yield { kind: 'volume', name: id, text: 'no storage in the backup has it', outcome };
  if (count > ids.length)
    yield { kind: 'volume', name: '…', text: `${count - ids.length} more without a storage`, outcome };
}

function ofStray({ instanceId, machine }: StrayDoc, { model, machine: find }: AfterRestore): Difference {
  const mode = mergedModelConfig(model.config)['provisioner-harvest-mode'];
  const record = machine === '' ? undefined : find(machine);
  const madeFor = machine === '' ? '' : `; it was made for machine ${machine}`;
  return {
    kind: 'instance',
    name: instanceId,
    text: `no machine in the backup has it${madeFor}`,
    outcome: outcomeOfStray(mode, record),
  };
}

function outcomeOfStray(mode: string, record: MachineDoc | undefined): string {
  if (mode === 'none' || (mode === 'destroyed' && !record)) return 'goes on as a stray';
  const why = `provisioner-harvest-mode is ${mode}`;
  if (!record) return `is stopped, for ${why}`;
  return record.instance
    ? `is stopped, for machine ${record.id} has another instance`
    : `is stopped when machine ${record.id} has an instance`;
}

function* ofMachine(
  machine: MachineDoc,
  { model, isLost, isPresent }: AfterRestore,
): Generator<Difference, void> {
  const { id, unknownUnits = [], endedUnits = [] } = machine;
  for (const unit of unknownUnits)
    yield {
      kind: 'unit',
      name: unit,
      text: `is on machine ${id}, and not in the backup`,
      outcome: 'its agent ends, and its files are removed from the machine',
    };
  for (const unit of endedUnits)
    yield {
      kind: 'unit',
      name: unit,
      text: `has ended on machine ${id} after the backup`,
      outcome: 'begins anew there: its charm is installed again',
    };
  if (machine.life === 'dead' || !machine.instance || machine.instance.unmanaged) return;
  if (isLost(machine)) {
    const replaces = mergedModelConfig(model.config)['lost-machines'] === 'replace';
    yield {
      kind: 'machine',
      name: id,
      text: 'its instance no longer exists',
      outcome: replaces
        ? 'gets another instance, as lost-machines=replace says; its units begin anew'
        : 'stays lost until reprovision-machine, or remove-machine --force',
    };
  } else if (!isPresent(id))
    yield {
      kind: 'machine',
      name: id,
      text: 'its agent has not come back, so it is not known what is newer there',
      outcome:
        'goes on when its agent comes back; if that took its password after the backup, or ended with the machine since, only reprovision-machine --force helps',
    };
}

function ofState({ unit, agent }: UnitStateDoc, newer: unknown, hooks: Hooks): Difference {
  const count = committedOf(newer) - committedOf(agent);
  return {
    kind: 'hooks',
    name: unit,
    text:
      count > 0
        ? `${count} ${count === 1 ? 'hook was' : 'hooks were'} committed after the backup`
        : 'its agent was at work after the backup',
    outcome:
      hooks === 'keep'
        ? 'goes on after them: none runs again, and what they wrote into relations stays forgotten'
        : 'goes on where the backup has it: hooks run again',
  };
}

/** Number of hooks that a unit's agent has committed, by its state. */
export function committedOf(agent: unknown): number {
  const count = (agent as { committed?: unknown } | null)?.committed;
  return typeof count === 'number' ? count : 0;
}
