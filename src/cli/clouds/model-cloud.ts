/** Cloud and credential of a new model. */
import { JujuError } from '../../core/errors.ts';
import { call } from '../../client/calls.ts';
import type { ControllerSession } from '../../operate/sessions.ts';
import type { CommandContext } from '../context.ts';
import { sendLocalCredential } from './send-local-credential.ts';
import { userCredentials } from './upload-credentials.ts';

export interface ModelCloud {
  readonly cloud: string;
  /** Name of the region; '' means that the controller chooses. */
  readonly region: string;
  readonly authTypes: readonly string[];
}

/**
 * Resolves `cloud`, `cloud/region` or a region of a cloud that the controller has; '' means the controller's own cloud.
 * Errors: `not found`.
 */
export async function findModelCloud(session: ControllerSession, where: string): Promise<ModelCloud> {
  const { clouds } = await call(session.connection, 'Cloud', 'Clouds', {});
  const known = new Map(Object.entries(clouds).map(([tag, cloud]) => [tag.replace(/^cloud-/, ''), cloud]));
  const found = (cloud: string, region: string): ModelCloud => ({
    cloud,
    region,
    authTypes: known.get(cloud)?.['auth-types'] ?? [],
  });
  if (where === '') {
    const own = [...known].find(([, cloud]) => cloud['is-controller-cloud'] === true) ?? [...known][0];
    if (!own) throw new JujuError('not found', 'the controller has no cloud');
    return found(own[0], '');
  }
  const slash = where.indexOf('/');
  const [name, region] = slash < 0 ? [where, ''] : [where.slice(0, slash), where.slice(slash + 1)];
  const cloud = known.get(name);
  const has = (of: typeof cloud): boolean =>
    of?.regions?.some((one) => one.name === (region || where)) === true;
  if (cloud) {
    if (region !== '' && !has(cloud))
      throw new JujuError('not found', `region "${region}" of cloud "${name}" not found`);
    return found(name, region);
  }
  const withRegion = region === '' ? [...known].find(([, one]) => has(one)) : undefined;
  if (withRegion) return found(withRegion[0], where);
  throw new JujuError(
    'not found',
    `"${where}" is neither a cloud supported by this controller, nor a region in the controller's default cloud. The clouds/regions supported by this controller are: ${[...known.keys()].sort().join(', ')}`,
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
  const known = await userCredentials(session, cloud);
  if (name !== '') {
    if (known.includes(name)) return name;
    const sent = await sendLocalCredential(context, session, cloud, name);
    if (sent === undefined) throw new JujuError('not found', `credential '${name}' not found`);
    return sent;
  }
  if (known.length === 1) return known[0]!;
  if (known.length > 1)
    throw new JujuError(
      '',
      `more than one credential is available for cloud "${cloud}": ${known.join(', ')}\nspecify a credential using the --credential argument`,
    );
  const sent = await sendLocalCredential(context, session, cloud, '');
  if (sent === undefined)
    throw new JujuError('no credentials provided', `no credential found for cloud "${cloud}"`);
  return sent;
}

/** Parses `cloudcred-<cloud>_<owner>_<name>` into the form that lists of models show. */
export function shownCredential(
  tag: string | undefined,
): { name: string; owner: string; cloud: string } | undefined {
  const [cloud, owner, ...name] = (tag ?? '').replace(/^cloudcred-/, '').split('_');
  return cloud && owner && name.length > 0 ? { name: name.join('_'), owner, cloud } : undefined;
}
