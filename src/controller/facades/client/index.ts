import type { client as spec } from '../../../wire/facades/client.ts';
import type { FacadeTable } from '../../facade.ts';
import { findTools } from './find-tools.ts';
import { fullStatus } from './full-status.ts';
import { statusHistory } from './status-history.ts';
import { watchAll } from './watch-all.ts';

export const client = {
  FindTools: { needs: 'model-read', run: findTools },
  FullStatus: { needs: 'model-read', run: fullStatus },
  StatusHistory: { needs: 'model-read', run: statusHistory },
  WatchAll: { needs: 'model-read', run: watchAll },
} satisfies FacadeTable<typeof spec>;
