import type { agentWatcher as spec } from '../../../wire/facades/agent-watcher.ts';
import type { News } from '../../../wire/facades/agent-watcher.ts';
import type { FacadeTable } from '../../facade.ts';
import { stopWatcher } from '../shared/watched.ts';

export const agentWatcher: FacadeTable<typeof spec> = {
  Next: {
    needs: 'agent',
    run: async (call) => (await call.connection.get(call.id).next()) as News,
  },
  Stop: { needs: 'agent', run: stopWatcher },
};
