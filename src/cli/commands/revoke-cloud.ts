import { ladders } from '../../core/access/levels.ts';
import { command, controllerFlags } from '../command.ts';
import { changeCloudAccess } from '../users/change-access.ts';

export const revokeCloud = command({
  name: 'revoke-cloud',
  summary: 'Revokes access from a user for a cloud.',
  usage: '<user name> <permission> <cloud name> [<cloud name> ...]',
  details: 'Revoking admin leaves add-model; revoking that leaves nothing.',
  examples: ['revoke-cloud joe add-model fluffy', 'revoke-cloud sam admin fluffy rainy'],
  seeAlso: ['grant-cloud', 'revoke'],
  completes: ['user', ladders.cloud, 'cloud'],
  flags: controllerFlags,
  run: (context, { controller }, args) => changeCloudAccess(context, controller, 'revoke', args),
});
