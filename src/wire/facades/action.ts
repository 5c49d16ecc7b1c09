import { z } from 'zod';
import type { FacadeSpec } from '../facade-spec.ts';
import * as shared from './shared.ts';
import { listOf, mapOf } from './shared.ts';
import { stringsWatchResult } from './strings-watcher.ts';

export const actionResult = z.strictObject({
  action: z
    .strictObject({
      tag: shared.tag,
      receiver: z.string(),
      name: z.string(),
      parameters: mapOf(z.unknown()).optional(),
    })
    .optional(),
  enqueued: shared.time.optional(),
  started: shared.time.optional(),
  completed: shared.time.optional(),
  status: z.string().optional(),
  message: z.string().optional(),
  log: listOf(z.strictObject({ timestamp: shared.time, message: z.string() })).optional(),
  output: mapOf(z.unknown()).optional(),
  error: shared.wireError.optional(),
});
const actionResults = z.strictObject({ results: listOf(actionResult) });

const enqueuedActions = z.strictObject({
  operation: z.string(),
  actions: listOf(actionResult),
});
export const operationResult = z.strictObject({
  operation: z.string(),
  summary: z.string(),
  fail: z.string().optional(),
  enqueued: shared.time.optional(),
  started: shared.time.optional(),
  completed: shared.time.optional(),
  status: z.string().optional(),
  actions: listOf(actionResult).optional(),
  error: shared.wireError.optional(),
});
const operationResults = z.strictObject({
  results: listOf(operationResult),
  truncated: z.boolean().optional(),
});

const strings = z.array(z.string()).exactOptional();
const runParams = z.object({
  commands: z.string(),
  /** Timeout in nanoseconds. */
  timeout: z.int(),
  machines: strings,
  applications: strings,
  units: strings,
  parallel: z.boolean().exactOptional(),
  'execution-group': z.string().exactOptional(),
});

export const action = {
  name: 'Action',
  versions: [7],
  on: 'model',
  methods: {
    Actions: { params: shared.entities, result: actionResults },
    ApplicationsCharmsActions: {
      params: shared.entities,
      result: z.strictObject({
        results: listOf(
          z.strictObject({
            'application-tag': shared.tag.optional(),
            actions: mapOf(
              z.strictObject({ description: z.string(), params: mapOf(z.unknown()) }),
            ).optional(),
            error: shared.wireError.optional(),
          }),
        ),
      }),
    },
    Cancel: { params: shared.entities, result: actionResults },
    EnqueueOperation: {
      params: z.object({
        actions: z.array(
          z.object({
            /** Receiver of the action: `unit-x-0`, or `x/leader`. */
            receiver: z.string(),
            name: z.string(),
            parameters: z.record(z.string(), z.unknown()).exactOptional(),
            parallel: z.boolean().exactOptional(),
            'execution-group': z.string().exactOptional(),
          }),
        ),
      }),
      result: enqueuedActions,
    },
    ListOperations: {
      params: z.object({
        applications: strings,
        units: strings,
        machines: strings,
        actions: strings,
        status: strings,
        offset: z.int().exactOptional(),
        limit: z.int().exactOptional(),
      }),
      result: operationResults,
    },
    Operations: { params: shared.entities, result: operationResults },
    Run: { params: runParams, result: enqueuedActions },
    RunOnAllMachines: { params: runParams, result: enqueuedActions },
    /**
     * Creates a StringsWatcher for each task and answers with the lines of its log so far, each as JSON {timestamp,
     * message}.
     */
    WatchActionsProgress: {
      params: shared.entities,
      result: z.strictObject({ results: listOf(stringsWatchResult) }),
    },
  },
} as const satisfies FacadeSpec;
