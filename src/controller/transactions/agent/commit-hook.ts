import { JujuError } from '../../../core/errors.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import { closePort, openPort, parsePortRange, takenRanges, type OpenPorts } from '../../../core/ports.ts';
import type { HookCommit } from '../../../wire/facades/machine-agent.ts';
import { addStorage } from '../begin/add-storage.ts';
import { recordSecretHook } from './secret-times.ts';
import { recordTold } from './secret-told.ts';
import { takesPartIn } from './enter-scope.ts';
import { assertLeader } from './leadership.ts';
import { announceAddresses } from './put-addresses.ts';
import { setDatabag } from './set-databag.ts';
import type { Tx } from '../tx.ts';
import { commitSecrets, type NewContents } from './commit-secrets.ts';
import { refuseWhileHeld } from './restored-units.ts';
import { liveUnit } from './unit-agent.ts';

/**
 * Commits everything that one hook leaves, together with the agent's state after it, once: a commit that is repeated
 * after a lost answer changes nothing (unit-agent.md#commit-once). The lease fences writes to application databags.
 * Databags of relations that are gone are left out.
 * Errors: `not leader`; `try again` after a restore; `dead`; '' for a relation the unit is not in; conflicts of ports.
 */
export function commitHook(tx: Tx, commit: HookCommit, contents: NewContents = noContents): void {
  const state = tx.get('unit-state', commit.unit);
  if (state?.lastHook === commit.hookId) return;
  refuseWhileHeld(tx);
  const unit = liveUnit(tx, commit.unit);
  checkLimit(limits.databagsOfHook, commit.relationSettings.length);
  // Deletions of charm state come first: they free the space that the rest needs when the model is full.
  const charmState = { ...state?.charm };
  for (const key of commit.charmState?.delete ?? []) delete charmState[key];
  Object.assign(charmState, commit.charmState?.set);
  tx.put('unit-state', unit.name, {
    unit: unit.name,
    lastHook: commit.hookId,
    agent: commit.agentState,
    charm: charmState,
  });
  // Settings by the charm itself come later, and stay.
  if (commit.announceAddresses) announceAddresses(tx, unit);
  for (const change of commit.relationSettings) {
    const relation = tx.get('relation', String(change.relation));
    // The relation was removed while the hook ran: its databag has no reader, and the hook's other changes still count.
    if (!relation) continue;
    if (!takesPartIn(tx, unit, relation))
      throw new JujuError('unauthorized access', `unit "${unit.name}" is not in relation ${change.relation}`);
    if (change.app) assertLeader(tx, unit, 'cannot write relation settings');
    setDatabag(tx, String(change.relation), change.app ? unit.application : unit.name, change.set);
  }
  if (commit.secrets) commitSecrets(tx, unit, commit.secrets, contents);
  for (const { name, count } of commit.addStorage ?? [])
    if (unit.life === 'alive') addStorage(tx, { unit: unit.name, name, directive: { count } });
  if (commit.secretTime) recordSecretHook(tx, unit, commit.secretTime);
  if (commit.secretTold) recordTold(tx, unit, commit.secretTold);
  if (commit.openPorts.length > 0 || commit.closePorts.length > 0) changePorts(tx, unit, commit);
}

const noContents: NewContents = { keyOf: () => undefined, isSame: () => false };

function changePorts(tx: Tx, unit: UnitDoc, commit: HookCommit): void {
  // Each range is compared with all open ranges, so their number is limited.
  for (const list of [commit.openPorts, commit.closePorts]) checkLimit(limits.openPorts, list.length);
  const rangesOfOthers = takenRanges(
    [...tx.find('unit', 'machine', unit.machine ?? '')].filter((other) => other.name !== unit.name),
  );
  let ports: OpenPorts = unit.ports;
  const current = (): { unit: string; ports: OpenPorts } => ({ unit: unit.name, ports });
  for (const { endpoint, range } of commit.closePorts)
    ports = closePort(current(), { endpoint, range: parsePortRange(range) });
  for (const { endpoint, range } of commit.openPorts)
    ports = openPort(current(), { endpoint, range: parsePortRange(range) }, rangesOfOthers);
  if (JSON.stringify(ports) !== JSON.stringify(unit.ports)) tx.put('unit', unit.name, { ...unit, ports });
}
