import { ProviderError } from '../../contract/provider.ts';
import { projectOf } from './config.ts';
import type { LxdContext } from './context.ts';

/**
 * Tells whether the project exists, since LXD answers queries in a missing project with empty lists. Errors: LxdError.
 */
export async function isProjectThere(
  { client, open }: Pick<LxdContext, 'client' | 'open'>,
  signal: AbortSignal,
): Promise<boolean> {
  const project = projectOf(open.config);
  if (project === 'default') return true;
  return (await client.find(`/1.0/projects/${encodeURIComponent(project)}`, signal)) !== undefined;
}

/**
 * Checks that the project exists: the machines of a temporarily renamed project are not gone. Errors: ProviderError
 * `transient`; LxdError.
 */
export async function mustHaveProject(
  context: Pick<LxdContext, 'client' | 'open'>,
  signal: AbortSignal,
): Promise<void> {
  if (await isProjectThere(context, signal)) return;
  const project = projectOf(context.open.config);
  throw new ProviderError('transient', `LXD has no project "${project}" now: its contents are unknown`);
}
