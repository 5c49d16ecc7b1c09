import { defined } from '../../../core/defined.ts';
import { notValid } from '../../../core/errors.ts';
import { checkContent } from '../../../core/secret/content.ts';
import type { secrets as spec } from '../../../wire/facades/secrets.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { newestRevision, updateSecret } from '../../transactions/shared/secrets.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';
import { isContentUsed, newContent } from '../shared/secret-contents.ts';
import { userSecret } from './user-secret.ts';

/** Changes secrets of the model; a content that differs from the newest revision's makes a new one. */
export async function updateSecrets(
  call: Call,
  params: ParamsOf<typeof spec, 'UpdateSecrets'>,
): Promise<ResultOf<typeof spec, 'UpdateSecrets'>> {
  return {
    results: await bulk(call, params.args, async (args) => {
      const { description, 'auto-prune': autoPrune } = args;
      // python-libjuju sends '' where it is given no new name; a secret of the model always has one.
      const label = args.label || undefined;
      const data = args.content?.data;
      const content = data && Object.keys(data).length > 0 ? data : undefined;
      if ([label, description, autoPrune, content].every((value) => value === undefined))
        throw notValid('at least one attribute to update must be specified');
      if (content) checkContent(content);
      const named = { uri: args.uri, label: args['existing-label'] };
      const { id } = userSecret(call.read(), named);
      const writer = await changeModel(call, (tx) => tx.newUuid());
      const added = content && newContent(call, { secret: id, writer, content });
      const { secretContents } = call.services;
      await secretContents.using(
        added ? [added] : [],
        () =>
          changeModel(call, (tx) => {
            const secret = userSecret(tx, named.uri === '' ? named : { uri: id, label: '' });
            const newest = newestRevision(tx, secret.id);
            // The name may mean another secret by now, to which this content does not belong.
            const isNew =
              content && secret.id === id && !(newest && secretContents.isSame(newest.content, content));
            updateSecret(tx, secret, {
              ...defined({ label, description, autoPrune, content: isNew ? added?.key : undefined }),
            });
          }),
        (one) => isContentUsed(call, one),
      );
      return {};
    }),
  };
}
