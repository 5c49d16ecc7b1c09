import type { CredentialDoc } from '../../../core/credential/document.ts';
import { JujuError, notFound } from '../../../core/errors.ts';
import { isCredentialName } from '../../../core/names.ts';
import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import type { Call, ParamsOf } from '../../facade.ts';
import { sealAttributes } from '../../secrets.ts';
import { credentialOfTag } from './credential-of-tag.ts';
import { credentialSchema } from '../../../providers/contract/credential-schema.ts';

type Tagged = ParamsOf<typeof spec, 'AddCredentials'>['credentials'][number];

/**
 * Reads a credential for the store: checked by its provider's schema, secrets sealed. Errors: `unauthorized access`,
 * `not found` (cloud), `not valid`.
 */
export function readCredential(call: Call, { tag, credential }: Tagged): CredentialDoc {
  const { cloud, owner, name } = credentialOfTag(call, tag);
  const type = call.read().in('').get('cloud', cloud)?.type;
  if (type === undefined) throw notFound('cloud', cloud);
  if (!isCredentialName(name)) throw new JujuError('not valid', `credential name "${name}" not valid`);
  const { 'auth-type': authType, attrs: attributes = {} } = credential;
  const schema = credentialSchema(call.services.providers.get(type), type, authType);
  for (const [key, { optional }] of Object.entries(schema ?? {}))
    if (!optional && !attributes[key])
      throw new JujuError('not valid', `credential "${name}": attribute "${key}" is missing`);
  return {
    cloud,
    owner,
    name,
    authType,
    attributes: sealAttributes(call.services.sealer, schema, attributes),
  };
}
