import { credentialId } from '../../../core/credential/document.ts';
import { JujuError } from '../../../core/errors.ts';
import type { modelManager as spec } from '../../../wire/facades/model-manager.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { changeModelCredential as transaction } from '../../transactions/set/update-credential.ts';
import { mustFindCredential } from '../cloud/credential-of-tag.ts';
import { refusalOf } from '../cloud/update-credentials-check-models.ts';
import { bulk } from '../shared/bulk.ts';
import { modelOfTag } from '../shared/model-access.ts';

/**
 * Changes the credential of models, by an admin of the model, to one of the caller's own. A credential that the cloud
 * refuses is not taken.
 */
export async function changeModelCredential(
  call: Call,
  params: ParamsOf<typeof spec, 'ChangeModelCredential'>,
): Promise<ResultOf<typeof spec, 'ChangeModelCredential'>> {
  return {
    results: await bulk(call, params['model-credentials'], async (request) => {
      const model = modelOfTag(call, request['model-tag'], 'admin');
      const doc = mustFindCredential(call, request['credential-tag']);
      // A credential of another cloud is refused before that cloud is asked.
      const refused =
        doc.cloud === model.cloud && !doc.revoked ? await refusalOf(call, model.uuid, doc) : undefined;
      if (refused !== undefined)
        throw new JujuError(
          'not valid',
          `credential "${doc.name}" is not valid for model "${model.name}": ${refused}`,
        );
      await call.store.change((tx) => {
        modelOfTag(call, request['model-tag'], 'admin', tx);
        const id = credentialId(mustFindCredential(call, request['credential-tag'], tx));
        transaction(tx.in(''), { model: model.uuid, id });
      }, call.by);
      return {};
    }),
  };
}
