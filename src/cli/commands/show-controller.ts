import { createHash, X509Certificate } from 'node:crypto';
import type { CommandContext } from '../context.ts';
import { call } from '../../client/calls.ts';
import { browserFlags, command, formatFlags } from '../command.ts';
import { bool } from '../flags.ts';
import { render } from '../format/render.ts';
import { sorted } from '../format/yaml.ts';
import { chooseController } from '../../operate/sessions.ts';

export const showController = command({
  name: 'show-controller',
  summary: 'Shows detailed information of a controller.',
  usage: '[<controller name> ...]',
  details:
    'Shows extended information about a controller(s) as well as related models and user login details.',
  examples: ['show-controller', 'show-controller aws google'],
  seeAlso: ['controllers'],
  completes: ['controller'],
  flags: {
    ...browserFlags,
    ...formatFlags('yaml', 'json'),
    showPassword: bool('--show-password', 'Show password for logged in user'),
  },
  async run(context, { format, showPassword }, args) {
    const names = args.length > 0 ? args : [await chooseController(context.client, '')];
    const shown: Record<string, unknown> = {};
    for (const name of names)
      shown[name] = await describe(context, await chooseController(context.client, name), showPassword);
    await context.write(render(format, shown));
  },
});

async function describe(
  context: CommandContext,
  name: string,
  showPassword: boolean,
): Promise<Record<string, unknown>> {
  const store = await context.store();
  const account = await store.account(name);
  let models: Record<string, unknown> = {};
  const errors: string[] = [];
  let access = account?.['last-known-access'];
  try {
    const { connection } = await context.openController(name);
    access = connection.login.user?.controllerAccess ?? access;
    models = await describeModels(context, name);
  } catch (error) {
    // The data from the files is shown nevertheless.
    errors.push((error as Error).message);
  }
  const details = (await store.controllers())[name]!;
  const currentModel = await store.currentModel(name);
  return {
    details: {
      uuid: details.uuid,
      'api-endpoints': details['api-endpoints'],
      cloud: details.cloud,
      region: details.region || undefined,
      'agent-version': details['agent-version'] || undefined,
      'ca-fingerprint': fingerprint(details['ca-cert']),
      'ca-cert': details['ca-cert'],
    },
    models: Object.keys(models).length > 0 ? models : undefined,
    'current-model': currentModel,
    account: account && {
      user: account.user,
      access,
      password: showPassword ? account.password : undefined,
    },
    errors: errors.length > 0 ? errors : undefined,
  };
}

async function describeModels(context: CommandContext, name: string): Promise<Record<string, unknown>> {
  const { refreshModels } = await import('../../operate/sessions.ts');
  const models = sorted(await refreshModels(context.client, name));
  const { connection } = await context.openController(name);
  const { models: statuses } = await call(connection, 'Controller', 'ModelStatus', {
    entities: models.map(([, { uuid }]) => ({ tag: `model-${uuid}` })),
  });
  return Object.fromEntries(
    models.map(([model, { uuid }], i) => [
      model,
      {
        uuid,
        'machine-count': statuses[i]?.['hosted-machine-count'] || undefined,
        'unit-count': statuses[i]?.['unit-count'] || undefined,
      },
    ]),
  );
}

/** Returns the SHA-256 fingerprint of the certificate: `AB:CD:…` */
function fingerprint(pem: string): string | undefined {
  try {
    const hex = createHash('sha256').update(new X509Certificate(pem).raw).digest('hex').toUpperCase();
    return hex.match(/../g)!.join(':');
  } catch {
    return undefined;
  }
}
