import { command, modelFlags } from '../command.ts';
import { changeAccess } from '../secret-access.ts';

export const revokeSecret = command({
  name: 'revoke-secret',
  summary: 'Revokes access to a secret.',
  usage: '<ID>|<name> <application>[,<application>...]',
  details: 'Takes from applications the right to read a secret of the model.',
  examples: [
    'revoke-secret my-secret ubuntu-k8s',
    'revoke-secret secret:9m4e2mr0ui3e8a215n4g mediawiki,mysql',
  ],
  seeAlso: ['grant-secret'],
  completes: [[], 'application'],
  flags: modelFlags,
  run: (context, { model }, args) => changeAccess(context, model, args, 'revoke'),
});
