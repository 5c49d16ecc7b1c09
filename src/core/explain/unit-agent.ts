/** What a unit's agent is at, as far as the controller knows, and who must act when it is at nothing. */
import type { MachineDoc } from '../machine/document.ts';
import type { UnitDoc } from '../unit/document.ts';
import { mergedModelConfig } from '../model/config.ts';
import { initialStatus, statusId, type Status } from '../status.ts';
import type { Actor, ExplainView } from './explanation.ts';
import { cleaner, forceOf } from './force.ts';
import { frozenSince, isSilent } from './machine-status.ts';

export interface AgentState {
  /**
   * `absent`: it has no machine that could run it; `lost`: its machine's agent has no connection; `frozen`: that is
   * connected and does not answer; `undeployed`: nobody has started it; `failed`: it waits for the user, or for its next try; `busy`: it runs something; `idle`: none of
   * these.
   */
  readonly kind: 'absent' | 'lost' | 'frozen' | 'undeployed' | 'failed' | 'busy' | 'idle';
  readonly text: string;
  /** Who ends this; absent when idle. */
  readonly actor?: Actor;
  /** The machine that has to be there first: all else is told with it. */
  readonly machine?: MachineDoc;
}

/**
 * Cheap: for what is asked of many units. A lost machine comes first, as its agent's last words say nothing any more.
 */
export function agentKind(unit: UnitDoc, view: ExplainView): AgentState['kind'] {
  const machine = unit.machine === undefined ? undefined : view.get('machine', unit.machine);
  if (!machine?.instance) return 'absent';
  if (!view.present(machine.id)) return isSilent(machine, view) ? 'absent' : 'lost';
  if (frozenSince(machine, view) !== undefined) return 'frozen';
  if (!unit.deployed) return 'undeployed';
  const { status } = statusOf(unit, view);
  if (status === 'error') return 'failed';
  return status === 'executing' || status === 'rebooting' ? 'busy' : 'idle';
}

export function unitAgent(unit: UnitDoc, view: ExplainView): AgentState {
  const kind = agentKind(unit, view);
  const machine = unit.machine === undefined ? undefined : view.get('machine', unit.machine);
  switch (kind) {
    case 'absent':
      if (!machine)
        return {
          kind,
          text: 'it has no machine',
          actor: operator(unit, 'remove it: nothing will run it', [forcedUnitRemoval(unit)]),
        };
      return {
        kind,
        text: machine.instance
          ? `the agent of machine ${machine.id} has not come up yet`
          : `machine ${machine.id} is not there yet`,
        machine,
      };
    case 'lost':
      return {
        kind,
        text: `its agent is lost with that of machine ${unit.machine}`,
        ...(machine && { machine }),
      };
    case 'frozen':
      return {
        kind,
        text: `its agent does not answer, like that of machine ${unit.machine}`,
        ...(machine && { machine }),
      };
    case 'undeployed':
      return { kind, text: 'its agent has not been started yet', actor: deployer(unit) };
    case 'failed':
      return failed(unit, statusOf(unit, view), view);
    case 'busy': {
      const { message, since } = statusOf(unit, view);
      return message === ''
        ? { kind, text: 'its machine reboots', actor: does(unit, 'comes back from a reboot', since) }
        : {
            kind,
            text: `its agent is ${message}`,
            actor: does(unit, message.replace(/^running /, 'runs '), since),
          };
    }
    case 'idle':
      return { kind, text: '' };
  }
}

/** The agent of its machine starts it, recalls it, removes it. */
export function deployer(unit: UnitDoc): Actor {
  const { name, machine, life, dyingSince, createdAt } = unit;
  const task = life === 'alive' ? `starts unit ${name}` : `recalls and removes unit ${name}`;
  return { kind: 'agent', name: `machine ${machine}`, task, since: dyingSince ?? createdAt, commands: [] };
}

/** So many units on a machine are looked at for the one whose turn it is. */
const neighboursMax = 100;

/** The unit that has the machine for itself: nothing else runs while one unit's hook does. */
export function whoseTurn(unit: UnitDoc, view: ExplainView): { text: string; actor: Actor } | undefined {
  if (unit.machine === undefined) return undefined;
  let left = neighboursMax;
  for (const other of view.find('unit', 'machine', unit.machine)) {
    if (left-- === 0) return undefined;
    const { status, message, since } = statusOf(other, view);
    if (other.name !== unit.name && status === 'executing')
      return {
        text: `its turn comes when unit ${other.name} on the same machine has done ${message.replace(/^running /, '')}`,
        actor: does(other, message.replace(/^running /, 'runs '), since),
      };
  }
  return undefined;
}

/** The agent of the unit does it. */
export function does(unit: UnitDoc, task: string, since?: string): Actor {
  return {
    kind: 'agent',
    name: `unit ${unit.name}`,
    task,
    ...(since === undefined ? {} : { since }),
    commands: [],
  };
}

export function statusOf(unit: UnitDoc, view: ExplainView): Status {
  return view.get('status', statusId('unit-agent', unit.name)) ?? initialStatus('unit-agent', unit.createdAt);
}

/** A hook, or the deployment of a charm. */
function failed(unit: UnitDoc, agent: Status, view: ExplainView): AgentState {
  const hook = agent.data?.['hook'];
  const text = agent.message;
  if (typeof hook !== 'string')
    return { kind: 'failed', text, actor: does(unit, 'tries again to deploy its charm', agent.since) };
  if (unit.resolved !== '') {
    const task = unit.resolved === 'no-hooks' ? `goes on without hook ${hook}` : `runs hook ${hook} again`;
    return { kind: 'failed', text, actor: does(unit, task, agent.since) };
  }
  const failure = { hook: { unit: unit.name, name: hook } };
  const force = forceOf({ kind: 'unit', id: unit.name }, view);
  const commands = [
    { line: `grigri resolved ${unit.name}`, effect: `runs hook ${hook} again` },
    { line: `grigri resolved ${unit.name} --no-retry`, effect: `goes on as if hook ${hook} had succeeded` },
    { line: `grigri debug-log --include ${unit.name} --lines 50 --no-tail`, effect: 'shows what it said' },
  ];
  if (unit.life !== 'alive' && force)
    return {
      kind: 'failed',
      text,
      actor: { ...cleaner(`unit ${unit.name}`, force, view.now), ...failure, commands },
    };
  const retries = mergedModelConfig(view.model?.config ?? {})['automatically-retry-hooks'] === true;
  const task = retries
    ? `mend what makes hook ${hook} fail; the agent tries it again from time to time`
    : `mend what makes hook ${hook} fail`;
  return { kind: 'failed', text, actor: { ...operator(unit, task, commands, agent.since), ...failure } };
}

function operator(unit: UnitDoc, task: string, commands: Actor['commands'], since?: string): Actor {
  return {
    kind: 'operator',
    name: `unit ${unit.name}`,
    task,
    ...(since === undefined ? {} : { since }),
    commands,
  };
}

export function forcedUnitRemoval({ name, principal }: UnitDoc): Actor['commands'][number] {
  return {
    line: `grigri remove-unit ${principal ?? name} --force`,
    effect: `removes unit ${principal ?? name} without its agent`,
  };
}
