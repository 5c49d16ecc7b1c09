import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { listOf, mapOf, watcherMethods } from './shared.ts';

/**
 * Delta: [kind, change or remove, the entity]; a removed entity has only the members that identify it
 * (wire.md#all-watcher).
 */
export const delta = z.tuple([z.string(), z.enum(['change', 'remove']), mapOf(z.unknown())]);
export type Delta = z.output<typeof delta>;
/** News of an AllWatcher and of an AllModelWatcher: everything at first, afterwards what changed. */
export const deltas = z.strictObject({ deltas: listOf(delta) });

export const allWatcher = {
  name: 'AllWatcher',
  versions: [3],
  on: 'model',
  methods: watcherMethods(deltas),
} as const satisfies FacadeSpec;
