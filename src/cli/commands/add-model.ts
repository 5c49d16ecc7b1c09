import { JujuError } from '../../core/errors.ts';
import { isModelName } from '../../core/names.ts';
import { cloudTag, userTag } from '../../wire/tags.ts';
import { call } from '../calls.ts';
import { command, controllerFlags } from '../command.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool, list, text } from '../flags.ts';
import { ensureSshKey } from '../files/ssh-key.ts';
import { readKeyValues } from '../key-values.ts';

export const addModel = command({
  name: 'add-model',
  summary: 'Adds a workload model.',
  usage: '<model name> [cloud|region|(cloud/region)]',
  details: `Adding a model is typically done in order to run a specific workload. The model is of a single cloud
and region; without one it is of the controller's own. The new model becomes the current one unless
--no-switch is given.`,
  examples: [
    'add-model mymodel',
    'add-model mymodel local',
    'add-model mymodel --config my-config.yaml --config update-status-hook-interval=1m',
  ],
  seeAlso: ['model-config', 'models', 'destroy-model'],
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
    const [name, where, ...rest] = args;
    if (!name) throw new UsageError('model name is required');
    noMoreArgs(rest);
    if (!isModelName(name)) {
      throw new UsageError(
        `"${name}" is not a valid name: model names may only contain lowercase letters, digits and hyphens`,
      );
    }
    const config = await readKeyValues(context, flags.config);
    const { connection, controller, user } = await context.openController(flags.controller);
    const store = await context.store();
    const owner = flags.owner || user;
    const target = where
      ? await findCloud(where, (await call(connection, 'Cloud', 'Clouds', {})).clouds)
      : undefined;
    const model = await context.progress(
      `Adding model ${name}`,
      call(connection, 'ModelManager', 'CreateModel', {
        name,
        'owner-tag': userTag(owner),
        config: { 'authorized-keys': await ensureSshKey(store.dir), ...config },
        ...(target ? { 'cloud-tag': cloudTag(target.cloud) } : {}),
        ...(target?.region ? { region: target.region } : {}),
        ...(flags.credential && target
          ? { credential: `cloudcred-${target.cloud}_${owner}_${flags.credential}` }
          : {}),
      }),
    );
    await store.addModel(controller, `${owner}/${name}`, { uuid: model.uuid, type: model.type || 'iaas' });
    if (!flags.noSwitch) await store.setCurrentModel(controller, `${owner}/${name}`);
    const cloud = model['cloud-tag'].replace(/^cloud-/, '');
    const credential = model['cloud-credential-tag']?.split('_').at(-1);
    context.info(
      `Added '${name}' model${cloud ? ` on ${cloud}${model['cloud-region'] ? `/${model['cloud-region']}` : ''}` : ''}` +
        `${credential ? ` with credential '${credential}'` : ''} for user '${owner}'`,
    );
  },
});

/** `cloud`, `cloud/region`, or a region of the only cloud. */
async function findCloud(
  where: string,
  clouds: Readonly<Record<string, { readonly regions?: readonly { readonly name: string }[] | undefined }>>,
): Promise<{ cloud: string; region?: string }> {
  const known = Object.fromEntries(
    Object.entries(clouds).map(([tag, cloud]) => [tag.replace(/^cloud-/, ''), cloud]),
  );
  const [first, region] = where.split('/') as [string, string?];
  const cloud = known[first];
  if (cloud) {
    if (region && !cloud.regions?.some((r) => r.name === region)) {
      throw new JujuError('not found', `region "${region}" of cloud "${first}" not found`);
    }
    return { cloud: first, ...(region ? { region } : {}) };
  }
  const withRegion = Object.entries(known).find(([, c]) => c.regions?.some((r) => r.name === where));
  if (!region && withRegion) return { cloud: withRegion[0], region: where };
  throw new JujuError(
    'not found',
    `"${where}" is neither a cloud supported by this controller, nor a region in the controller's default cloud. The clouds/regions supported by this controller are: ${Object.keys(known).sort().join(', ')}`,
  );
}
