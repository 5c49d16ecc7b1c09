import type { Locks } from '../../../kit/locks.ts';
import type { OpenParams } from '../../contract/provider.ts';
import type { LxdClient } from './client.ts';
import { HttpLxdClient } from './connect.ts';
import { projectOf } from './config.ts';
import type { Downloads } from './downloads.ts';

/** Dependencies shared by the parts of one environ. */
export interface LxdContext {
  readonly open: OpenParams;
  /** Client for the project of the model. */
  readonly client: LxdClient;
  /** Locks shared by all environs of the process. */
  readonly locks: Locks;
  readonly downloads: Downloads;
}

export function createContext(open: OpenParams, shared: Pick<LxdContext, 'locks' | 'downloads'>): LxdContext {
  const { cloud, config, clock, log } = open;
  return { open, client: new HttpLxdClient(cloud, { clock, log, project: projectOf(config) }), ...shared };
}
