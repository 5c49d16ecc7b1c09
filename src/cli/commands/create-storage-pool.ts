import { call, only } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { attributesOf } from '../storage.ts';

export const createStoragePool = command({
  name: 'create-storage-pool',
  summary: 'Creates a storage pool.',
  usage: '<name> <storage provider> [<key>=<value> …]',
  examples: [
    'create-storage-pool fast lxd lxd-pool=ssd',
    'create-storage-pool snapshots lxd driver=btrfs lxd-pool=snapshots size=20GiB',
    'create-storage-pool scratch tmpfs',
  ],
  seeAlso: ['storage-pools', 'update-storage-pool', 'remove-storage-pool'],
  flags: modelFlags,
  async run(context, { model }, args) {
    const [name, provider, ...attributes] = args;
    if (!name || !provider) throw new UsageError('pool creation requires names of pool and storage provider');
    const pools = [{ name, provider, attrs: attributesOf(attributes) }];
    const { connection } = await context.openModel(model);
    only((await call(connection, 'Storage', 'CreatePool', { pools })).results);
  },
});
