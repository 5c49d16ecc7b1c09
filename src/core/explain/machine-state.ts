/** How things stand between a machine, its agent and its instance, and who must act. */
import type { MachineDoc } from '../entities.ts';
import { initialStatus, statusId, type Status } from '../status.ts';
import type { Actor, ExplainView } from './explanation.ts';
import { cleaner, forceOf } from './force.ts';

export interface MachineState {
  /** `starting`: it has no instance; `silent`: its agent has never come; `lost`: its agent has gone; `up` else. */
  readonly kind: 'starting' | 'silent' | 'lost' | 'up';
  readonly text: string;
  readonly actor?: Actor;
}

/** Of a machine that is not dead. Cheap: for what is asked of many. */
export function machineKind(machine: MachineDoc, view: ExplainView): MachineState['kind'] {
  if (!machine.instance) return 'starting';
  if (machine.isController || view.present(machine.id)) return 'up';
  return machineAgentStatus(machine, view).status === 'pending' ? 'silent' : 'lost';
}

/** Of a machine that is not dead. */
export function machineState(machine: MachineDoc, view: ExplainView): MachineState {
  const kind = machineKind(machine, view);
  if (!machine.instance) return starting(machine, view);
  if (kind === 'up') return { kind, text: 'its agent is connected' };
  const instance = instanceStatus(machine, view);
  const provider = `instance ${machine.instance.id} is ${instance.status}`;
  const detail = instance.message.toLowerCase() === instance.status ? '' : instance.message;
  const pending = kind === 'silent';
  const since = pending ? instance.since : view.absentSince(machine.id);
  return {
    kind,
    text: pending
      ? `its agent has not come up yet; ${provider}${detail === '' ? '' : ` (${detail})`}`
      : `its agent has no connection; ${provider}`,
    actor: lostAgent(machine, { pending, since }, view),
  };
}

/** Of a dead one: what is between it and the end of its record. */
export function release(
  machine: MachineDoc,
  view: ExplainView,
): { text: string; trouble: string; actor: Actor } {
  const { instance, keepInstance, dyingSince } = machine;
  const stays = keepInstance || instance?.unmanaged === true;
  const status = instanceStatus(machine, view);
  const trouble = status.status === 'error' ? status.message : '';
  return {
    text: !instance
      ? 'its record is to be removed'
      : stays
        ? `its record is to be removed; instance ${instance.id} stays`
        : `instance ${instance.id} is being released`,
    trouble,
    actor: {
      kind: 'provisioner',
      name: `machine ${machine.id}`,
      task:
        !instance || stays
          ? 'removes the record'
          : `releases instance ${instance.id}, as often as it takes, then removes the record`,
      ...(trouble !== '' ? { since: status.since } : dyingSince === undefined ? {} : { since: dyingSince }),
      commands: [],
    },
  };
}

function starting(machine: MachineDoc, view: ExplainView): MachineState {
  const status = instanceStatus(machine, view);
  const { id } = machine;
  if (status.status === 'provisioning error' || status.status === 'error')
    return {
      kind: 'starting',
      text: `the provider cannot start it: ${status.message}`,
      actor: {
        kind: 'operator',
        name: `machine ${id}`,
        task: 'mend what the provider says',
        since: status.since,
        commands: [
          { line: `grigri retry-provisioning ${id}`, effect: 'asks the provider again' },
          forcedMachineRemoval(machine, view),
        ],
      },
    };
  if (machine.parent !== undefined)
    return {
      kind: 'starting',
      text: `machine ${machine.parent} has not made this container yet`,
      actor: {
        kind: 'agent',
        name: `machine ${machine.parent}`,
        task: `makes container ${id}`,
        since: status.since,
        commands: [],
      },
    };
  const asked = status.status !== 'pending';
  return {
    kind: 'starting',
    text:
      asked && status.message !== '' ? `it is being started: ${status.message}` : 'it has no instance yet',
    actor: {
      kind: 'provisioner',
      name: `machine ${id}`,
      task: asked ? 'starts an instance' : 'has yet to ask the provider for an instance',
      since: status.since,
      commands: [],
    },
  };
}

function lostAgent(
  machine: MachineDoc,
  { pending, since }: { pending: boolean; since: string | undefined },
  view: ExplainView,
): Actor {
  const { id } = machine;
  const name = `machine ${id}`;
  const force = forceOf({ kind: 'machine', id }, view);
  if (machine.life !== 'alive' && force) return cleaner(name, force, view.now);
  const time = since === undefined ? {} : { since };
  if (pending)
    return {
      kind: 'agent',
      name,
      task: 'comes up when the instance has started',
      ...time,
      commands: [forcedMachineRemoval(machine, view)],
    };
  return {
    kind: 'operator',
    name,
    task: 'see to it that the machine runs and reaches the controller, or give it up',
    ...time,
    commands: [forcedMachineRemoval(machine, view)],
  };
}

export function forcedMachineRemoval({ id }: MachineDoc, view: ExplainView): Actor['commands'][number] {
  const units = view.count('unit', 'machine', id);
  const those = units === 0 ? '' : units === 1 ? ' and the unit on it' : ` and the ${units} units on it`;
  return { line: `grigri remove-machine ${id} --force`, effect: `gives up machine ${id}${those}` };
}

function instanceStatus({ id, createdAt }: MachineDoc, view: ExplainView): Status {
  return view.get('status', statusId('instance', id)) ?? initialStatus('instance', createdAt);
}

export function machineAgentStatus({ id, createdAt }: MachineDoc, view: ExplainView): Status {
  return view.get('status', statusId('machine-agent', id)) ?? initialStatus('machine-agent', createdAt);
}
