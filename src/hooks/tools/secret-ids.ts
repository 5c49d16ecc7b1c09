import { atMost, defineTool } from '../tool.ts';

export const secretIds = defineTool({
  name: 'secret-ids',
  args: '',
  purpose: 'Print secret IDs owned by the unit or its application.',
  output: 'smart',
  flags: {},
  async run({ args, context }) {
    atMost(args, 0);
    const leads = await context.isLeader();
    const { create, remove } = context.changes.secrets;
    const gone = new Set(remove.filter(({ revision }) => revision === undefined).map(({ id }) => id));
    const own = (await context.secrets.own()).filter(({ owner }) => leads || owner === 'unit');
    return [...own.map(({ id }) => id).filter((id) => !gone.has(id)), ...create.keys()];
  },
});
