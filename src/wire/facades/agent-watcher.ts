import { z } from 'zod';
import { agentRecord } from '../agent-records.ts';
import type { FacadeSpec } from '../facade-spec.ts';
import { noParams, noResult } from './shared.ts';

const news = z.strictObject({
  records: z.array(z.tuple([z.string(), agentRecord.nullable()])),
  complete: z.boolean(),
});
export type News = z.output<typeof news>;

/** Stream of records that MachineAgent.Watch creates (agent-records.ts); `id` names it. */
export const agentWatcher = {
  name: 'AgentWatcher',
  versions: [1],
  own: true,
  on: 'model',
  methods: {
    /** Waits until there is news; Stop ends it with code `stopped`. */
    Next: { params: noParams, result: news },
    Stop: { params: noParams, result: noResult },
  },
} as const satisfies FacadeSpec;
