import { checkLimit, limits } from '../../core/limits.ts';
import { parseSettings } from '../settings-file.ts';
import { defineTool, keyValues } from '../tool.ts';

export const stateSet = defineTool({
  name: 'state-set',
  args: '<key>=<value> [<key>=<value> ...]',
  purpose: 'Set server-side-state values.',
  flags: { file: { kind: 'file', help: 'File with a YAML map of keys and values, or - for standard input' } },
  run({ args, flags, context }) {
    const fromArgs = keyValues(args);
    const values = [...(flags.file === undefined ? [] : parseSettings(flags.file)), ...fromArgs];
    for (const [key, value] of values) {
      checkLimit(limits.charmStateKey, key.length);
      checkLimit(limits.charmStateValue, value.length, `value of "${key}" in charm state`);
    }
    const { charmState } = context.changes;
    const added = values.filter(([key]) => !charmState.set.has(key)).length;
    checkLimit(limits.charmStateKeys, charmState.set.size + added);
    for (const [key, value] of values) {
      charmState.delete.delete(key);
      charmState.set.set(key, value);
    }
  },
});
