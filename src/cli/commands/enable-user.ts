import { command, controllerFlags } from '../command.ts';
import { changeUser } from '../users/change-user.ts';

export const enableUser = command({
  name: 'enable-user',
  summary: 'Re-enables a previously disabled Juju user.',
  usage: '<user name>',
  details: 'An enabled user is able to log in to the controller, with the access that there was before.',
  examples: ['enable-user bob'],
  seeAlso: ['users', 'disable-user', 'login'],
  completes: ['user'],
  flags: controllerFlags,
  run: (context, { controller }, args) =>
    changeUser(context, controller, args, { method: 'EnableUser', done: 'enabled' }),
});
