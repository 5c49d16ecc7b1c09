import { JujuError } from '../../core/errors.ts';
import { credentialTag, modelTag } from '../../wire/tags.ts';
import { call, only } from '../../client/calls.ts';
import { sendLocalCredential } from '../clouds/send-local-credential.ts';
import { userCredentials } from '../clouds/upload-credentials.ts';
import { command, modelFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';

export const setCredential = command({
  name: 'set-credential',
  summary: 'Relates a remote credential to a model.',
  usage: '<cloud name> <credential name>',
  details: `The model's machines are started and stopped with this credential from now on. A credential that the
controller does not have is uploaded from this client. The command is refused if the model's cloud rejects the
credential.`,
  examples: ['set-credential mycloud mycredential', 'set-credential -m mymodel mycloud mycredential'],
  seeAlso: ['credentials', 'show-credential', 'update-credential', 'add-credential'],
  completes: ['cloud'],
  flags: modelFlags,
  async run(context, flags, args) {
    const [cloud, name, ...moreArgs] = args;
    if (!cloud || !name) throw new UsageError('Usage: grigri set-credential <cloud-name> <credential-name>');
    noMoreArgs(moreArgs);
    const { controller, modelUuid, model } = await context.openModel(flags.model);
    const session = await context.openController(controller);
    if ((await userCredentials(session, cloud)).includes(name))
      context.info('Found credential remotely, on the controller. Not looking locally...');
    else {
      context.info('Did not find credential remotely. Looking locally...');
      const uploaded = await sendLocalCredential(context, session, cloud, name);
      if (!uploaded) throw new JujuError('not found', `credential "${name}" for cloud "${cloud}" not found`);
    }
    const { results } = await call(session.connection, 'ModelManager', 'ChangeModelCredential', {
      'model-credentials': [
        { 'model-tag': modelTag(modelUuid), 'credential-tag': credentialTag(cloud, session.user, name) },
      ],
    });
    only(results);
    context.info(`Changed cloud credential on model "${model.slice(model.indexOf('/') + 1)}" to "${name}".`);
  },
});
