import { UsageError } from '../../kit/gnuflag.ts';
import { defineTool } from '../tool.ts';

/** Adds storage when the hook is committed; pool and size are those of the application. */
export const storageAdd = defineTool({
  name: 'storage-add',
  args: '<charm storage name>[=count] ...',
  purpose: 'Add storage instances.',
  flags: {},
  run({ args, context }) {
    if (args.length === 0) throw new UsageError('storage add requires a storage directive');
    const wanted = args.map((arg) => {
      const [name = '', count = '1'] = arg.split('=', 2);
      if (!/^[1-9]\d{0,5}$/.test(count))
        throw new UsageError(`only count can be specified for ${JSON.stringify(name)}`);
      return { name, count: Number(count) };
    });
    const { addStorage } = context.changes;
    for (const { name, count } of wanted) addStorage.set(name, (addStorage.get(name) ?? 0) + count);
  },
});
