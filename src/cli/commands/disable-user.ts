import { command, controllerFlags } from '../command.ts';
import { changeUser } from '../users/change-user.ts';

export const disableUser = command({
  name: 'disable-user',
  summary: 'Disables a Juju user.',
  usage: '<user name>',
  details: `A disabled user can no longer log in, and open connections end. Access is kept, and counts again once the
user is enabled.`,
  examples: ['disable-user bob'],
  seeAlso: ['users', 'enable-user', 'login'],
  completes: ['user'],
  flags: controllerFlags,
  run: (context, { controller }, args) =>
    changeUser(context, controller, args, { method: 'DisableUser', done: 'disabled' }),
});
