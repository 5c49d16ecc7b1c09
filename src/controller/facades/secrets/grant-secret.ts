import { JujuError } from '../../../core/errors.ts';
import type { secrets as spec } from '../../../wire/facades/secrets.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { grantSecret as grant, revokeSecret as revoke } from '../../transactions/agent/secret-access.ts';
import { mustGet } from '../../transactions/tx.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';
import { userSecret } from './user-secret.ts';

/** Lets applications read a secret of the model. */
export async function grantSecret(
  call: Call,
  { applications, ...named }: ParamsOf<typeof spec, 'GrantSecret'>,
): Promise<ResultOf<typeof spec, 'GrantSecret'>> {
  return {
    results: await bulk(call, applications, async (name) => {
      await changeModel(call, (tx) => {
        const { id } = userSecret(tx, named);
        if (mustGet(tx, 'application', name).life !== 'alive')
          throw new JujuError('', `application "${name}" is not alive`);
        grant(tx, { secret: id, subject: { kind: 'application', id: name }, relation: '' });
      });
      return {};
    }),
  };
}

export async function revokeSecret(
  call: Call,
  { applications, ...named }: ParamsOf<typeof spec, 'RevokeSecret'>,
): Promise<ResultOf<typeof spec, 'RevokeSecret'>> {
  return {
    results: await bulk(call, applications, async (name) => {
      await changeModel(call, (tx) => {
        const { id } = userSecret(tx, named);
        mustGet(tx, 'application', name);
        revoke(tx, { secret: id, subject: { kind: 'application', id: name } });
      });
      return {};
    }),
  };
}
