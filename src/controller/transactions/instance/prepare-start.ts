import type { KeyObject } from 'node:crypto';
import type { MachineDoc } from '../../../core/machine/document.ts';
import { compareNames } from '../../../core/names.ts';
import { agentPassword, hashSecret } from '../../passwords.ts';
import { newNonce } from './give-up-attempt.ts';
import { hasBegun } from './renew-machine.ts';
import { setStatus, type Tx } from '../tx.ts';

/** A start that is intended: durable before the provider, or the host's agent, is asked for the instance. */
export interface StartIntent {
  /** As it is now; has nonce and zone. */
  readonly machine: MachineDoc;
  readonly nonce: string;
  /** The agent's first one. */
  readonly password: string;
  /** No start with this nonce was tried before. */
  readonly isFirst: boolean;
  /** Its agent has come on the instance, recorded or not. */
  readonly existing: boolean;
  /** The principal units on it, sorted. */
  readonly units: readonly string[];
}

/**
 * Writes what ties the instance to the record, and in which zone it is to be. A machine that was prepared before keeps
 * its nonce: the instance may be there. Undefined: it is not to be started (any more).
 */
export function prepareStart(
  tx: Tx,
  args: { readonly machine: string; readonly agentKey: KeyObject; readonly zone?: string },
): StartIntent | undefined {
  const found = tx.get('machine', args.machine);
  if (!found || !mayStart(found)) return undefined;
  const { zone: _, ...rest } = found;
  const nonce = found.nonce ?? newNonce(tx);
  const password = agentPassword(args.agentKey, nonce);
  // The one that its agent chose stays, as long as the instance may be there.
  const isOwn = found.ownPassword === true && found.passwordHash !== undefined;
  const machine: MachineDoc = {
    ...rest,
    nonce,
    ...(isOwn ? {} : { passwordHash: hashSecret(password) }),
    ...(args.zone === undefined ? {} : { zone: args.zone }),
  };
  tx.put('machine', machine.id, machine);
  setStatus(tx, 'instance', machine.id, 'allocating', 'starting');
  const units = [...tx.find('unit', 'machine', machine.id)]
    .filter(({ principal }) => principal === undefined)
    .map(({ name }) => name)
    .sort(compareNames);
  const existing = found.instance !== undefined || hasBegun(tx, found);
  return { machine, nonce, password, isFirst: found.nonce === undefined, existing, units };
}

/** A dying machine whose units wait for an agent gets back the instance that it had when something crashed. */
export function mayStart({ life, nonce }: MachineDoc): boolean {
  return life === 'alive' || (life === 'dying' && nonce !== undefined);
}
