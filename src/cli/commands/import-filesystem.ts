import { call, only } from '../../client/calls.ts';
import { parseTagOf } from '../../wire/tags.ts';
import { isPoolName } from '../../core/storage/directive.ts';
import { isStorageName } from '../../core/storage/spec.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';

export const importFilesystem = command({
  name: 'import-filesystem',
  summary: 'Imports a filesystem into the model.',
  usage: '<storage provider> <provider ID> <storage name>',
  details: `The model takes over a volume that is in the cloud and that no model has: one that was released, by
remove-storage --no-destroy or destroy-model --release-storage, or, on LXD, any custom volume that nothing uses, by
the name of its LXD pool and its own. It becomes storage of that name, which attach-storage
and --attach-storage give to units whose charm declares it.`,
  examples: [
    'import-filesystem local 4c1f7a0e-1111-4222-8333-944445555666-3 pgdata',
    'import-filesystem lxd default:photos pictures',
  ],
  seeAlso: ['storage', 'attach-storage', 'remove-storage'],
  flags: { ...modelFlags, force: bool('--force', 'Accepted, and of no effect on machines') },
  async run(context, { model, force }, args) {
    const [pool = '', providerId = '', name] = args;
    if (name === undefined)
      throw new UsageError('import-filesystem requires a storage provider, provider ID, and storage name');
    if (!isPoolName(pool)) throw new UsageError(`pool name "${pool}" not valid`);
    if (!isStorageName(name)) throw new UsageError(`"${name}" is not a valid storage name`);
    const { connection } = await context.openModel(model);
    context.info(`importing "${providerId}" from storage pool "${pool}" as storage "${name}"`);
    const { results } = await call(connection, 'Storage', 'Import', {
      storage: [{ kind: 2, pool, 'provider-id': providerId, 'storage-name': name, force }],
    });
    const { result } = only(results);
    context.info(`imported storage ${parseTagOf('storage', result?.['storage-tag'] ?? '')}`);
  },
});
