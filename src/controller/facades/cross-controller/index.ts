import type { crossController as spec } from '../../../wire/facades/cross-model-relations.ts';
import type { FacadeTable } from '../../facade.ts';
import { ControllerNews } from '../../watchers/remote-news.ts';

export const crossController = {
  ControllerInfo: {
    needs: 'anonymous',
    run: ({ services: { addresses, caCert: cacert } }) => ({ results: [{ addresses, cacert }] }),
  },
  WatchControllerInfo: {
    needs: 'anonymous',
    run: ({ connection }) => ({
      results: [{ NotifyWatcherId: connection.register(new ControllerNews()) }],
    }),
  },
} satisfies FacadeTable<typeof spec>;
