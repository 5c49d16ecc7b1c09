import { ladders } from '../../core/access/levels.ts';
import { command, controllerFlags } from '../command.ts';
import { changeCloudAccess } from '../users/change-access.ts';

export const grantCloud = command({
  name: 'grant-cloud',
  summary: 'Grants access level to a user for a cloud.',
  usage: '<user name> <permission> <cloud name> [<cloud name> ...]',
  details: 'Access is add-model, or admin, which includes it.',
  examples: ['grant-cloud joe add-model fluffy'],
  seeAlso: ['grant', 'revoke-cloud', 'add-user'],
  completes: ['user', ladders.cloud, 'cloud'],
  flags: controllerFlags,
  run: (context, { controller }, args) => changeCloudAccess(context, controller, 'grant', args),
});
