import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf, mapOf } from './shared.ts';

/**
 * Delta: [kind, change or remove, the entity]; a removed entity has only the members that identify it
 * (wire.md#all-watcher).
 */
export const delta = z.tuple([z.string(), z.enum(['change', 'remove']), mapOf(z.unknown())]);
export type Delta = z.output<typeof delta>;

export const allWatcher = {
  name: 'AllWatcher',
  versions: [3],
  on: 'model',
  methods: {
    /** Returns everything at first, afterwards what changed; waits until there is something. */
    Next: { params: shared.noParams, result: z.strictObject({ deltas: listOf(delta) }) },
    Stop: { params: shared.noParams, result: shared.noResult },
  },
} as const satisfies FacadeSpec;
