import { notFound } from '../../../core/errors.ts';
import type { cloud as spec } from '../../../wire/facades/cloud.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { isSecretAttribute } from '../../secrets.ts';
import { bulk } from '../shared/bulk.ts';
import { credentialOfTag } from './credential-of-tag.ts';

/** Returns credentials without their secrets. */
export async function credential(
  call: Call,
  params: ParamsOf<typeof spec, 'Credential'>,
): Promise<ResultOf<typeof spec, 'Credential'>> {
  const root = call.read().in('');
  return {
    results: await bulk(call, params.entities, ({ tag }) => {
      const { id, cloud, name } = credentialOfTag(call, tag);
      const doc = root.get('credential', id);
      if (!doc) throw notFound('credential', name);
      const type = root.get('cloud', cloud)?.type ?? '';
      const schema = call.services.providers.get(type)?.authTypes[doc.authType];
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
