import { tagKeys } from '../../contract/provider.ts';
import type { LxdContext } from './context.ts';
import { isOwned, mayBeOwned, tagPrefix, type Owner } from './names.ts';
import { mustHaveProject } from './project.ts';
import type { LxdInstance, Unseen } from './snapshot.ts';

/**
 * Lists owned instances. `unseen`: instances that may be owned, but whose tags LXD does not know at the moment. Errors:
 * LxdError; those of mustHaveProject.
 */
export async function listOwned(
  context: Pick<LxdContext, 'client' | 'open'>,
  owner: Owner,
  { state }: { state: boolean },
  signal: AbortSignal,
): Promise<{ readonly owned: LxdInstance[]; readonly unseen: Unseen[] }> {
  const { client, open } = context;
  const [key, uuid] =
    owner === 'model' ? [tagKeys.model, open.modelUuid] : [tagKeys.controller, open.controllerUuid];
  // LXD returns only the status of instances on an unreachable member: filtered by tags alone, they would seem to be
  // gone.
  const query = {
    recursion: state ? '2' : '1',
    filter: `config.${tagPrefix}${key} eq ${uuid} or status eq Error`,
  };
  const all = await client.request<readonly (LxdInstance | Unseen)[]>(
    { method: 'GET', path: '/1.0/instances', query },
    signal,
  );
  if (all.length === 0) await mustHaveProject(context, signal);
  // The result is filtered again, because not every server filters by such keys.
  return {
    owned: all.filter((one): one is LxdInstance => one.config !== null && isOwned(one.config, open, owner)),
    unseen: all.filter((one): one is Unseen => one.config === null && mayBeOwned(one.name, open, owner)),
  };
}
