import type { MachineDoc } from '../../../core/machine/document.ts';
import type { Tx } from '../tx.ts';

/**
 * As if it had never been started, but for a nonce of its own already: what was made for the one before is not adopted,
 * and the record, which may go before its next start, does not go until that is released.
 */
export function giveUpAttempt(tx: Tx, machine: MachineDoc): MachineDoc {
  const {
    nonce,
    passwordHash: _password,
    ownPassword: _own,
    zone: _zone,
    failedZones: _failed,
    instance: _instance,
    ...kept
  } = machine;
  return {
    ...kept,
    ...(nonce === undefined ? {} : { nonce: newNonce(tx) }),
    addresses: [],
    hostname: '',
  };
}

/** In Juju's form; unlike any other. */
export function newNonce(tx: Tx): string {
  return `machine-0:${tx.newUuid()}`;
}
