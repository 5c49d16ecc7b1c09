import { call } from '../../client/calls.ts';
import { command, controllerFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';

export const enableDestroyController = command({
  name: 'enable-destroy-controller',
  summary: 'Enable destroy-controller by removing disabled commands in the controller.',
  details: `Enables the commands that are disabled in any model of the controller, so that destroy-controller is no
longer refused for them.`,
  examples: ['enable-destroy-controller'],
  seeAlso: ['disable-command', 'disabled-commands', 'enable-command'],
  flags: controllerFlags,
  async run(context, { controller }, args) {
    noMoreArgs(args);
    const { connection } = await context.openController(controller);
    await call(connection, 'Controller', 'RemoveBlocks', { all: true });
  },
});
