import { allOk, call } from '../../client/calls.ts';
import { command, modelFlags, formatFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { storageTag, formatStorage } from '../storage.ts';
import { render } from '../format/render.ts';
import { timeStyle } from '../time-style.ts';

export const showStorage = command({
  name: 'show-storage',
  summary: 'Shows storage instances.',
  usage: '<storage ID> …',
  examples: ['show-storage data/0'],
  seeAlso: ['storage', 'attach-storage', 'detach-storage', 'remove-storage'],
  flags: {
    ...modelFlags,
    ...formatFlags('yaml', 'json'),
    utc: bool('--utc', 'Display time as UTC in RFC3339 format'),
  },
  async run(context, { model, format, utc }, args) {
    if (args.length === 0) throw new UsageError('must specify storage id(s)');
    const entities = args.map((id) => ({ tag: storageTag(id) }));
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Storage', 'StorageDetails', { entities });
    allOk(results, (i) => args[i] ?? '');
    const found = results.flatMap(({ result }) => result ?? []);
    await context.write(render(format, formatStorage(found, timeStyle(context.io, utc))));
  },
});
