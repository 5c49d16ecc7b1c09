import { JujuError, notValid, permissionDenied } from '../../../core/errors.ts';
import { hashSecret } from '../../passwords.ts';
import { mustGet, type Tx } from '../tx.ts';

/** Minimum password length in characters: text of 128 random bits. */
const lengthMin = 22;

/**
 * Replaces the agent's first password, which becomes invalid, with one that the agent chose. `nonce` is that of its
 * login.
 * Errors: `not found`, `not valid`; `unauthorized access` when the machine has another instance by now; `try again`
 * before its start is recorded.
 */
export function setOwnPassword(
  tx: Tx,
  args: { readonly machine: string; readonly nonce: string | undefined; readonly password: string },
): void {
  const machine = mustGet(tx, 'machine', args.machine);
  if (machine.nonce !== args.nonce) throw permissionDenied();
  if (args.password.length < lengthMin) throw notValid(`password must have at least ${lengthMin} characters`);
  const passwordHash = hashSecret(args.password);
  if (machine.ownPassword && machine.passwordHash === passwordHash) return;
  // A start whose answer was lost may be repeated and create another instance, which knows only the first password.
  if (!machine.instance) throw new JujuError('try again', 'the instance is not recorded yet, try again');
  tx.put('machine', machine.id, { ...machine, passwordHash, ownPassword: true });
}
