import { call, type ResultOf } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { Exit, UsageError } from '../errors.ts';
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
    if (directives.length === 0) throw new UsageError('add-storage requires a unit and a storage directive');
    const storages = directives
      .map(parseStorageArgument)
      .map(([storage, directive]) => ({ unit, name: storage, storage: { ...directive } }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const twice = storages.find(({ name: storage }, i) => storage === storages[i + 1]?.name);
    if (twice) throw new UsageError(`storage "${twice.name}" specified more than once`);
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Storage', 'AddToUnit', { storages });
    for (const tag of results.flatMap(({ result }) => result?.['storage-tags'] ?? []))
      context.info(`added storage ${parseTag(tag).id} to ${name}`);
    const failures = failuresOf(results, (i) => `failed to add storage "${storages[i]?.name}" to ${name}`);
    for (const line of failures) context.io.stderr.write(`${line}\n`);
    if (failures.length > 0) throw new Exit(1);
  },
});

/** Formats lines about failures: a problem of the unit is mentioned once, not for each of its storages. */
function failuresOf(
  results: ResultOf<'Storage', 'AddToUnit'>['results'],
  title: (index: number) => string,
): readonly string[] {
  const failed = results.flatMap(({ error }, i) => (error ? [{ i, message: error.message }] : []));
  const distinct = new Set(failed.map(({ message }) => message));
  if (failed.length === results.length && distinct.size < failed.length) return [...distinct].sort();
  return failed.map(({ i, message }) => `${title(i)}: ${message}`);
}
