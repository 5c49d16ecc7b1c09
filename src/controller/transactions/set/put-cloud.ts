import { cloudAccessId } from '../../../core/cloud-access/document.ts';
import { credentialId } from '../../../core/credential/document.ts';
import type { CloudDoc } from '../../../core/cloud/document.ts';
import { JujuError, notFound } from '../../../core/errors.ts';
import { isCloudName } from '../../../core/names.ts';
import type { Tx } from '../tx.ts';

/** Adds a cloud, in the controller's space. Errors: `not valid` (name), `already exists`. */
export function addCloud(tx: Tx, cloud: CloudDoc): void {
  if (!isCloudName(cloud.name)) throw new JujuError('not valid', `cloud name "${cloud.name}" not valid`);
  if (tx.get('cloud', cloud.name))
    throw new JujuError('already exists', `cloud "${cloud.name}" already exists`);
  tx.put('cloud', cloud.name, cloud);
}

/**
 * Replaces a cloud's description, in the controller's space; its type stays, and so do the regions that models are in.
 * `check` gets the cloud before the change when it has models. Errors: `not found`, `not valid`; those of `check`.
 */
export function updateCloud(
  tx: Tx,
  { cloud, check }: { readonly cloud: CloudDoc; readonly check: (before?: CloudDoc) => void },
): void {
  const known = tx.get('cloud', cloud.name);
  if (!known) throw notFound('cloud', cloud.name);
  if (known.type !== cloud.type)
    throw new JujuError(
      'not valid',
      `cannot change type of cloud "${cloud.name}" from ${known.type} to ${cloud.type}`,
    );
  const names = new Set(cloud.regions.map((region) => region.name));
  const modelsWithoutRegion = modelsOn(tx, cloud.name).filter(
    ({ region }) => region !== '' && !names.has(region),
  );
  const removedRegions = [...new Set(modelsWithoutRegion.map(({ region }) => region))].filter((region) =>
    known.regions.some((one) => one.name === region),
  );
  if (removedRegions.length > 0)
    throw new JujuError(
      'not valid',
      `cannot remove region ${removedRegions.join(', ')} of cloud "${cloud.name}": it has models (${modelsWithoutRegion.map((model) => model.name).join(', ')})`,
    );
  const credentials = [...tx.list('credential')].filter((one) => one.cloud === cloud.name);
  const unsupported = credentials.find((one) => !cloud.authTypes.includes(one.authType));
  if (unsupported)
    throw new JujuError(
      'not valid',
      `cannot remove auth-type ${unsupported.authType} of cloud "${cloud.name}": credential "${unsupported.name}" of ${unsupported.owner} has it`,
    );
  check(hasModels(tx, cloud.name) ? known : undefined);
  tx.put('cloud', cloud.name, cloud);
}

/** Removes a cloud with its credentials, in the controller's space. Errors: `not found`; '' while a model is on it. */
export function removeCloud(tx: Tx, name: string): void {
  if (!tx.get('cloud', name)) throw notFound('cloud', name);
  if (tx.get('controller', 'self')?.cloud === name)
    throw new JujuError('', `cannot remove cloud "${name}": it is the controller's own`);
  const models = modelsOn(tx, name);
  if (models.length > 0)
    throw new JujuError(
      '',
      `cannot remove cloud "${name}": cloud is used by ${models.length} model${models.length === 1 ? '' : 's'}`,
    );
  for (const { owner, name: credentialName, cloud } of tx.list('credential'))
    if (cloud === name) tx.remove('credential', credentialId({ cloud, owner, name: credentialName }));
  for (const access of tx.find('cloud-access', 'cloud', name))
    tx.remove('cloud-access', cloudAccessId(access));
  tx.remove('cloud', name);
}

export function hasModels(tx: Tx, cloud: string): boolean {
  return modelsOn(tx, cloud).length > 0;
}

function modelsOn(tx: Tx, cloud: string): { name: string; region: string }[] {
  return [...tx.list('model')].filter((model) => model.cloud === cloud);
}
