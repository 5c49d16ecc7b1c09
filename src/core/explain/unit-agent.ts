/** The state of a unit's agent as far as the controller knows, and who must act when the agent is stuck. */
import type { MachineDoc } from '../machine/document.ts';
import type { UnitDoc } from '../unit/document.ts';
import { charmOfUnit } from '../rollout/rollout.ts';
import { retriedHook } from '../unit/retried-hook.ts';
import { timeOfDay } from '../retry.ts';
import { initialStatus, statusId, type Status } from '../status.ts';
import type { Actor, ExplainView } from './explanation.ts';
import { cleaner, forceOf } from './force.ts';
import { frozenSince, isSilent } from './machine-status.ts';
import { defined } from '../defined.ts';

export interface AgentState {
  /**
   * `absent`: the unit has no machine that could run its agent; `lost`: the machine's agent is disconnected; `frozen`:
   * the machine's agent is connected and does not answer; `undeployed`: the unit's agent was never started; `failed`: a
   * hook failed and waits for the user or the next attempt; `busy`: a hook or reboot is under way; `idle`: none of
   * these.
   */
  readonly kind: 'absent' | 'lost' | 'frozen' | 'undeployed' | 'failed' | 'busy' | 'idle';
  readonly text: string;
  /** The actor that ends this state; absent when idle. */
  readonly actor?: Actor;
  /** The machine that has to be up first; its explanation says the rest. */
  readonly machine?: MachineDoc;
}

/**
 * The kind of a unit agent's state, cheap enough for loops over many units. A lost machine comes first because the
 * agent's last status is out of date.
 */
export function agentKind(unit: UnitDoc, view: ExplainView): AgentState['kind'] {
  const machine = unit.machine === undefined ? undefined : view.get('machine', unit.machine);
  // An agent may be up before the answer to its machine's start is.
  if (!machine || (!machine.instance && !view.present(machine.id))) return 'absent';
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
          : `machine ${machine.id} has not started yet`,
        machine,
      };
    case 'lost':
      return {
        kind,
        text: `its agent is lost with that of machine ${unit.machine}`,
        ...defined({ machine }),
      };
    case 'frozen':
      return {
        kind,
        text: `its agent does not answer, like that of machine ${unit.machine}`,
        ...defined({ machine }),
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

/** The agent of the unit's machine as the actor that starts, stops and removes the unit. */
export function deployer(unit: UnitDoc): Actor {
  const { name, machine, life, dyingSince, createdAt } = unit;
  const task = life === 'alive' ? `starts unit ${name}` : `stops and removes unit ${name}`;
  return { kind: 'agent', name: `machine ${machine}`, task, since: dyingSince ?? createdAt, commands: [] };
}

/** Maximum number of units on a machine that are searched for the one that is executing. */
const neighboursMax = 100;

/** The unit on the same machine whose hook is running: hooks on a machine run one at a time. */
export function whoseTurn(unit: UnitDoc, view: ExplainView): { text: string; actor: Actor } | undefined {
  if (unit.machine === undefined) return undefined;
  let left = neighboursMax;
  for (const other of view.find('unit', 'machine', unit.machine)) {
    if (left-- === 0) return undefined;
    const { status, message, since } = statusOf(other, view);
    if (other.name !== unit.name && status === 'executing')
      return {
        text: `its turn comes when unit ${other.name} on the same machine has finished ${message.replace(/^running /, '')}`,
        actor: does(other, message.replace(/^running /, 'runs '), since),
      };
  }
  return undefined;
}

/** The unit's own agent as the actor of a task. */
export function does(unit: UnitDoc, task: string, since?: string): Actor {
  return {
    kind: 'agent',
    name: `unit ${unit.name}`,
    task,
    ...defined({ since }),
    commands: [],
  };
}

export function statusOf(unit: UnitDoc, view: ExplainView): Status {
  return view.get('status', statusId('unit-agent', unit.name)) ?? initialStatus('unit-agent', unit.createdAt);
}

/** The state after a failed hook or a failed deployment of the charm. */
function failed(unit: UnitDoc, agent: Status, view: ExplainView): AgentState {
  const hook = agent.data?.['hook'];
  const text = agent.message;
  if (typeof hook !== 'string')
    return { kind: 'failed', text, actor: does(unit, 'tries again to deploy its charm', agent.since) };
  if (unit.resolved !== '') {
    const task = unit.resolved === 'no-hooks' ? `continues without hook ${hook}` : `runs hook ${hook} again`;
    return { kind: 'failed', text, actor: does(unit, task, agent.since) };
  }
  const failure = { hook: { unit: unit.name, name: hook } };
  const force = forceOf({ kind: 'unit', id: unit.name }, view);
  const commands = [
    { line: `resolved ${unit.name}`, effect: `runs hook ${hook} again` },
    { line: `resolved ${unit.name} --no-retry`, effect: `continues as if hook ${hook} had succeeded` },
    ...takeCharm(unit, view),
    { line: `debug-log --include ${unit.name} --lines 50 --no-tail`, effect: 'shows its log' },
  ];
  if (unit.life !== 'alive' && force)
    return {
      kind: 'failed',
      text,
      actor: { ...cleaner(`unit ${unit.name}`, force, view.now), ...failure, commands },
    };
  const retried = retriedHook(unit, agent, view);
  const next = retried?.at === undefined ? 'from time to time' : `at ${timeOfDay(retried.at)}`;
  const task = `fix what makes hook ${hook} fail${retried ? `; the agent retries it ${next}` : ''}`;
  return { kind: 'failed', text, actor: { ...operator(unit, task, commands, agent.since), ...failure } };
}

/** The command that gives a failed unit the charm that waits for it. */
function takeCharm(unit: UnitDoc, view: ExplainView): Actor['commands'] {
  const { application: name, charmUrl } = unit;
  const application = view.get('application', name);
  const wanted = application && charmOfUnit(application, unit);
  // A roll-out has commands of its own.
  if (wanted === undefined || wanted === charmUrl || application?.rollout) return [];
  return [
    {
      line: `refresh ${name} --switch ${wanted} --force-units`,
      effect: `takes charm ${wanted} first`,
    },
  ];
}

function operator(unit: UnitDoc, task: string, commands: Actor['commands'], since?: string): Actor {
  return {
    kind: 'operator',
    name: `unit ${unit.name}`,
    task,
    ...defined({ since }),
    commands,
  };
}

export function forcedUnitRemoval({ name, principal }: UnitDoc): Actor['commands'][number] {
  return {
    line: `remove-unit ${principal ?? name} --force`,
    effect: `removes unit ${principal ?? name} without its agent`,
  };
}
