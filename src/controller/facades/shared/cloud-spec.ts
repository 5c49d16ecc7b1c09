import type { ModelDoc } from '../../../core/model/document.ts';
import { defined } from '../../../core/defined.ts';
import { notFound } from '../../../core/errors.ts';
import type { CloudSpecRecord } from '../../../wire/facades/cloud-spec.ts';
import type { Call } from '../../facade.ts';
import { openAttributes } from '../../secrets.ts';

/** The cloud of a model with its credential, all secrets in clear: the caller checks who asks. Errors: `not found`. */
export function cloudSpecOf(call: Call, model: ModelDoc): CloudSpecRecord {
  const root = call.read().in('');
  const cloud = root.get('cloud', model.cloud);
  if (!cloud) throw notFound('cloud', model.cloud);
  const region = cloud.regions.find(({ name }) => name === model.region);
  const credential = model.credential === '' ? undefined : root.get('credential', model.credential);
  return {
    type: cloud.type,
    name: cloud.name,
    ...ifSet('region', model.region),
    ...ifSet('endpoint', region?.endpoint ?? cloud.endpoint),
    ...ifSet('identity-endpoint', region?.identityEndpoint ?? cloud.identityEndpoint),
    ...ifSet('storage-endpoint', region?.storageEndpoint ?? cloud.storageEndpoint),
    ...(credential && {
      credential: {
        'auth-type': credential.authType,
        attrs: openAttributes(call.services.sealer, credential.attributes),
      },
    }),
    ...(cloud.caCertificates && { cacertificates: [...cloud.caCertificates] }),
    ...defined({
      'skip-tls-verify': cloud.skipTlsVerify || undefined,
      'is-controller-cloud': root.get('controller', 'self')?.cloud === cloud.name || undefined,
    }),
  };
}

function ifSet<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  return value === undefined || value === '' ? {} : ({ [key]: value } as { [P in K]?: string });
}
