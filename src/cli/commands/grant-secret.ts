import { command, modelFlags } from '../command.ts';
import { changeAccess } from '../secret-access.ts';

export const grantSecret = command({
  name: 'grant-secret',
  summary: 'Grants access to a secret.',
  usage: '<ID>|<name> <application>[,<application>...]',
  details: `Lets applications read a secret of the model. A charm learns of it by a configuration option that holds its
URI.`,
  examples: ['grant-secret my-secret ubuntu-k8s', 'grant-secret secret:9m4e2mr0ui3e8a215n4g mediawiki,mysql'],
  seeAlso: ['revoke-secret', 'add-secret'],
  completes: [[], 'application'],
  flags: modelFlags,
  run: (context, { model }, args) => changeAccess(context, model, args, 'grant'),
});
