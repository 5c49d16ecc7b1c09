/** Cloud and credential of a new model. */
import { JujuError } from '../../core/errors.ts';
import { call } from '../../client/calls.ts';
import type { ControllerSession } from '../../operate/sessions.ts';
import type { CommandContext } from '../context.ts';
import { sendLocalCredential } from './send-local-credential.ts';
import { userCredentials } from './upload-credentials.ts';

interface ModelCloud {
  readonly cloud: string;
  /** Name of the region; '' means that the controller chooses. */
  readonly region: string;
  readonly authTypes: readonly string[];
}

/**
 * Resolves `cloud`, `cloud/region` or a region of a cloud that the controller has; '' means the controller's own cloud.
 * Errors: `not found`.
 */
export async function findModelCloud(session: ControllerSession, cloudOrRegion: string): Promise<ModelCloud> {
  const { clouds } = await call(session.connection, 'Cloud', 'Clouds', {});
  const cloudsByName = new Map(
    Object.entries(clouds).map(([tag, cloud]) => [tag.replace(/^cloud-/, ''), cloud]),
  );
  const modelCloud = (cloud: string, region: string): ModelCloud => ({
    cloud,
    region,
    authTypes: cloudsByName.get(cloud)?.['auth-types'] ?? [],
  });
  if (cloudOrRegion === '') {
    const controllerCloud =
      [...cloudsByName].find(([, cloud]) => cloud['is-controller-cloud'] === true) ?? [...cloudsByName][0];
    if (!controllerCloud) throw new JujuError('not found', 'the controller has no cloud');
    return modelCloud(controllerCloud[0], '');
  }
  const slash = cloudOrRegion.indexOf('/');
  const [name, region] =
    slash < 0 ? [cloudOrRegion, ''] : [cloudOrRegion.slice(0, slash), cloudOrRegion.slice(slash + 1)];
  const cloud = cloudsByName.get(name);
  const hasRegion = (candidate: typeof cloud): boolean =>
    candidate?.regions?.some((one) => one.name === (region || cloudOrRegion)) === true;
  if (cloud) {
    if (region !== '' && !hasRegion(cloud))
      throw new JujuError('not found', `region "${region}" of cloud "${name}" not found`);
    return modelCloud(name, region);
  }
  const withRegion = region === '' ? [...cloudsByName].find(([, one]) => hasRegion(one)) : undefined;
  if (withRegion) return modelCloud(withRegion[0], cloudOrRegion);
  throw new JujuError(
    'not found',
    `"${cloudOrRegion}" is neither a cloud supported by this controller, nor a region in the controller's default cloud. The clouds/regions supported by this controller are: ${[...cloudsByName.keys()].sort().join(', ')}`,
  );
}

/**
 * Returns the name of the user's credential for a new model: the named one, or the only one. A credential that the
 * controller lacks is uploaded from this client. '' means that none is needed. Errors: `not found`; '' (several).
 */
export async function credentialForModel(
  context: CommandContext,
  session: ControllerSession,
  { cloud, authTypes }: ModelCloud,
  name: string,
): Promise<string> {
  if (name === '' && authTypes.includes('empty')) return '';
  const credentialNames = await userCredentials(session, cloud);
  if (name !== '') {
    if (credentialNames.includes(name)) return name;
    const uploaded = await sendLocalCredential(context, session, cloud, name);
    if (uploaded === undefined) throw new JujuError('not found', `credential '${name}' not found`);
    return uploaded;
  }
  if (credentialNames.length === 1) return credentialNames[0]!;
  if (credentialNames.length > 1)
    throw new JujuError(
      '',
      `more than one credential is available for cloud "${cloud}": ${credentialNames.join(', ')}\nspecify a credential using the --credential argument`,
    );
  const uploaded = await sendLocalCredential(context, session, cloud, '');
  if (uploaded === undefined)
    throw new JujuError('no credentials provided', `no credential found for cloud "${cloud}"`);
  return uploaded;
}

/** Parses `cloudcred-<cloud>_<owner>_<name>` into the form that lists of models show. */
export function shownCredential(
  tag: string | undefined,
): { name: string; owner: string; cloud: string } | undefined {
  const [cloud, owner, ...name] = (tag ?? '').replace(/^cloudcred-/, '').split('_');
  return cloud && owner && name.length > 0 ? { name: name.join('_'), owner, cloud } : undefined;
}
