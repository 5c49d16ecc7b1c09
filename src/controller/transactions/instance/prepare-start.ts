import type { KeyObject } from 'node:crypto';
import type { MachineDoc } from '../../../core/machine/document.ts';
import { compareNames } from '../../../core/names.ts';
import { agentPassword, hashSecret } from '../../passwords.ts';
import { newNonce } from './give-up-attempt.ts';
import { hadAgent } from './renew-machine.ts';
import { setStatus, type Tx } from '../tx.ts';
import { defined } from '../../../core/defined.ts';

/** Intended start: durable before the provider, or the host's agent, is asked for the instance. */
export interface StartIntent {
  /** Machine in its present state, with nonce and zone. */
  readonly machine: MachineDoc;
  readonly nonce: string;
  /** First password of the agent. */
  readonly password: string;
  /** True when no start with this nonce was tried before. */
  readonly isFirst: boolean;
  /** True when the agent has come on the instance, recorded or not. */
  readonly existing: boolean;
  /** Names of the principal units on the machine, sorted. */
  readonly units: readonly string[];
}

/**
 * Writes the nonce, which ties the instance to the record, and the zone that the instance is to be in. A machine that
 * was prepared before keeps its nonce: the instance may exist. Returns undefined when the machine is not to be started
 * (any more).
 */
export function prepareStart(
  tx: Tx,
  args: { readonly machine: string; readonly agentKey: KeyObject; readonly zone?: string },
): StartIntent | undefined {
  const found = tx.get('machine', args.machine);
  if (!found || !mayStart(found)) return undefined;
  const { zone: _, ...fields } = found;
  const nonce = found.nonce ?? newNonce(tx);
  const password = agentPassword(args.agentKey, nonce);
  // The password that the agent chose stays, as long as its instance may exist.
  const isOwn = found.ownPassword === true && found.passwordHash !== undefined;
  const machine: MachineDoc = {
    ...fields,
    nonce,
    ...defined({ passwordHash: isOwn ? undefined : hashSecret(password), zone: args.zone }),
  };
  tx.put('machine', machine.id, machine);
  setStatus(tx, 'instance', machine.id, 'allocating', 'starting');
  const units = [...tx.find('unit', 'machine', machine.id)]
    .filter(({ principal }) => principal === undefined)
    .map(({ name }) => name)
    .sort(compareNames);
  const existing = found.instance !== undefined || hadAgent(tx, found);
  return { machine, nonce, password, isFirst: found.nonce === undefined, existing, units };
}

/**
 * True when the machine may be started. A dying machine whose units wait for an agent gets back the instance that it
 * had before a crash.
 */
export function mayStart({ life, nonce }: MachineDoc): boolean {
  return life === 'alive' || (life === 'dying' && nonce !== undefined);
}
