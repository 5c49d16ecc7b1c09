import { chooseController } from '../../operate/sessions.ts';
import { command, controllerFlags } from '../command.ts';
import { confirm, mustAsk, promptFlags } from '../prompts.ts';
import { changeUser, userArg } from '../users/change-user.ts';

export const removeUser = command({
  name: 'remove-user',
  summary: 'Deletes a Juju user from a controller.',
  usage: '<user name>',
  details: `The user loses all access, and open connections end. Models and credentials of the user stay. To keep
somebody out for a while, use disable-user.`,
  examples: ['remove-user bob', 'remove-user bob --no-prompt'],
  seeAlso: ['revoke', 'disable-user', 'enable-user', 'change-user-password'],
  completes: ['user'],
  flags: { ...controllerFlags, ...promptFlags },
  async run(context, flags, args) {
    const user = userArg(args);
    const controller = await chooseController(context.client, flags.controller);
    if (mustAsk(flags)) {
      context.io.stderr.write(
        `WARNING! This command will remove the user "${user}" from the controller "${controller}", with all its access.\n`,
      );
      await confirm(context, 'user removal');
    }
    await changeUser(context, controller, args, { method: 'RemoveUser', done: 'removed' });
  },
});
