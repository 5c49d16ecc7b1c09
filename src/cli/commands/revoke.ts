import { ladders } from '../../core/access/levels.ts';
import { command, controllerFlags } from '../command.ts';
import { changeAccess } from '../users/change-access.ts';

export const revoke = command({
  name: 'revoke',
  summary: 'Revokes access from a user on a model or controller.',
  usage: '<user name> <permission> [<model name> ...]',
  details: `What remains is the level below the revoked one: a user whose write access is revoked may still read. Without a
model, access to the controller is revoked.`,
  examples: ['revoke joe read mymodel', 'revoke sam write model1 model2', 'revoke maria login'],
  seeAlso: ['grant', 'disable-user', 'revoke-cloud'],
  completes: ['user', [...ladders.model, ...ladders.controller], 'model'],
  flags: controllerFlags,
  run: (context, { controller }, args) => changeAccess(context, controller, 'revoke', args),
});
