import { projectOf } from './config.ts';
import type { LxdContext } from './context.ts';

/**
 * Tells whether the project exists, since LXD answers queries in a missing project with empty lists. Errors: LxdError.
 */
export async function isProjectThere({ client, open }: LxdContext, signal: AbortSignal): Promise<boolean> {
  const project = projectOf(open.config);
  if (project === 'default') return true;
  return (await client.find(`/1.0/projects/${encodeURIComponent(project)}`, signal)) !== undefined;
}
