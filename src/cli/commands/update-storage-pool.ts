import { call, only } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { attributesOf } from '../storage.ts';

export const updateStoragePool = command({
  name: 'update-storage-pool',
  summary: 'Replaces the attributes of a storage pool.',
  usage: '<name> <key>=<value> …',
  examples: ['update-storage-pool fast lxd-pool=nvme'],
  seeAlso: ['storage-pools', 'create-storage-pool'],
  flags: modelFlags,
  async run(context, { model }, args) {
    const [name, ...attributes] = args;
    if (!name || attributes.length === 0)
      throw new UsageError('pool update requires the name of the pool and attributes to update');
    const pools = [{ name, provider: '', attrs: attributesOf(attributes) }];
    const { connection } = await context.openModel(model);
    only((await call(connection, 'Storage', 'UpdatePool', { pools })).results);
  },
});
