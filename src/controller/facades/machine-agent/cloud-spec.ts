import { notFound, permissionDenied } from '../../../core/errors.ts';
import type { MachineAgentMethods } from '../../../wire/facades/machine-agent.ts';
import type { Call } from '../../facade.ts';
import { openAttributes } from '../../secrets.ts';
import { mustGet } from '../../transactions/tx.ts';
import { ownUnit } from './own-unit.ts';
import { defined } from '../../../core/defined.ts';

/**
 * Returns the cloud with its credential. Errors: `unauthorized access` when the unit's application is not trusted
 * (`deploy --trust`).
 */
export function cloudSpec(
  call: Call,
  params: MachineAgentMethods['CloudSpec']['params'],
): MachineAgentMethods['CloudSpec']['result'] {
  const view = call.read();
  const unit = ownUnit(call, view, params.unit);
  if (!mustGet(view, 'application', unit.application).trust) throw permissionDenied();
  const root = view.in('');
  const model = mustGet(root, 'model', call.modelUuid);
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
