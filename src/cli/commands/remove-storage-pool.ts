import { call, only } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError, noMoreArgs } from '../errors.ts';

export const removeStoragePool = command({
  name: 'remove-storage-pool',
  summary: 'Removes a storage pool that nothing uses.',
  usage: '<name>',
  examples: ['remove-storage-pool fast'],
  seeAlso: ['storage-pools', 'create-storage-pool'],
  flags: modelFlags,
  async run(context, { model }, args) {
    const [name, ...moreArgs] = args;
    if (!name) throw new UsageError('pool removal requires a pool name');
    noMoreArgs(moreArgs);
    const { connection } = await context.openModel(model);
    only((await call(connection, 'Storage', 'RemovePool', { pools: [{ name }] })).results);
  },
});
