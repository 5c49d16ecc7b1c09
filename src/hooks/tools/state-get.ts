import { JujuError } from '../../core/errors.ts';
import { atMost, defineTool } from '../tool.ts';

export const stateGet = defineTool({
  name: 'state-get',
  args: '[<key>|-]',
  purpose: 'Print server-side-state value.',
  output: 'smart',
  flags: { strict: { kind: 'bool', help: 'Return an error if the requested key does not exist' } },
  run({ args, flags, context }) {
    atMost(args, 1);
    const state = new Map(Object.entries(context.charmState()));
    const { charmState } = context.changes;
    for (const key of charmState.delete) state.delete(key);
    for (const [key, value] of charmState.set) state.set(key, value);
    const key = args[0] ?? '-';
    if (key === '-' || key === '') return Object.fromEntries(state);
    const value = state.get(key);
    if (value === undefined && flags.strict) throw new JujuError('not found', `"${key}" not found`);
    return value ?? null;
  },
});
