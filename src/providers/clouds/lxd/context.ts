import type { Locks } from '../../../kit/locks.ts';
import type { OpenParams } from '../../contract/provider.ts';
import type { LxdClient } from './client.ts';
import { HttpLxdClient } from './connect.ts';
import { projectOf } from './config.ts';
import type { Downloads } from './downloads.ts';

/** What the parts of one environ share. */
export interface LxdContext {
  readonly open: OpenParams;
  /** Of the project that the model is in. */
  readonly client: LxdClient;
  /** The same for all environs of the process. */
  readonly locks: Locks;
  readonly downloads: Downloads;
}

export function createContext(open: OpenParams, shared: Pick<LxdContext, 'locks' | 'downloads'>): LxdContext {
  const { cloud, config, clock, log } = open;
  return { open, client: new HttpLxdClient(cloud, { clock, log, project: projectOf(config) }), ...shared };
}
