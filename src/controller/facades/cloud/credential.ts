import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { isSecretAttribute } from '../../secrets.ts';
import { bulk } from '../shared/bulk.ts';
import { mustFindCredential } from './credential-of-tag.ts';
import { credentialSchema } from '../../../providers/contract/credential-schema.ts';

/** Returns credentials without their secrets. */
export async function credential(
  call: Call,
  params: ParamsOf<typeof spec, 'Credential'>,
): Promise<ResultOf<typeof spec, 'Credential'>> {
  const root = call.read().in('');
  return {
    results: await bulk(call, params.entities, ({ tag }) => {
      const doc = mustFindCredential(call, tag);
      const type = root.get('cloud', doc.cloud)?.type ?? '';
      const schema = credentialSchema(call.services.providers.get(type), type, doc.authType);
      const isSecret = (key: string): boolean => isSecretAttribute(schema, key);
      const attributes = Object.entries(doc.attributes);
      return {
        result: {
          'auth-type': doc.authType,
          attrs: Object.fromEntries(attributes.filter(([key]) => !isSecret(key))),
          redacted: attributes.map(([key]) => key).filter(isSecret),
        },
      };
    }),
  };
}
