import { call } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';

export const reloadSpaces = command({
  name: 'reload-spaces',
  summary: 'Reloads spaces and subnets from substrate.',
  details: `Asks the cloud for the subnets of its networks, where it has several, and looks at the addresses of all machines
again for subnets that are not known yet.`,
  examples: ['reload-spaces'],
  seeAlso: ['spaces', 'add-space'],
  flags: modelFlags,
  async run(context, { model }, args) {
    noMoreArgs(args);
    const { connection } = await context.openModel(model);
    await call(connection, 'Spaces', 'ReloadSpaces', {});
  },
});
