/** Applies of model files, as their appliers make them of the controller; tests of a file share the world. */
import { afterEach, beforeEach } from 'vitest';
import type { ConnectionWatchers } from '../controller/server/connection-resources.ts';
import { ownedKey } from '../core/model-file/owned.ts';
import type { ResponseOf } from '../wire/facade-spec.ts';
import type { modelFiles } from '../wire/facades/model-files.ts';
import { createCallers, type Callers, type How } from './call.ts';

export let callers: Callers;
/** Connection of the applier. */
export let applier: ConnectionWatchers;

export const options = {
  motto: { type: 'string', description: '' },
  size: { type: 'int', description: '' },
} as const;

/** Registers, for a file of tests, a world with an admin bob and the charms web and db. */
export function prepareApplies(): void {
  beforeEach(async () => {
    callers = await createCallers();
    connectApplier();
    await callers.addUser('bob');
    await callers.grant('bob', 'admin');
    await callers.addCharm(
      'web',
      { requires: { db: { interface: 'sql' } }, storage: {} },
      { config: options },
    );
    await callers.addCharm('db', { provides: { sql: { interface: 'sql' } } });
  });
  afterEach(() => callers[Symbol.asyncDispose]());
}

export function connectApplier(): void {
  applier = callers.connect('10.0.0.3');
}

type Owned = ResponseOf<typeof modelFiles, 'Owned'>;
export const revision = (): number => callers.store.read().revision;
export const begin = (how: How = {}, file = 'shop', at = revision()): Promise<unknown> =>
  callers.call('ModelFiles', 'Begin', { file, revision: at }, { connection: applier, ...how });
export const end = (failure = '', how: How = {}): Promise<unknown> =>
  callers.call('ModelFiles', 'End', { failure }, { connection: applier, ...how });
export const owned = async (file = 'shop'): Promise<string[]> =>
  (await callers.call<Owned>('ModelFiles', 'Owned', { file })).owned.map(ownedKey).sort();
export const deploy = (
  application: string,
  charm: string,
  how: How = {},
  more: object = {},
): Promise<unknown> =>
  callers.call(
    'Application',
    'Deploy',
    { applications: [{ application, 'charm-url': `local:${charm}-0`, 'num-units': 0, ...more }] },
    how,
  );
