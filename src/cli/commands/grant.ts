import { ladders } from '../../core/access/levels.ts';
import { command, controllerFlags } from '../command.ts';
import { changeAccess } from '../users/change-access.ts';

export const grant = command({
  name: 'grant',
  summary: 'Grants access level to a user on a model or controller.',
  usage: '<user name> <permission> [<model name> ...]',
  details: `Access to models is read, write or admin; without a model, access to the controller is granted: login or
superuser. A higher level includes the lower ones.`,
  examples: ['grant joe superuser', 'grant joe read mymodel', 'grant sam write model1 model2'],
  seeAlso: ['revoke', 'add-user', 'grant-cloud', 'users'],
  completes: ['user', [...ladders.model, ...ladders.controller], 'model'],
  flags: controllerFlags,
  run: (context, { controller }, args) => changeAccess(context, controller, 'grant', args),
});
