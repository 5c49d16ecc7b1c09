/** Facades of watchers, each for a watcher that another facade's method creates; a pending Next ends with `stopped`. */
import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import { deltas } from './all-watcher.ts';
import * as shared from './shared.ts';
import { listOf, mapOf } from './shared.ts';

export const watcherId = z.strictObject({ 'watcher-id': z.string() });

/** Watcher of the entities of all models (wire.md#all-model-watcher). */
export const allModelWatcher = {
  name: 'AllModelWatcher',
  versions: [4],
  on: 'controller',
  methods: shared.watcherMethods(deltas),
} as const satisfies FacadeSpec;

const count = z.int().nonnegative();
/**
 * Summary of a model: all are told at first, afterwards those that changed; a model that is gone for the user has only
 * `uuid` and `removed`.
 */
const modelAbstract = z.strictObject({
  uuid: z.string(),
  removed: z.literal(true).optional(),
  /** Name of the controller. */
  controller: z.string().optional(),
  name: z.string().optional(),
  /** Names of the users with admin access. */
  admins: listOf(z.string()).optional(),
  cloud: z.string().optional(),
  region: z.string().optional(),
  /** Id of the credential: `cloud/owner/name`. */
  credential: z.string().optional(),
  size: z.strictObject({
    machines: count.optional(),
    containers: count.optional(),
    applications: count.optional(),
    units: count.optional(),
    relations: count.optional(),
  }),
  status: z.enum(['red', 'yellow', 'green']).optional(),
  messages: listOf(z.strictObject({ agent: z.string(), message: z.string() })).optional(),
  annotations: mapOf(z.string()).optional(),
});
export type ModelAbstract = z.output<typeof modelAbstract>;

/** Watcher of the summaries of models (wire.md#model-summary-watcher). */
export const modelSummaryWatcher = {
  name: 'ModelSummaryWatcher',
  versions: [1],
  on: 'controller',
  methods: shared.watcherMethods(z.strictObject({ models: listOf(modelAbstract) })),
} as const satisfies FacadeSpec;

/** Watcher that only tells that something has changed. */
export const notifyWatcher = {
  name: 'NotifyWatcher',
  versions: [1],
  on: 'both',
  methods: shared.watcherMethods(shared.noResult),
} as const satisfies FacadeSpec;
export const notifyWatchResults = z.strictObject({
  results: listOf(
    z.strictObject({
      /** Id of the watcher; '' beside an error. */
      NotifyWatcherId: z.string(),
      error: shared.wireError.optional(),
    }),
  ),
});
