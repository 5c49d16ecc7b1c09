import type { CommandContext } from '../context.ts';
import { call, only } from '../../client/calls.ts';
import { shownCredential } from '../clouds/model-cloud.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatAgo } from '../format/time.ts';
import { sorted } from '../format/yaml.ts';
import { resolveModel } from '../../operate/sessions.ts';
import { timeStyle } from '../time-style.ts';

export const showModel = command({
  name: 'show-model',
  summary: 'Shows information about the current or specified model.',
  usage: '[<model name>]',
  examples: ['show-model', 'show-model mymodel', 'show-model mycontroller:mymodel'],
  seeAlso: ['add-model', 'models'],
  completes: ['model'],
  flags: {
    ...modelFlags,
    ...formatFlags('yaml', 'json'),
    utc: bool('--utc', 'Display time as UTC in RFC3339 format'),
  },
  async run(context, { model, format, utc }, args) {
    noMoreArgs(args.slice(1));
    await context.write(render(format, await describe(context, args[0] ?? model, utc)));
  },
});

async function describe(
  context: CommandContext,
  name: string,
  utc: boolean,
): Promise<Record<string, unknown>> {
  const target = await resolveModel(context.client, name);
  const { connection } = await context.openController(target.controller);
  const { results } = await call(connection, 'ModelManager', 'ModelInfo', {
    entities: [{ tag: `model-${target.uuid}` }],
  });
  const info = only(results).result!;
  const style = timeStyle(context.io, utc);
  const owner = info['owner-tag'].replace(/^user-/, '');
  const machines = (info.machines ?? []).map((m) => [m.id, { cores: m.hardware?.cores ?? 0 }] as const);
  const backends = (info['secret-backends'] ?? []).map(
    ({ result, 'num-secrets': count, status, message }) =>
      [result.name, { 'num-secrets': count, status, message }] as const,
  );
  return {
    [info.name]: {
      name: `${owner}/${info.name}`,
      'short-name': info.name,
      'model-uuid': info.uuid,
      'model-type': info.type,
      'controller-uuid': info['controller-uuid'],
      'controller-name': target.controller,
      'is-controller': info['is-controller'],
      owner,
      cloud: info['cloud-tag'].replace(/^cloud-/, ''),
      region: info['cloud-region'] || undefined,
      type: info['provider-type'] || undefined,
      life: info.life,
      status: {
        current: info.status.status,
        message: info.status.info || undefined,
        since: formatAgo(info.status.since, style),
      },
      users: Object.fromEntries(
        (info.users ?? []).map((u) => [
          u.user,
          {
            'display-name': u['display-name'] || undefined,
            access: u.access,
            'last-connection': formatAgo(u['last-connection'] ?? undefined, style),
          },
        ]),
      ),
      machines: machines.length > 0 ? Object.fromEntries(sorted(Object.fromEntries(machines))) : undefined,
      'secret-backends': backends.length > 0 ? Object.fromEntries(backends) : undefined,
      sla: info.sla?.level || undefined,
      'agent-version': info['agent-version'] || undefined,
      credential: shownCredential(info['cloud-credential-tag']),
      'supported-features': info['supported-features']?.length
        ? info['supported-features'].map(({ name: feature, description, version }) => ({
            name: feature,
            description,
            version,
          }))
        : undefined,
    },
  };
}
