import { formatBase } from '../../core/base.ts';
import { applicationTag, parseTagOf } from '../../wire/tags.ts';
import { call, errorOf } from '../../client/calls.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { render } from '../format/render.ts';
import { parseCharmUrl } from '../format/formatted.ts';

export const showApplication = command({
  name: 'show-application',
  summary: 'Displays information about an application.',
  usage: '<application name>',
  examples: ['show-application mysql', 'show-application mysql wordpress'],
  seeAlso: ['show-unit', 'status'],
  completes: ['application'],
  flags: { ...modelFlags, ...formatFlags('yaml', 'json', 'smart') },
  async run(context, { model, format }, args) {
    if (args.length === 0) throw new UsageError('an application name must be supplied');
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Application', 'ApplicationsInfo', {
      entities: args.map((name) => ({ tag: applicationTag(name) })),
    });
    const shown: Record<string, unknown> = {};
    for (const { error, result } of results) {
      if (error) throw errorOf(error);
      const info = result!;
      const exposedEndpoints = info['exposed-endpoints'] ?? {};
      shown[parseTagOf('application', info.tag)] = {
        charm: info.charm.startsWith('local:') ? parseCharmUrl(info.charm).name : info.charm || undefined,
        base: info.base ? formatBase(info.base) : undefined,
        channel: info.channel || undefined,
        constraints: Object.keys(info.constraints ?? {}).length > 0 ? info.constraints : undefined,
        principal: info.principal,
        exposed: info.exposed,
        'exposed-endpoints': Object.keys(exposedEndpoints).length > 0 ? exposedEndpoints : undefined,
        remote: info.remote,
        life: info.life || undefined,
        require: info.require,
        after: info.after,
        pending: info.pending,
        'endpoint-bindings': info['endpoint-bindings'],
      };
    }
    await context.write(render(format === 'json' ? 'json' : 'yaml', shown));
  },
});
