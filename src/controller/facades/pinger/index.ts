import type { pinger as spec } from '../../../wire/facades/pinger.ts';
import type { FacadeTable } from '../../facade.ts';

/** Keep-alive facade: any request keeps a connection alive, and the facade's methods do nothing else. */
export const pinger = {
  Ping: { needs: 'anyone', run: () => ({}) },
  Stop: { needs: 'anyone', run: () => ({}) },
} satisfies FacadeTable<typeof spec>;
