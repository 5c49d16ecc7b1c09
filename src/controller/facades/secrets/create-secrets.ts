import { defined } from '../../../core/defined.ts';
import { notValid, permissionDenied } from '../../../core/errors.ts';
import { checkContent } from '../../../core/secret/content.ts';
import { secretIdOf } from '../../../core/secret/secret-id.ts';
import type { secrets as spec } from '../../../wire/facades/secrets.ts';
import { modelTag } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { createSecret } from '../../transactions/shared/secrets.ts';
import { aliveModel } from '../../transactions/tx.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';
import { isContentUsed, newContent } from '../shared/secret-contents.ts';

/** Creates secrets of the model. Errors: `already exists` for a name that is taken, `not valid` for contents. */
export async function createSecrets(
  call: Call,
  params: ParamsOf<typeof spec, 'CreateSecrets'>,
): Promise<ResultOf<typeof spec, 'CreateSecrets'>> {
  const results = await bulk(call, params.args, async (args) => {
    if (args['owner-tag'] !== '' && args['owner-tag'] !== modelTag(call.modelUuid)) throw permissionDenied();
    const content = args.content?.data ?? {};
    checkContent(content);
    if (args.uri !== undefined && args.uri !== '') throw notValid('the URI of a new secret cannot be chosen');
    const { id, writer } = await changeModel(call, (tx) => ({
      id: secretIdOf(tx.now, tx.newUuid()),
      writer: tx.newUuid(),
    }));
    const added = newContent(call, { secret: id, writer, content });
    await call.services.secretContents.using(
      [added],
      () =>
        changeModel(call, (tx) => {
          aliveModel(tx);
          createSecret(tx, {
            id,
            owner: { kind: 'model', id: '' },
            content: added.key,
            ...defined({ label: args.label, description: args.description }),
          });
        }),
      (one) => isContentUsed(call, one),
    );
    return { result: `secret:${id}` };
  });
  return { results: results.map((result) => ({ result: '', ...result })) };
}
