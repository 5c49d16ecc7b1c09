import { credentialId, type CredentialDoc } from '../../../core/credential/document.ts';
import { JujuError, notFound, permissionDenied } from '../../../core/errors.ts';
import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { isSecretAttribute, openAttributes } from '../../secrets.ts';
import { modelsWith } from '../../transactions/shared/models-with.ts';
import { bulk } from '../shared/bulk.ts';
import { isSuperuser, modelAccess } from '../shared/model-access.ts';
import { defined } from '../../../core/defined.ts';
import { credentialSchema } from '../../../providers/contract/credential-schema.ts';
import { credentialsOf } from './credential-of-tag.ts';

type Item = NonNullable<ResultOf<typeof spec, 'CredentialContents'>['results'][number]['result']>;

/** Returns the caller's own credentials; secrets are for superusers only. */
export async function credentialContents(
  call: Call,
  params: ParamsOf<typeof spec, 'CredentialContents'>,
): Promise<ResultOf<typeof spec, 'CredentialContents'>> {
  const withSecrets = params['include-secrets'];
  if (withSecrets && !isSuperuser(call)) throw permissionDenied();
  const root = call.read().in('');
  const owner = call.caller.kind === 'user' ? call.caller.name : '';
  const named = params.credentials ?? [];
  const all = credentialsOf(call, owner);
  const requested =
    named.length === 0
      ? all.map((doc) => ({ cloud: doc.cloud, name: doc.name }))
      : named.map((one) => ({ cloud: one['cloud-name'], name: one['credential-name'] }));
  return {
    results: await bulk(call, requested, ({ cloud, name }) => {
      if (!root.get('cloud', cloud)) throw notFound('cloud', cloud);
      const doc = all.find((one) => one.cloud === cloud && one.name === name);
      if (!doc) throw new JujuError('not found', `credential "${name}" for cloud "${cloud}" not found`);
      return { result: describe(call, doc, withSecrets) };
    }),
  };
}

function describe(call: Call, doc: CredentialDoc, withSecrets: boolean): Item {
  const { sealer, providers } = call.services;
  const type = call.read().in('').get('cloud', doc.cloud)?.type ?? '';
  const schema = credentialSchema(providers.get(type), type, doc.authType);
  const shown = Object.entries(doc.attributes).filter(
    ([key]) => withSecrets || !isSecretAttribute(schema, key),
  );
  const attrs = openAttributes(sealer, Object.fromEntries(shown));
  const models = modelsWith(call.read().in(''), credentialId(doc)).map(({ uuid, name }) => ({
    model: name,
    access: modelAccess(call, uuid),
  }));
  return {
    content: {
      name: doc.name,
      cloud: doc.cloud,
      'auth-type': doc.authType,
      valid: !doc.revoked,
      ...defined({ attrs: Object.keys(attrs).length > 0 ? attrs : undefined }),
    },
    ...defined({ models: models.length > 0 ? models : undefined }),
  };
}
