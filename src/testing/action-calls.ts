/** Calls of the facade Action, in a model with an application of two units made anew for each test. */
import { afterEach, beforeEach } from 'vitest';
import { createCallers, type Callers } from './call.ts';

export let callers: Callers;
/** Registers the setup and the end of the model; for the top level of a test file. */
export function prepareModel(): void {
  beforeEach(async () => {
    callers = await createCallers();
    const backup = {
      description: 'Backs up',
      params: {
        type: 'object',
        properties: {
          file: { type: 'string' },
          level: { type: 'integer', default: 1 },
          filter: {
            type: 'object',
            properties: {
              hosts: { type: 'array', items: { type: 'string', pattern: '^(a+)+$' } },
              depth: { type: 'integer', maximum: 3 },
            },
          },
        },
        required: ['file'],
        additionalProperties: false,
      },
      parallel: false,
      executionGroup: '',
    };
    await callers.addCharm('app', {}, { actions: { backup } });
    await callers.call('Application', 'Deploy', {
      applications: [{ application: 'app', 'charm-url': 'local:app-0', 'num-units': 2 }],
    });
  });
  afterEach(() => callers[Symbol.asyncDispose]());
}

export const call = <R = unknown>(method: string, params?: unknown, how?: object): Promise<R> =>
  callers.call<R>('Action', method, params, how);
export interface Enqueued {
  operation: string;
  actions: {
    action?: { tag: string; receiver: string; parameters: unknown };
    status?: string;
    error?: { message: string };
  }[];
}
export const enqueue = (...actions: Record<string, unknown>[]): Promise<Enqueued> =>
  call<Enqueued>('EnqueueOperation', {
    actions: actions.map((one) => ({ name: 'backup', parameters: { file: 'f' }, ...one })),
  });
