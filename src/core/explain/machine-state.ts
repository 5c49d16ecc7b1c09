/** The state of a machine, its agent and its instance, and who must act. */
import type { MachineDoc } from '../machine/document.ts';
import { defined } from '../defined.ts';
import { irreplaceable } from '../machine/reprovision.ts';
import { mergedModelConfig } from '../model/config.ts';
import type { Status } from '../status.ts';
import { age } from './age.ts';
import type { Actor, ExplainView } from './explanation.ts';
import { programTrial } from './explain-program.ts';
import { cleaner, forceOf } from './force.ts';
import {
  elapsedMs,
  forcedMachineRemoval,
  frozenSince,
  instanceStatus,
  isSilent,
  machineAgentStatus,
} from './machine-status.ts';
import { starting } from './starting.ts';
import { suspensionState } from './suspension.ts';

export interface MachineState {
  /**
   * `starting`: no instance yet; `silent`: the agent has never connected; `lost`: the agent has disconnected; `frozen`:
   * the agent is connected and does not answer; `up`: none of these.
   */
  readonly kind: 'starting' | 'silent' | 'lost' | 'frozen' | 'up';
  readonly text: string;
  readonly actor?: Actor;
  /** The host of a container that must be up first; its own explanation says why it is not. */
  readonly host?: string;
}

/** The kind of a machine that is not dead. Cheap enough for loops over many machines. */
export function machineKind(machine: MachineDoc, view: ExplainView): MachineState['kind'] {
  if (!machine.instance) return 'starting';
  if (machine.isController) return 'up';
  if (view.present(machine.id)) return frozenSince(machine, view) === undefined ? 'up' : 'frozen';
  return isSilent(machine, view) ? 'silent' : 'lost';
}

/** The full state of a machine that is not dead. */
export function machineState(machine: MachineDoc, view: ExplainView): MachineState {
  const kind = machineKind(machine, view);
  if (!machine.instance) return { kind, ...starting(machine, view, (host) => isUp(host, view)) };
  if (kind === 'up') return { kind, text: 'its agent is connected' };
  const instance = instanceStatus(machine, view);
  if (instance.status === 'lost') return { kind, ...lostInstance(machine, instance, view) };
  const host = machine.parent === undefined ? undefined : view.get('machine', machine.parent);
  if (host && !isUp(host, view))
    return { kind, text: `it is down with machine ${host.id}, which it runs in`, host: host.id };
  const provider = `instance ${machine.instance.id} is ${instance.status}`;
  const frozen = frozenSince(machine, view);
  if (frozen !== undefined)
    return {
      kind,
      text: `its agent is connected but has not answered for ${age(frozen, view.now)}; ${provider}`,
      actor: frozenAgent(machine, frozen, view),
    };
  const suspended = instance.status === 'stopped' ? suspensionState(view) : undefined;
  if (suspended)
    return {
      kind,
      text: `${provider}; starts of machines are suspended: ${suspended.text}`,
      actor: suspended.actor,
    };
  const detail = instance.message.toLowerCase() === instance.status ? '' : instance.message;
  const pending = kind === 'silent';
  const agent = machineAgentStatus(machine, view);
  if (pending && agent.status === 'error')
    return {
      kind,
      text: `its first boot failed: ${agent.message}; ${provider}`,
      actor: failedBoot(machine, agent, view),
    };
  const boot = pending && agent.message !== '' ? `: ${agent.message}` : '';
  const since = pending ? instance.since : view.absentSince(machine.id);
  const trial = pending ? undefined : programTrial(machine, since, view);
  if (trial !== undefined)
    return {
      kind,
      text: `its agent has no connection while it changes its program; ${provider}`,
      actor: {
        kind: 'agent',
        name: `machine ${machine.id}`,
        task: trial,
        ...defined({ since }),
        commands: [],
      },
    };
  return {
    kind,
    text: pending
      ? `its agent has not come up yet${boot}; ${provider}${detail === '' ? '' : ` (${detail})`}`
      : `its agent has no connection; ${provider}`,
    actor: lostAgent(machine, { pending, since }, view),
  };
}

/**
 * What a machine without an instance waits for, in few words; '' when the machine's own status says it, or when nothing
 * is waited for.
 */
export function startWaitsFor(machine: MachineDoc, view: ExplainView): string {
  if (machine.instance || machine.life !== 'alive') return '';
  const { parent } = machine;
  const host = parent === undefined ? undefined : view.get('machine', parent);
  if (host) return isUp(host, view) ? '' : `waiting for machine ${host.id}`;
  return suspensionState(view) ? 'waiting: starts are suspended' : '';
}

/** Whether the host can make containers now. */
function isUp(host: MachineDoc, view: ExplainView): boolean {
  return host.life !== 'dead' && machineKind(host, view) === 'up';
}

/** The explanation of what keeps a dead machine's record from being removed. */
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
          : `releases instance ${instance.id}, retrying until it succeeds, then removes the record`,
      ...(trouble !== '' ? { since: status.since } : dyingSince === undefined ? {} : { since: dyingSince }),
      commands: [],
    },
  };
}

/** The state of a machine whose instance disappeared without the controller: no agent will ever connect from it. */
function lostInstance(
  machine: MachineDoc,
  { since }: Status,
  view: ExplainView,
): Pick<MachineState, 'text' | 'actor'> {
  const { id } = machine;
  const name = `machine ${id}`;
  const obstacle = irreplaceable(machine, view);
  const text = `its instance ${machine.instance?.id} no longer exists${
    machine.life !== 'alive' || obstacle === undefined ? '' : `, and it cannot be replaced: ${obstacle}`
  }`;
  const force = forceOf({ kind: 'machine', id }, view);
  if (machine.life !== 'alive' && force) return { text, actor: cleaner(name, force, view.now) };
  const removeCommand = forcedMachineRemoval(machine, view);
  if (obstacle !== undefined)
    return {
      text,
      actor: { kind: 'operator', name, task: 'remove the machine', since, commands: [removeCommand] },
    };
  if (mergedModelConfig(view.model?.config ?? {})['lost-machines'] === 'replace')
    return { text, actor: { kind: 'provisioner', name, task: 'replaces the instance', since, commands: [] } };
  const commands = [
    { line: `reprovision-machine ${id}`, effect: `starts another instance as machine ${id}` },
    removeCommand,
    {
      line: 'model-config lost-machines=replace',
      effect: 'replaces all lost instances automatically',
    },
  ];
  return {
    text,
    actor: { kind: 'operator', name, task: 'replace the instance, or remove the machine', since, commands },
  };
}

function failedBoot(machine: MachineDoc, { since }: Status, view: ExplainView): Actor {
  const { id } = machine;
  const name = `machine ${id}`;
  const force = forceOf({ kind: 'machine', id }, view);
  if (machine.life !== 'alive' && force) return cleaner(name, force, view.now);
  const rerun = `ssh ${id} sudo sh /var/lib/juju/first-boot.sh`;
  return {
    kind: 'operator',
    name,
    task: 'repair the machine and try again, or remove it',
    since,
    commands: [{ line: rerun, effect: 'tries again' }, forcedMachineRemoval(machine, view)],
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
  if (since !== undefined && elapsedMs(since, view) >= patienceMs)
    return { kind: 'operator', name, task: findOut(machine), since, commands: remedies(machine, view) };
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
    task: 'make sure that the machine runs and reaches the controller, or remove it',
    ...time,
    commands: [forcedMachineRemoval(machine, view)],
  };
}

/** Milliseconds of absence after which the operator is named as the actor for an agent. */
const patienceMs = 10 * 60_000;

function findOut({ instance }: MachineDoc): string {
  const look = instance?.unmanaged
    ? 'log in and look for the cause'
    : `look at the console log of instance ${instance?.id} in the cloud, or log in`;
  return `find out why its agent does not connect: ${look}; or remove the machine`;
}

function remedies(machine: MachineDoc, view: ExplainView): Actor['commands'] {
  const { id } = machine;
  const replace = {
    line: `reprovision-machine ${id} --force`,
    effect: `starts another instance as machine ${id}: all data on the disks of the current one is lost`,
  };
  return [
    logIn(machine),
    ...(irreplaceable(machine, view) === undefined ? [replace] : []),
    forcedMachineRemoval(machine, view),
  ];
}

function logIn({ id }: MachineDoc): Actor['commands'][number] {
  return { line: `ssh ${id}`, effect: 'opens a shell on the machine' };
}

/** The actor for a frozen agent. The controller ends its connection after a while; the agent is `lost` then. */
function frozenAgent(machine: MachineDoc, since: string, view: ExplainView): Actor {
  const name = `machine ${machine.id}`;
  const force = forceOf({ kind: 'machine', id: machine.id }, view);
  if (machine.life !== 'alive' && force) return cleaner(name, force, view.now);
  const task = 'find out why its agent does not answer: it is stopped, or the machine hangs';
  return { kind: 'operator', name, task, since, commands: [logIn(machine)] };
}
