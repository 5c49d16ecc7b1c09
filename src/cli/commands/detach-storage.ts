import { defined } from '../../core/defined.ts';
import { call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { storageTag, report, someIds, forceFlags } from '../storage.ts';

export const detachStorage = command({
  name: 'detach-storage',
  summary: 'Detaches storage from units.',
  usage: '<storage ID> …',
  details: `Detaching is done in the background: the unit's storage-detaching hook runs first. Storage that the cloud
holds can then be attached to another unit; storage of a machine stays on that machine.`,
  examples: ['detach-storage data/0', 'detach-storage --force data/0'],
  seeAlso: ['storage', 'attach-storage', 'remove-storage'],
  flags: { ...modelFlags, ...forceFlags },
  async run(context, { model, force, noWait }, args) {
    const storages = someIds(args, 'detach-storage');
    if (noWait && !force) throw new UsageError('--no-wait without --force not valid');
    const ids = { ids: storages.map((id) => ({ 'storage-tag': storageTag(id), 'unit-tag': '' })) };
    const { connection } = await context.openModel(model);
    const params = { ids, ...defined({ force: force || undefined }) };
    const { results } = await call(connection, 'Storage', 'DetachStorage', params);
    report(context, results, {
      done: (i) => `detaching ${storages[i]}`,
      failed: (i) => `failed to detach ${storages[i]}`,
    });
  },
});
