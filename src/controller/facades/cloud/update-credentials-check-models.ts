import { credentialId, type CredentialDoc } from '../../../core/credential/document.ts';
import { JujuError } from '../../../core/errors.ts';
import { ProviderError } from '../../../providers/contract/provider.ts';
import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { modelsWith } from '../../transactions/shared/models-with.ts';
import { updateCredential } from '../../transactions/set/update-credential.ts';
import { bulk, itemError } from '../shared/bulk.ts';
import { userTag } from '../../../wire/tags.ts';
import { isSuperuser, userOfTag } from '../shared/model-access.ts';
import { readCredential } from './read-credential.ts';

type Params = ParamsOf<typeof spec, 'UpdateCredentialsCheckModels'>;
type Result = ResultOf<typeof spec, 'UpdateCredentialsCheckModels'>['results'][number];
type Models = NonNullable<Result['models']>;

/** Updates credentials. A credential that the cloud of a model refuses is not written, unless forced. */
export async function updateCredentialsCheckModels(
  call: Call,
  { credentials, force }: Params,
): Promise<ResultOf<typeof spec, 'UpdateCredentialsCheckModels'>> {
  return { results: await checkEach(call, credentials, { force, isWritten: true }) };
}

export async function checkCredentialsModels(
  call: Call,
  { credentials }: ParamsOf<typeof spec, 'CheckCredentialsModels'>,
): Promise<ResultOf<typeof spec, 'CheckCredentialsModels'>> {
  return { results: await checkEach(call, credentials, { force: false, isWritten: false }) };
}

async function checkEach(
  call: Call,
  credentials: Params['credentials'],
  { force, isWritten }: { force: boolean; isWritten: boolean },
): Promise<Result[]> {
  const results = await bulk(call, credentials, async (tagged) => {
    const doc = readCredential(call, tagged);
    const models = await tryOnModels(call, doc);
    const shown = models.length > 0 ? { models } : {};
    if (models.some((model) => model.errors) && !force)
      return { ...shown, error: itemError(call, refusal(doc)) };
    if (isWritten)
      await call.store.change((tx) => {
        userOfTag(call, userTag(doc.owner), tx);
        updateCredential(tx.in(''), doc, { mayTakeOver: isSuperuser(call, tx) });
      }, call.by);
    return shown;
  });
  return results.map((result, n) => ({ tag: credentials[n]!.tag, ...result }));
}

const refusal = ({ name }: CredentialDoc): JujuError =>
  new JujuError('', `some models are no longer visible with credential "${name}"`);

/** Number of models whose clouds are asked at once; a cloud that does not answer in time does not refuse. */
const modelsAtOnce = 10;
const timeoutMs = 20_000;

async function tryOnModels(call: Call, doc: CredentialDoc): Promise<Models> {
  const models = modelsWith(call.read().in(''), credentialId(doc));
  const results: Models[number][] = [];
  for (let i = 0; i < models.length; i += modelsAtOnce)
    results.push(
      ...(await Promise.all(models.slice(i, i + modelsAtOnce).map((model) => tryOn(call, doc, model)))),
    );
  return results;
}

async function tryOn(
  call: Call,
  doc: CredentialDoc,
  model: { uuid: string; name: string },
): Promise<Models[number]> {
  const message = await refusalOf(call, model.uuid, doc);
  return message === undefined ? model : { ...model, errors: [{ error: { message, code: '' } }] };
}

/** Refusal of the credential by the model's cloud. Other failures are no reason to reject a better credential. */
export async function refusalOf(call: Call, model: string, doc: CredentialDoc): Promise<string | undefined> {
  try {
    await call.services.tryCredential(model, doc, AbortSignal.timeout(timeoutMs));
  } catch (error) {
    if (error instanceof ProviderError && error.class === 'credential') return error.message;
    call.services.log.info('cannot try a credential', { model, error });
  }
  return undefined;
}
