import { formatBase } from '../base.ts';
import type { MachineDoc } from '../machine/document.ts';
import type { UnitDoc } from '../unit/document.ts';
import type { EntityRef } from '../entity-ref.ts';
import { impediments, type Impediment } from '../impediments.ts';
import { machineRemovalImpediments } from '../machine/living.ts';
import { stoppedUpgrade } from './explain-program.ts';
import type { Actor, Explanation, ExplainView, Removal } from './explanation.ts';
import { machineState, release } from './machine-state.ts';
import { instanceStatus } from './machine-status.ts';
import { leavesInstance, machinesTaken } from './removal-effects.ts';
import { troubled } from './trouble.ts';
import { head, leaf, listed, lookMax, plural, type Walk } from './walk.ts';
import { defined } from '../defined.ts';

export function explainMachine(machine: MachineDoc, walk: Walk): Explanation {
  const about = head({ kind: 'machine', id: machine.id }, machine, walk.view);
  if (machine.life === 'dead') return { ...about, ...explainDead(machine, walk.view) };
  return {
    ...about,
    ...(machine.life === 'alive' ? explainAlive(machine, walk) : explainDying(machine, walk)),
  };
}

function explainDead(machine: MachineDoc, view: ExplainView): Pick<Explanation, 'text' | 'actor'> {
  const { text, trouble, actor } = release(machine, view);
  return { text: trouble === '' ? text : `${text}: ${trouble}`, actor };
}

/** The machine as the cause that keeps a unit on it from making progress. */
export function explainMachineAgent(id: string, { view, explainAgent }: Walk): Explanation {
  const machine = view.get('machine', id);
  const about = head({ kind: 'machine', id }, machine ?? { life: 'dead' }, view);
  if (!machine) return { ...about, text: 'it no longer exists' };
  if (machine.life === 'dead') return { ...about, ...explainDead(machine, view) };
  const { text, actor, host } = machineState(machine, view);
  return {
    ...about,
    text,
    ...defined({ actor }),
    waitsFor: host === undefined ? [] : [explainAgent(host)],
  };
}

type Details = Pick<Explanation, 'text' | 'actor' | 'removal' | 'waitsFor' | 'more'>;

function explainAlive(
  machine: MachineDoc,
  { view, root, shownMax, explainCause, explainAgent }: Walk,
): Details {
  const state = machineState(machine, view);
  if (state.kind !== 'up' || !root)
    return {
      text: state.text,
      ...defined({ actor: state.actor }),
      waitsFor: state.host === undefined ? [] : [explainAgent(state.host)],
      more: 0,
    };
  const { units: unwell, total } = troubled(view.find('unit', 'machine', machine.id), view);
  // Subordinates are explained below the principals that wait for them.
  const shown = unwell.sort((a, b) => Number(isSubordinate(a)) - Number(isSubordinate(b))).slice(0, shownMax);
  const units =
    total === 0
      ? 'no problems found'
      : total === 1
        ? '1 unit on it needs attention'
        : `${total} units on it need attention`;
  const stopped = stoppedUpgrade(machine, view);
  const remarks = [units, stopped?.text ?? '', remarkOf(machine, view)].filter((text) => text !== '');
  return {
    text: remarks.join('; '),
    ...defined({ actor: stopped?.actor }),
    waitsFor: shown.map(({ name }) => explainCause({ kind: 'unit', id: name })).filter(({ above }) => !above),
    more: total - shown.length,
    removal: removal(machine, machineRemovalImpediments(view, machine.id), view),
  };
}

/** A remark on a running instance, such as a base other than the requested one; '' = none. */
function remarkOf(machine: MachineDoc, view: ExplainView): string {
  const { base, instance } = machine;
  if (instance?.base)
    return `it was requested with base ${formatBase(base)} and has ${formatBase(instance.base)}`;
  const { status, message } = instanceStatus(machine, view);
  return status === 'running' && message.toLowerCase() !== 'running' ? message : '';
}

function isSubordinate({ principal }: UnitDoc): boolean {
  return principal !== undefined;
}

function explainDying(machine: MachineDoc, { view, shownMax, explainCause, explainAgent }: Walk): Details {
  const { id, dyingSince } = machine;
  const found = impediments({ kind: 'machine', id }, view, lookMax);
  const entities = found.flatMap(({ entity }) => (entity ? [entity] : []));
  const shown = entities.slice(0, shownMax);
  const state = machineState(machine, view);
  const waitsFor = [
    ...shown.map((entity) => explainCause(entity)),
    ...found.filter(({ entity }) => !entity).map(leaf),
    ...(state.host === undefined ? [] : [explainAgent(state.host)]),
  ];
  const since = dyingSince === undefined ? {} : { since: dyingSince };
  const name = `machine ${id}`;
  const waits = waitsText(found);
  if (state.kind !== 'up') {
    const neverStarted = state.kind === 'starting' && found.length === 0;
    const actor: Actor | undefined = neverStarted
      ? { kind: 'provisioner', name, task: 'removes it: it was never started', ...since, commands: [] }
      : state.actor;
    const text = waits === '' ? state.text : `${waits}; ${state.text}`;
    return { text, ...defined({ actor }), waitsFor, more: entities.length - shown.length };
  }
  if (found.length > 0) return { text: waits, waitsFor, more: entities.length - shown.length };
  return {
    text: 'nothing is left on it',
    actor: {
      kind: 'agent',
      name,
      task: 'stops the agents on the machine and reports that it has ended',
      ...since,
      commands: [],
    },
    waitsFor,
    more: 0,
  };
}

function waitsText(found: readonly Impediment[]): string {
  const count = (kind: Impediment['kind']): number => found.filter((one) => one.kind === kind).length;
  const parts = [
    ...(count('unit') > 0 ? [plural(count('unit'), 'unit')] : []),
    ...(count('container') > 0 ? [plural(count('container'), 'container')] : []),
    ...(count('attachment') > 0 ? [plural(count('attachment'), 'storage attachment')] : []),
    ...(count('controller') > 0 ? ['the controller'] : []),
  ];
  return parts.length === 0 ? '' : `waits for ${listed(parts)}`;
}

function removal({ id }: MachineDoc, refused: readonly Impediment[], view: ExplainView): Removal {
  const effect = leavesInstance(id, view) ? 'leaves its instance running' : 'releases its instance';
  const remove = { line: `remove-machine ${id}`, effect };
  const [first] = refused;
  if (!first) return { refused: '', commands: [remove] };
  if (first.kind === 'controller') return { refused: first.text, commands: [] };
  const { units, empty, others } = holdersOf(refused, view);
  const taken = machinesTaken([...refs('unit', units), ...refs('machine', empty)], view);
  const left = others.filter((container) => !taken.includes(container));
  const isRemovedWhenEmpty = taken.includes(id) && left.length === 0;
  const containers = [...empty, ...left];
  const effectOfLastUnit =
    containers.length === 0 ? 'the machine is removed with its last unit' : 'empties it';
  const count = (kind: Impediment['kind']): number => refused.filter((found) => found.kind === kind).length;
  const holderCounts = [
    ...(count('unit') > 0 ? [plural(count('unit'), 'alive unit')] : []),
    ...(count('container') > 0 ? [plural(count('container'), 'container')] : []),
  ];
  return {
    refused: `remove-machine refuses because of ${listed(holderCounts)}`,
    commands: [
      ...emptying('remove-unit', units, isRemovedWhenEmpty ? effectOfLastUnit : 'empties it'),
      ...emptying(
        'remove-machine',
        containers,
        isRemovedWhenEmpty ? 'the machine is removed when it is empty' : 'empties it',
      ),
      ...(isRemovedWhenEmpty ? [] : [{ ...remove, effect: `then ${remove.effect}` }]),
    ],
  };
}

/** Units and containers on a machine at any depth: units, containers that are empty, and others, innermost first. */
function holdersOf(
  refused: readonly Impediment[],
  view: ExplainView,
): { units: string[]; empty: string[]; others: string[] } {
  const holders = { units: [] as string[], empty: [] as string[], others: [] as string[] };
  for (const { kind, entity } of refused) {
    if (kind === 'unit' && entity) holders.units.push(entity.id);
    if (kind !== 'container' || !entity) continue;
    const inside = machineRemovalImpediments(view, entity.id);
    const inner = holdersOf(inside, view);
    holders.units.push(...inner.units);
    holders.empty.push(...inner.empty);
    holders.others.push(...inner.others);
    (inside.length === 0 ? holders.empty : holders.others).push(entity.id);
  }
  return holders;
}

function refs(kind: 'unit' | 'machine', ids: readonly string[]): EntityRef[] {
  return ids.map((id) => ({ kind, id }));
}

function emptying(command: string, names: readonly string[], effect: string): Removal['commands'] {
  const shown = names.slice(0, 5);
  const more = names.length - shown.length;
  if (shown.length === 0) return [];
  return [
    {
      line: `${command} ${shown.join(' ')}`,
      effect: more > 0 ? `with ${more} more, ${effect}` : effect,
    },
  ];
}
