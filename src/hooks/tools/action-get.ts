import { actionOf } from '../action-of.ts';
import { atMost, defineTool } from '../tool.ts';

export const actionGet = defineTool({
  name: 'action-get',
  args: '[<key>[.<key>.<key>...]]',
  purpose: 'Get action parameters.',
  output: 'smart',
  flags: {},
  run({ args, context }) {
    atMost(args, 1);
    let value: unknown = actionOf(context).parameters;
    for (const key of args[0] === undefined || args[0] === '' ? [] : args[0].split('.')) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
      value = (value as Record<string, unknown>)[key];
    }
    return value;
  },
});
