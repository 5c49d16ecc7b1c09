import { allOk, call } from '../../client/calls.ts';
import { defined } from '../../core/defined.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool, text } from '../flags.ts';
import { readSecretContent, secretFlags, secretOf, warnOfShort } from '../secret-content.ts';

export const updateSecret = command({
  name: 'update-secret',
  summary: 'Updates an existing secret.',
  usage: '<ID>|<name> [key[#base64|#file]=value...]',
  details: `Gives a secret of the model a new revision with a list of key values, or changes what is known of it. With
--auto-prune, revisions that no unit uses any more are removed.`,
  examples: [
    'update-secret my-secret token=34ae35facd4',
    'update-secret secret:9m4e2mr0ui3e8a215n4g token=34ae35facd4 --auto-prune',
    'update-secret my-secret --name db-password --info "my database password"',
  ],
  seeAlso: ['add-secret', 'remove-secret', 'show-secret'],
  flags: {
    ...modelFlags,
    ...secretFlags,
    name: text('--name', 'The new secret name'),
    autoPrune: bool(
      '--auto-prune',
      'Used to allow Juju to automatically remove revisions which are no longer being tracked by any observers',
    ),
  },
  async run(context, { model, file, info, name, autoPrune }, [argument, ...args], given) {
    if (!argument) throw new UsageError('missing secret URI');
    const { uri, label } = secretOf(argument);
    const data = await readSecretContent(context, args, file);
    const change = defined({
      label: name || undefined,
      description: given.has('info') ? info : undefined,
      'auto-prune': given.has('autoPrune') ? autoPrune : undefined,
      content: Object.keys(data).length > 0 ? { data: { ...data } } : undefined,
    });
    if (Object.keys(change).length === 0)
      throw new UsageError('must specify either a new value or a setting to change');
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Secrets', 'UpdateSecrets', {
      args: [{ uri, 'existing-label': label, ...change }],
    });
    allOk(results, () => argument);
    warnOfShort(context, data);
  },
});
