/** Why a machine has no instance yet, and who must act. */
import { formatConstraints } from '../constraints.ts';
import type { MachineDoc } from '../machine/document.ts';
import { timeOfDay } from '../retry.ts';
import { isImpeded } from '../impediments.ts';
import type { Status } from '../status.ts';
import type { Actor, ExplainView } from './explanation.ts';
import { forcedMachineRemoval, instanceStatus } from './machine-status.ts';
import { suspensionState } from './suspension.ts';
import { listed } from './walk.ts';

interface Starting {
  readonly text: string;
  readonly actor?: Actor;
  /** The host that must be up first; its own explanation says why it is not. */
  readonly host?: string;
}

/** The state of a machine without an instance. `isUp`: whether a host can make containers now. */
export function starting(
  machine: MachineDoc,
  view: ExplainView,
  isUp: (host: MachineDoc) => boolean,
): Starting {
  const status = instanceStatus(machine, view);
  if (status.status === 'provisioning error' || status.status === 'error')
    return failed(machine, status, view);
  if (machine.parent !== undefined) {
    const host = view.get('machine', machine.parent);
    return host && isUp(host)
      ? madeByHost(machine, machine.parent, status)
      : {
          text: `machine ${machine.parent}, which is to make this container, is not up`,
          host: machine.parent,
        };
  }
  const suspended = suspensionState(view);
  if (!suspended) return byProvisioner(machine, status);
  if (status.status === 'allocating')
    return {
      ...byProvisioner(machine, status),
      text: 'its start is tried now, to find out whether starts can resume',
    };
  return { text: `starts of machines are suspended: ${suspended.text}`, actor: suspended.actor };
}

/** The state after a permanent failure: the provisioner does not retry by itself. */
function failed(machine: MachineDoc, status: Status, view: ExplainView): Starting {
  const { id, parent } = machine;
  const maker = parent === undefined ? 'the provider' : `machine ${parent}`;
  const constraints = formatConstraints(machine.constraints ?? {});
  return {
    text: `${maker} cannot ${parent === undefined ? 'start' : 'make'} it: ${status.message}`,
    actor: {
      kind: 'operator',
      name: `machine ${id}`,
      task: 'fix the provider error above, or request another machine',
      since: status.since,
      commands: [
        { line: `retry-provisioning ${id}`, effect: `asks ${maker} again` },
        {
          line: `resolved ${id} --constraints "…"`,
          effect:
            constraints === ''
              ? 'requests it with constraints'
              : `requests it with constraints other than ${constraints}`,
        },
        removal(machine, view),
      ],
    },
  };
}

/** The removal of a machine that never had an instance; it needs force only when a unit or container is to be on it. */
function removal(machine: MachineDoc, view: ExplainView): Actor['commands'][number] {
  const { id } = machine;
  if (isImpeded({ kind: 'machine', id }, view)) return forcedMachineRemoval(machine, view);
  return { line: `remove-machine ${id}`, effect: `removes machine ${id}` };
}

function madeByHost({ id }: MachineDoc, host: string, status: Status): Starting {
  const isRequested = status.status !== 'pending' && status.message !== '';
  return {
    text: isRequested
      ? `machine ${host} is creating it: ${status.message}`
      : `machine ${host} has not made this container yet`,
    actor: {
      kind: 'agent',
      name: `machine ${host}`,
      task: `makes container ${id}`,
      since: status.since,
      commands: [],
    },
  };
}

function byProvisioner({ id, failedZones = [] }: MachineDoc, status: Status): Starting {
  const isRequested = status.status !== 'pending';
  const next = nextAttempt(status);
  const zones =
    failedZones.length === 0
      ? ''
      : ` (not in zone${failedZones.length === 1 ? '' : 's'} ${listed(failedZones)}: it failed there)`;
  const progress = ['', 'starting'].includes(status.message) ? '' : `: ${status.message}`;
  return {
    text: isRequested ? `it is being started${progress}${zones}` : 'it has no instance yet',
    actor: {
      kind: 'provisioner',
      name: `machine ${id}`,
      task: !isRequested
        ? 'has yet to ask the provider for an instance'
        : next === ''
          ? 'starts an instance'
          : `tries again at ${next}, until it succeeds`,
      since: status.since,
      commands: next === '' ? [] : [{ line: `retry-provisioning ${id}`, effect: 'tries again now' }],
    },
  };
}

/** Time of day of the next attempt, `01:00:30Z`; '' while an attempt is under way. */
function nextAttempt({ data }: Status): string {
  const next = data?.['next'];
  return typeof next === 'string' ? timeOfDay(next) : '';
}
