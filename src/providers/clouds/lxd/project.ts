import { projectOf } from './config.ts';
import type { LxdContext } from './context.ts';

/** Of one that is not there LXD says that nothing is in it, and not that it is not there. Errors: LxdError. */
export async function isProjectThere({ client, open }: LxdContext, signal: AbortSignal): Promise<boolean> {
  const project = projectOf(open.config);
  if (project === 'default') return true;
  return (await client.find(`/1.0/projects/${encodeURIComponent(project)}`, signal)) !== undefined;
}
