import type { MachineDoc } from '../../../core/machine/document.ts';
import { limits } from '../../../core/limits.ts';
import type { Tx } from '../tx.ts';

/**
 * Resets the machine to never started, except for a new nonce: the instance of the earlier attempt is not adopted, and
 * the record, should it be removed before the next start, stays until that instance is released. The nonces of the
 * last attempts are remembered: what has one of them is no instance that a restored model does not know.
 */
export function giveUpAttempt(tx: Tx, machine: MachineDoc): MachineDoc {
  const {
    nonce,
    givenUp = [],
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
    ...(nonce !== undefined && {
      nonce: newNonce(tx),
      givenUp: [...givenUp, nonce].slice(-limits.givenUpAttempts.max),
    }),
    addresses: [],
    hostname: '',
  };
}

/** New nonce in Juju's form, different from all others. */
export function newNonce(tx: Tx): string {
  return `machine-0:${tx.newUuid()}`;
}
