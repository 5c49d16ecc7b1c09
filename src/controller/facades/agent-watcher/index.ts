import type { agentWatcher as spec } from '../../../wire/facades/machine-agent.ts';
import type { AgentWatcherMethods } from '../../../wire/agent.ts';
import type { FacadeTable } from '../../facade.ts';

export const agentWatcher: FacadeTable<typeof spec> = {
  Next: {
    needs: 'agent',
    run: async (call) => {
      const news = (await call.connection.get(call.id).next()) as AgentWatcherMethods['Next']['result'];
      return {
        records: news.records.map(([key, value]) => [key, value as Record<string, unknown> | null]),
        complete: news.complete,
      };
    },
  },
  Stop: {
    needs: 'agent',
    run: (call) => {
      call.connection.remove(call.id);
      return {};
    },
  },
};
