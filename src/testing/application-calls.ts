/** Calls of the facade Application, in a model with three charms made anew for each test. */
import { afterEach, beforeEach } from 'vitest';
import { createCallers, type Callers } from './call.ts';

export let callers: Callers;
/** Registers the setup and the end of the model; for the top level of a test file. */
export function prepareModel(): void {
  beforeEach(async () => {
    callers = await createCallers();
    await callers.addCharm(
      'web',
      { requires: { db: 'mysql' } },
      {
        revision: 2,
        config: {
          port: { type: 'int', description: 'Where', default: 80 },
          title: { type: 'string', description: 'What' },
        },
      },
    );
    await callers.addCharm('mysql', { provides: { server: 'mysql' }, peers: { cluster: 'mysql-cluster' } });
    await callers.addCharm('log', {
      subordinate: true,
      requires: { info: { interface: 'juju-info', scope: 'container' } },
    });
  });
  afterEach(() => callers[Symbol.asyncDispose]());
}

export const call = <R = unknown>(method: string, params?: unknown, how?: object): Promise<R> =>
  callers.call<R>('Application', method, params, how);
export type Results = { results: { error?: { message: string; code: string } }[] };

/** Returns a deployment as python-libjuju sends it: members that are unset are null. */
export function deployment(name: string, overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    application: name,
    'charm-url': `local:${name}-${name === 'web' ? 2 : 0}`,
    'charm-origin': { source: 'local', type: null, id: null, base: { name: 'ubuntu', channel: '24.04' } },
    channel: null,
    'num-units': 1,
    config: null,
    'config-yaml': `${name}: {}\n`,
    constraints: null,
    placement: null,
    storage: null,
    devices: null,
    ...overrides,
  };
}
export const deploy = (name: string, rest: Record<string, unknown> = {}): Promise<Results> =>
  call<Results>('Deploy', { applications: [deployment(name, rest)] });
