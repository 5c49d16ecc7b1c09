import { call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { storageTag, unitArgument, report } from '../storage.ts';

export const attachStorage = command({
  name: 'attach-storage',
  summary: 'Attaches existing storage to a unit.',
  usage: '<unit> <storage ID> …',
  details: 'The storage must not be used by another unit, and be one that the charm of the unit declares.',
  examples: ['attach-storage mysql/1 data/0'],
  seeAlso: ['storage', 'detach-storage'],
  completes: ['unit'],
  flags: modelFlags,
  async run(context, { model }, args) {
    const [name, ...storages] = args;
    const unit = unitArgument(name);
    if (storages.length === 0)
      throw new UsageError('attach-storage requires a unit ID and at least one storage ID');
    const ids = storages.map((id) => ({ 'storage-tag': storageTag(id), 'unit-tag': unit }));
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Storage', 'Attach', { ids });
    report(context, results, {
      done: (i) => `attaching ${storages[i]} to ${name}`,
      failed: (i) => `failed to attach ${storages[i]} to ${name}`,
    });
  },
});
