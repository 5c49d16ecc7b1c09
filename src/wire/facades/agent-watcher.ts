import { z } from 'zod';
import { agentRecord } from '../agent-records.ts';
import type { FacadeSpec } from '../facade-spec.ts';
import { watcherMethods } from './shared.ts';

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
  methods: watcherMethods(news),
} as const satisfies FacadeSpec;
