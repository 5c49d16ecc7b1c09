import type { MachineDoc } from '../../../core/machine/document.ts';
import type { Tx } from '../tx.ts';
import { defined } from '../../../core/defined.ts';

/**
 * Resets the machine to never started, except for a new nonce: the instance of the earlier attempt is not adopted, and
 * the record, should it be removed before the next start, stays until that instance is released.
 */
export function giveUpAttempt(tx: Tx, machine: MachineDoc): MachineDoc {
  const {
    nonce,
    passwordHash: _password,
    ownPassword: _own,
    zone: _zone,
    failedZones: _failed,
    instance: _instance,
    hostKeys: _hostKeys,
    ...kept
  } = machine;
  return {
    ...kept,
    ...defined({ nonce: nonce === undefined ? undefined : newNonce(tx) }),
    addresses: [],
    hostname: '',
  };
}

/** New nonce in Juju's form, different from all others. */
export function newNonce(tx: Tx): string {
  return `machine-0:${tx.newUuid()}`;
}
