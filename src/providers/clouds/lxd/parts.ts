/** Assembly of an environ's parts, and operations on everything of a controller in all projects. */
import { tagKeys, type Instance } from '../../contract/provider.ts';
import { projectOf } from './config.ts';
import { createContext, type LxdContext } from './context.ts';
import { removeAccess } from './controller-access.ts';
import { classified } from './errors.ts';
import { createLxdFirewall } from './firewall.ts';
import { LxdImages } from './images.ts';
import { LxdInstances, type InstancesParts } from './instances.ts';
import type { Owner } from './names.ts';
import { LxdProfiles } from './profiles.ts';
import { isProjectThere } from './project.ts';
import { LxdServer } from './server.ts';
import { createLxdVolumes, type LxdVolumes } from './volumes.ts';

interface LxdParts extends InstancesParts {
  readonly instances: LxdInstances;
  readonly images: LxdImages;
  readonly volumes: LxdVolumes;
}

export function partsOf(context: LxdContext): LxdParts {
  const parts = {
    context,
    server: new LxdServer(context.client, context.open.clock),
    images: new LxdImages(context),
    profiles: new LxdProfiles(context),
    firewall: createLxdFirewall(context),
  };
  return { ...parts, volumes: createLxdVolumes(context), instances: new LxdInstances(parts) };
}

/** Destroys a model; a missing project contains nothing of it. */
export async function destroyModel(context: LxdContext, signal: AbortSignal): Promise<void> {
  if (!(await classified(isProjectThere(context, signal)))) return;
  await classified(destroy(context, 'model', signal));
}

/**
 * Destroys everything of a controller in every project, and undoes its changes of the server. Images stay, because they
 * are shared.
 */
export async function destroyController(context: LxdContext, signal: AbortSignal): Promise<void> {
  const all = await classified(projects(context, signal));
  // A live controller would replace the machines that it loses, and the replacements would never be found.
  for (const each of all) await partsOf(each).instances.removeControllers(signal);
  for (const each of all) await classified(destroy(each, 'controller', signal));
  await classified(removeAccess(context.client, context.open.controllerUuid, signal));
}

export async function listControllers(context: LxdContext, signal: AbortSignal): Promise<Instance[]> {
  const found: Instance[] = [];
  for (const each of await classified(projects(context, signal)))
    found.push(...(await partsOf(each).instances.list('controller', signal)));
  return found.filter(({ tags }) => tags[tagKeys.isController] === 'true');
}

async function destroy(context: LxdContext, owner: Owner, signal: AbortSignal): Promise<void> {
  const { instances, volumes, profiles } = partsOf(context);
  await instances.removeAll(owner, signal);
  await volumes.destroyAll(owner, signal);
  await profiles.destroy(owner, signal);
}

/** Creates a context for each project that the credential may see. */
async function projects(context: LxdContext, signal: AbortSignal): Promise<LxdContext[]> {
  const { client, open } = context;
  const all = await client.request<readonly { readonly name: string }[]>(
    { method: 'GET', path: '/1.0/projects', query: { recursion: '1' } },
    signal,
  );
  return all.map(({ name: project }) =>
    project === projectOf(open.config)
      ? context
      : createContext({ ...open, config: { ...open.config, project } }, context),
  );
}
