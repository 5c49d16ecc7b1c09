import { accessId } from '../../../core/access/document.ts';
import type { ModelDoc } from '../../../core/model/document.ts';
import type { ModelProgram } from '../../../core/model/upgrade.ts';
import { JujuError } from '../../../core/errors.ts';
import { isModelName } from '../../../core/names.ts';
import { checkBackendName } from '../shared/secret-backends.ts';
import type { Tx } from '../tx.ts';

/**
 * Creates a model, in the controller's space. The owner gets admin access.
 * Errors: `not valid`, `already exists`, `not found` (cloud, secret-backend).
 */
export function createModel(
  tx: Tx,
  args: {
    /** UUID of the model; absent: a new UUID is generated. */
    uuid?: string;
    name: string;
    owner: string;
    cloud: string;
    region: string;
    credential: string;
    config: Readonly<Record<string, unknown>>;
    program?: ModelProgram;
  },
): ModelDoc {
  if (!isModelName(args.name))
    throw new JujuError(
      'not valid',
      `"${args.name}" is not a valid name: model names may only contain lowercase letters, digits and hyphens`,
    );
  if (tx.count('model', 'name', `${args.owner}/${args.name}`) > 0)
    throw new JujuError('already exists', `model "${args.name}" for ${args.owner} already exists`);
  if (!tx.get('cloud', args.cloud)) throw new JujuError('not found', `cloud "${args.cloud}" not found`);
  checkBackendName(tx, args.config['secret-backend']);
  const { uuid = tx.newUuid(), ...fields } = args;
  const model: ModelDoc = { uuid, life: 'alive', constraints: {}, createdAt: tx.now, ...fields };
  tx.put('model', uuid, model);
  tx.put('access', accessId({ user: args.owner, model: uuid }), {
    user: args.owner,
    model: uuid,
    access: 'admin',
  });
  return model;
}
