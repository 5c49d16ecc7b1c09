import { allOk, call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { parseStorageArgument, unitArgument } from '../storage.ts';
import { parseTag } from '../../wire/tags.ts';

export const addStorage = command({
  name: 'add-storage',
  summary: 'Adds storage to a unit after it has been deployed.',
  usage: '<unit> <storage name>[=<directive>] …',
  details: `The directive is as in deploy --storage: a pool, a count and a size, separated by commas, each optional. What
it does not say is as for the application's other units.`,
  examples: ['add-storage mysql/0 data', 'add-storage mysql/0 data=rootfs,2,10G'],
  seeAlso: ['storage', 'attach-storage', 'storage-pools'],
  completes: ['unit'],
  flags: modelFlags,
  async run(context, { model }, args) {
    const [name, ...directives] = args;
    const unit = unitArgument(name);
    if (directives.length === 0) throw new UsageError('storage add requires a unit and a storage directive');
    const storages = directives.map(parseStorageArgument).map(([storage, directive]) => ({
      unit,
      name: storage,
      storage: { ...directive },
    }));
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Storage', 'AddToUnit', { storages });
    for (const tag of results.flatMap(({ result }) => result?.['storage-tags'] ?? []))
      context.info(`added storage ${parseTag(tag).id} to ${name}`);
    allOk(results, (i) => `failed to add storage "${storages[i]?.name}" to ${name}`);
  },
});
