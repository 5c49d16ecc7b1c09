import { isModelName } from '../../core/names.ts';
import { cloudTag, credentialTag, parseUserTag, userTag } from '../../wire/tags.ts';
import { call } from '../../client/calls.ts';
import { credentialForModel, findModelCloud, shownCredential } from '../clouds/model-cloud.ts';
import { command, controllerFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, list, text } from '../flags.ts';
import { keysOfNewModel } from '../files/ssh-key.ts';
import { readKeyValues } from '../key-values.ts';
import { defined } from '../../core/defined.ts';

export const addModel = command({
  name: 'add-model',
  summary: 'Adds a workload model.',
  usage: '<model name> [cloud|region|(cloud/region)]',
  details: `A model holds the applications of one workload. It belongs to one cloud and region; by default these are
the controller's own. Its machines are created with a credential of the user for that cloud: the one given by
--credential, or else the only one. A credential that only this client has is uploaded to the controller. The new model
becomes the current one unless --no-switch is given.`,
  examples: [
    'add-model mymodel',
    'add-model mymodel local',
    'add-model mymodel mycloud/north --credential mycredential',
    'add-model mymodel --config my-config.yaml --config update-status-hook-interval=1m',
  ],
  seeAlso: ['model-config', 'models', 'destroy-model', 'clouds', 'add-credential'],
  flags: {
    ...controllerFlags,
    config: list(
      '--config',
      'Path to YAML model configuration file or individual options (--config config.yaml [--config key=value ...])',
    ),
    credential: text(
      '--credential',
      'The name of the credential to be used by the controller to access resources in a cloud',
    ),
    noSwitch: bool('--no-switch', 'Do not switch to the newly created model'),
    owner: text('--owner', 'The owner of the new model if not the current user'),
  },
  async run(context, flags, args) {
    const [name, cloudOrRegion, ...moreArgs] = args;
    if (!name) throw new UsageError('model name is required');
    noMoreArgs(moreArgs);
    if (!isModelName(name)) {
      throw new UsageError(
        `"${name}" is not a valid name: model names may only contain lowercase letters, digits and hyphens`,
      );
    }
    const config = await readKeyValues(context, flags.config);
    const session = await context.openController(flags.controller);
    const { connection, controller, user } = session;
    const store = await context.store();
    const target = await findModelCloud(session, cloudOrRegion ?? '');
    const credentialName = await credentialForModel(context, session, target, flags.credential);
    const model = await context.progress(
      `Adding model ${name}`,
      call(connection, 'ModelManager', 'CreateModel', {
        name,
        'owner-tag': userTag(flags.owner || user),
        config: {
          'authorized-keys': await keysOfNewModel(store.dir, context.io),
          ...config,
        },
        'cloud-tag': cloudTag(target.cloud),
        ...defined({ region: target.region || undefined }),
        ...(credentialName && { credential: credentialTag(target.cloud, user, credentialName) }),
      }),
    );
    const owner = parseUserTag(model['owner-tag']);
    await store.addModel(controller, `${owner}/${name}`, { uuid: model.uuid, type: model.type || 'iaas' });
    if (!flags.noSwitch) await store.setCurrentModel(controller, `${owner}/${name}`);
    const cloud = model['cloud-tag'].replace(/^cloud-/, '');
    const credential = shownCredential(model['cloud-credential-tag'])?.name;
    context.info(
      `Added '${name}' model${cloud ? ` on ${cloud}${model['cloud-region'] ? `/${model['cloud-region']}` : ''}` : ''}` +
        `${credential ? ` with credential '${credential}'` : ''} for user '${owner}'`,
    );
  },
});
