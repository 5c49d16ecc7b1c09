import type { KeyObject } from 'node:crypto';
import type { Base } from '../../../core/base.ts';
import type { ConstraintConflict, Constraints } from '../../../core/constraints.ts';
import type { Address, MachineDoc } from '../../../core/machine/document.ts';
import type { Hardware } from '../../../core/machine/hardware.ts';
import { JujuError } from '../../../core/errors.ts';
import type { HostDoc } from '../../../core/host/document.ts';
import { agentPassword, hashSecret } from '../../passwords.ts';
import { addMachine } from './add-machine.ts';
import { setStatus, type Tx, type View } from '../tx.ts';

export interface Enlistment {
  /** Instance id of the host, such as `manual:10.0.0.5`. */
  readonly instanceId: string;
  /** Nonce of the host, as isEnlistedNonce accepts it. */
  readonly nonce: string;
  readonly base: Base;
  readonly constraints: Constraints;
  readonly conflicts: readonly ConstraintConflict[];
  readonly addresses: readonly Address[];
  readonly hardware: Hardware;
  readonly agentKey: KeyObject;
}

/**
 * Adds an existing host as a machine to a model of any cloud; the client installs the agent on it
 * (machines.md#enlistment).
 * Errors: `already exists` (a host of this controller), and as addMachine.
 */
export function enlistMachine(tx: Tx, args: Enlistment): MachineDoc {
  const { instanceId, nonce, base, constraints, conflicts, addresses, hardware, agentKey } = args;
  refuseTaken(tx, instanceId);
  const added = addMachine(tx, { base, constraints, conflicts, removeWhenEmpty: false });
  const { id } = added;
  const password = enlistedPassword(agentKey, { model: tx.space, machine: id, nonce });
  const machine: MachineDoc = {
    ...added,
    nonce,
    passwordHash: hashSecret(password),
    instance: { id: instanceId, displayName: instanceId, hardware, isolation: '', unmanaged: true },
    addresses,
  };
  tx.put('machine', id, machine);
  takeHost(tx, id, instanceId);
  setStatus(tx, 'instance', id, 'running', 'Manually provisioned machine');
  return machine;
}

/** Errors: `already exists` for a host that is a machine of this controller. */
function refuseTaken(tx: Tx, instanceId: string): void {
  for (const host of tx.in('').find('host', 'instance', instanceId))
    throw new JujuError(
      'already exists',
      host.model === tx.space
        ? `${instanceId} is machine ${host.machine} already`
        : `${instanceId} is a machine of another model of this controller already`,
    );
}

function takeHost(tx: Tx, machine: string, instanceId: string): void {
  tx.in('').put('host', hostId(tx, machine), { model: tx.space, machine, instanceId });
}

/** Hosts of which a model's removed machines have been; their agents may not know that yet. */
export function goneHosts(root: View, model: string): HostDoc[] {
  return [...root.find('host', 'model', model)].filter(({ gone }) => gone);
}

/**
 * Records the hosts of a model that another controller has brought; `gone`: of machines that were removed before.
 * Errors: `already exists`.
 */
export function takeInHosts(tx: Tx, gone: readonly HostDoc[] = []): void {
  for (const host of gone) tx.in('').put('host', hostId(tx, host.machine), host);
  for (const machine of tx.list('machine')) {
    for (const instanceId of hostsOf([machine])) {
      refuseTakenHosts(tx.in(''), [instanceId]);
      takeHost(tx, machine.id, instanceId);
    }
  }
}

/** Instance ids of the machines that are enlisted hosts. */
export function hostsOf(machines: readonly MachineDoc[]): string[] {
  return machines.flatMap((machine) =>
    machine.instance && isEnlisted(machine) ? [machine.instance.id] : [],
  );
}

/** Refuses a model that is to arrive with a host of this controller. Errors: `already exists`. */
export function refuseTakenHosts(root: View, instanceIds: readonly string[]): void {
  for (const instanceId of instanceIds)
    if (isTaken(root, instanceId))
      throw new JujuError('already exists', `${instanceId} is a machine of the target controller already`);
}

function isTaken(root: View, instanceId: string): boolean {
  return [...root.find('host', 'instance', instanceId)].length > 0;
}

/**
 * Makes up for earlier releases, which kept the hosts of models that had left, and recorded none of models that came.
 * Nothing is written when the records are right.
 */
export function settleHosts(root: Tx): void {
  const left = [...root.list('host')].filter(
    ({ model, machine, gone }) =>
      !gone && !(root.get('model', model) && root.in(model).get('machine', machine)),
  );
  for (const { model, machine } of left) root.remove('host', hostId(root.in(model), machine));
  for (const { model } of root.list('arrival')) {
    if (!root.get('model', model)) continue;
    for (const machine of root.in(model).list('machine'))
      for (const instanceId of hostsOf([machine]))
        if (!isTaken(root, instanceId)) takeHost(root.in(model), machine.id, instanceId);
  }
}

/** Forgets the hosts of a model that is another controller's; what is kept of removed machines stays. */
export function releaseHosts(tx: Tx): void {
  for (const { machine, gone } of tx.in('').find('host', 'model', tx.space))
    if (!gone) tx.in('').remove('host', hostId(tx, machine));
}

/** First password of an enlisted machine's agent; no other machine has it, whatever nonce a client chose. */
export function enlistedPassword(
  key: KeyObject,
  { model, machine, nonce }: { readonly model: string; readonly machine: string; readonly nonce: string },
): string {
  return agentPassword(key, `${model} ${machine} ${nonce}`);
}

export function isEnlisted({ instance, isController }: MachineDoc): boolean {
  return instance?.unmanaged === true && !isController;
}

/**
 * Remembers an enlisted host whose machine record is removed: an agent that proves to be that machine's is told so when
 * it connects.
 */
export function rememberHost(tx: Tx, { id, instance, nonce, passwordHash }: MachineDoc): void {
  if (!instance || nonce === undefined || passwordHash === undefined) return;
  tx.in('').put('host', hostId(tx, id), {
    model: tx.space,
    machine: id,
    instanceId: instance.id,
    gone: { at: tx.now, nonce, passwordHash },
  });
}

function hostId(tx: Tx, machine: string): string {
  return `${tx.space} ${machine}`;
}
