import { atMost, defineTool } from '../tool.ts';

export const leaderGet = defineTool({
  name: 'leader-get',
  args: '[<key>|-]',
  purpose: 'Print application leadership settings.',
  output: 'smart',
  flags: {},
  async run({ args, context }) {
    atMost(args, 1);
    const settings = await context.leaderSettings();
    const key = args[0] ?? '-';
    if (key === '-' || key === '') return settings;
    return Object.hasOwn(settings, key) ? settings[key] : null;
  },
});
