import type { secrets as spec } from '../../../wire/facades/secrets.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { removeSecret } from '../../transactions/shared/secrets.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';
import { userSecret } from './user-secret.ts';

/** Removes secrets of the model, or some of their revisions. */
export async function removeSecrets(
  call: Call,
  params: ParamsOf<typeof spec, 'RemoveSecrets'>,
): Promise<ResultOf<typeof spec, 'RemoveSecrets'>> {
  return {
    results: await bulk(call, params.args, async ({ uri, label, revisions = [] }) => {
      await changeModel(call, (tx) => removeSecret(tx, userSecret(tx, { uri, label }).id, revisions));
      return {};
    }),
  };
}
