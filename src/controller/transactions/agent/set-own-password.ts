import { JujuError, notValid, permissionDenied } from '../../../core/errors.ts';
import { hashSecret } from '../../passwords.ts';
import { mustGet, type Tx } from '../tx.ts';

/** 128 random bits as text. */
const lengthMin = 22;

/**
 * The agent has a password of its own, and the first one is worth nothing any more. `nonce`: that of its login. Errors:
 * `not found`, `not valid`; `unauthorized access` when the machine has another instance by now; `try again` before its start is
 * recorded.
 */
export function setOwnPassword(
  tx: Tx,
  args: { readonly machine: string; readonly nonce: string | undefined; readonly password: string },
): void {
  const machine = mustGet(tx, 'machine', args.machine);
  if (machine.nonce !== args.nonce) throw permissionDenied();
  if (args.password.length < lengthMin)
    throw notValid(`a password of less than ${lengthMin} characters is not valid`);
  const passwordHash = hashSecret(args.password);
  if (machine.ownPassword && machine.passwordHash === passwordHash) return;
  // Its start may be repeated, as one whose answer was lost, and make another instance, that has only the first.
  if (!machine.instance) throw new JujuError('try again', 'the instance is not recorded yet');
  tx.put('machine', machine.id, { ...machine, passwordHash, ownPassword: true });
}
