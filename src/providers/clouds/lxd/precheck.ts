/** Rejects starts that can never succeed, before a machine is recorded. */
import { notValid } from '../../../core/errors.ts';
import type { Environ } from '../../contract/provider.ts';
import { LxdError } from './client.ts';
import { projectOf } from './config.ts';
import type { LxdContext } from './context.ts';
import type { LxdImages } from './images.ts';
import { isProjectThere } from './project.ts';
import { isVirtualMachine, rootDisk, type DefaultProfile } from './request-body.ts';
import type { LxdServer } from './server.ts';
import { listZones, memberOf } from './zones.ts';

/**
 * Checks a request. An unreachable LXD rejects nothing: starts wait for it, and report it. Errors: JujuError `not
 * valid`.
 */
export async function precheck(
  parts: { readonly context: LxdContext; readonly server: LxdServer; readonly images: LxdImages },
  params: Parameters<Environ['precheck']>[0],
  signal: AbortSignal,
): Promise<void> {
  const { context, server, images } = parts;
  const { base, constraints, placement } = params;
  const isVm = isVirtualMachine(constraints);
  try {
    const { architectures, isClustered } = await server.info(signal);
    await checkMember(context, isClustered, memberOf(placement), signal);
    const { arch = architectures[0] ?? '', 'root-disk-source': pool } = constraints;
    // Members of a cluster may have different architectures.
    if (!isClustered && !architectures.includes(arch))
      throw notValid(`this LXD runs ${architectures.join(', ')}, not ${arch}`);
    await checkProject(context, signal);
    if (pool && !(await context.client.find(`/1.0/storage-pools/${encodeURIComponent(pool)}`, signal)))
      throw notValid(`root-disk-source: LXD has no storage pool "${pool}"`);
    await images.precheck({ base, arch, isVm }, signal);
  } catch (error) {
    if (!(error instanceof LxdError) && !signal.aborted) throw error;
    context.open.log.warning('LXD could not be asked whether this can start', { error: String(error) });
  }
}

/**
 * Checks that the project exists, and that its default profile provides a disk and a network. Errors: JujuError `not
 * valid`.
 */
export async function checkProject(context: LxdContext, signal: AbortSignal): Promise<void> {
  const { client, open } = context;
  const project = projectOf(open.config);
  if (!(await isProjectThere(context, signal)))
    throw notValid(`LXD has no project "${project}": create it there ('lxc project create ${project}')`);
  const profile = await client.find<DefaultProfile>('/1.0/profiles/default', signal);
  const devices = profile?.devices ?? {};
  const where = project === 'default' ? '' : ` of project ${project}`;
  const lacks = (what: string, device: string): Error =>
    notValid(
      `LXD's default profile${where} has no ${what}: run 'lxd init' on its host, or 'lxc profile device add default ${device}'`,
    );
  if (!rootDisk(devices)) throw lacks('root disk', 'root disk path=/ pool=<pool>');
  if (!Object.values(devices).some(({ type }) => type === 'nic'))
    throw lacks('network', 'eth0 nic name=eth0 network=<network>');
}

async function checkMember(
  { client }: LxdContext,
  isClustered: boolean,
  member: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (member === undefined) return;
  if (!isClustered) throw notValid(`this LXD is not a cluster and has no zones: ${member}`);
  const names = (await listZones(client, signal)).map(({ name }) => name);
  if (!names.includes(member))
    throw notValid(
      `availability zone "${member}" not valid: the members of this cluster are ${names.join(', ')}`,
    );
}
