import { JujuError } from '../../core/errors.ts';
import { UsageError } from '../../kit/gnuflag.ts';
import { atMost, defineTool } from '../tool.ts';

export const storageGet = defineTool({
  name: 'storage-get',
  args: '[<key>]',
  purpose: 'Print information for the storage instance with the specified ID.',
  output: 'smart',
  flags: {
    s: {
      kind: 'string',
      ofHook: ({ event }) => event.storage,
      help: 'Specify a storage instance by id',
    },
  },
  run({ args, flags, context }) {
    atMost(args, 1);
    const id = flags.s || context.event.storage;
    if (id === undefined) throw new UsageError('no storage instance specified');
    const storage = context.storages().find((one) => one.id === id);
    if (!storage)
      throw new UsageError(`invalid value ${JSON.stringify(id)} for option -s: storage not found`);
    const { kind, location = '' } = storage;
    const values: Readonly<Record<string, string>> = { kind, location };
    const [key] = args;
    if (key === undefined) return values;
    if (!Object.hasOwn(values, key))
      throw new JujuError('', `invalid storage attribute ${JSON.stringify(key)}`);
    return values[key];
  },
});
