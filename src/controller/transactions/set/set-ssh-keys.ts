import type { JujuError } from '../../../core/errors.ts';
import { sshKeysOf, type KeysChange } from '../../../core/model/ssh-keys.ts';
import { mustGet, type Tx } from '../tx.ts';

const setting = 'authorized-keys';

/**
 * Changes the keys that may log in to the model's machines, in the controller's space. Returns why each item was passed
 * over. Errors: `not found`; those of `change`.
 */
export function setSshKeys(
  tx: Tx,
  args: { readonly uuid: string; readonly change: (keys: readonly string[]) => KeysChange },
): readonly (JujuError | undefined)[] {
  const model = mustGet(tx, 'model', args.uuid);
  const before = sshKeysOf(model.config[setting]);
  const { keys, errors } = args.change(before);
  if (keys.length !== before.length)
    tx.put('model', model.uuid, { ...model, config: { ...model.config, [setting]: keys.join('\n') } });
  return errors;
}
