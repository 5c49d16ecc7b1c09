import type { application as spec } from '../../../wire/facades/application.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { setApplicationStorage } from '../../transactions/change/set-application-storage.ts';
import { mustGet } from '../../transactions/tx.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';
import { directiveOf, storageRules } from '../shared/storage.ts';

/** Returns the storage that new units of applications get. */
export async function getApplicationStorage(
  call: Call,
  { entities }: ParamsOf<typeof spec, 'GetApplicationStorage'>,
): Promise<ResultOf<typeof spec, 'GetApplicationStorage'>> {
  const results = await bulk(call, entities, ({ tag }) => {
    const { storage = {} } = mustGet(call.read(), 'application', parseTagOf('application', tag));
    const directives = Object.entries(storage).map(
      ([name, { pool, size, count }]) => [name, { pool, size, count }] as const,
    );
    return { 'storage-constraints': Object.fromEntries(directives), Error: null };
  });
  return {
    results: results.map((one) => ('error' in one ? { 'storage-constraints': null, Error: one.error } : one)),
  };
}

export async function updateApplicationStorage(
  call: Call,
  { 'storage-updates': updates }: ParamsOf<typeof spec, 'UpdateApplicationStorage'>,
): Promise<ResultOf<typeof spec, 'UpdateApplicationStorage'>> {
  return {
    results: await bulk(call, updates, async (one) => {
      const application = parseTagOf('application', one['application-tag']);
      const storage = Object.fromEntries(
        Object.entries(one['storage-constraints']).map(([name, wire]) => [name, directiveOf(wire)]),
      );
      const rules = storageRules(call);
      await changeModel(call, (tx) => setApplicationStorage(tx, { application, storage, rules }));
      return {};
    }),
  };
}
