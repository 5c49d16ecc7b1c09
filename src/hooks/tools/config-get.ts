import { UsageError } from '../../kit/gnuflag.ts';
import { atMost, defineTool } from '../tool.ts';

export const configGet = defineTool({
  name: 'config-get',
  args: '[<key>]',
  purpose: 'Print application configuration.',
  output: 'smart',
  flags: { all: { kind: 'bool', short: 'a', help: 'Print all keys, those without a value too' } },
  run({ args, flags, context }) {
    atMost(args, 1);
    const { values, options } = context.config();
    const key = args[0];
    if (key !== undefined && key !== '' && key !== '-') {
      if (flags.all) throw new UsageError('cannot use argument --all together with key "' + key + '"');
      return Object.hasOwn(values, key) ? values[key] : null;
    }
    if (!flags.all) return values;
    return { ...Object.fromEntries(Object.keys(options).map((name) => [name, null])), ...values };
  },
});
