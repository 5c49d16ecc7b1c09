import { call } from '../../client/calls.ts';
import { defined } from '../../core/defined.ts';
import { parseTagOf } from '../../wire/tags.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { render } from '../format/render.ts';
import { formatSections } from '../format/tabwriter.ts';

export const payloads = command({
  name: 'payloads',
  summary: 'Display status information about known payloads.',
  usage: '[pattern ...]',
  details: `Lists what charms have registered with payload-register. With patterns, only payloads are listed of which the
unit, machine, type, class, id, status or a tag equals one of them.`,
  examples: ['payloads', 'payloads web/0 --format yaml', 'payloads stopped'],
  flags: { ...modelFlags, ...formatFlags('tabular', 'json', 'yaml') },
  async run(context, { model, format }, patterns) {
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Payloads', 'List', { patterns: [...patterns] });
    if (results.length === 0) return context.info('No payloads to display.');
    const shown = results.map(({ unit, machine, id, type, class: name, labels, status }) => ({
      unit: parseTagOf('unit', unit),
      machine: machine === '' ? '' : parseTagOf('machine', machine),
      id,
      type,
      'payload-class': name,
      ...defined({ tags: labels.length > 0 ? labels : undefined }),
      status,
    }));
    // Juju pads the last column, too.
    const rows = shown.map((one) =>
      [one.unit, one.machine, one['payload-class'], one.status, one.type, one.id].concat(
        (one.tags ?? []).join(' '),
        '',
      ),
    );
    await context.write(
      render(format, shown, {
        tabular: () =>
          '[Unit Payloads]\n' +
          formatSections([
            { rows: [['Unit', 'Machine', 'Payload class', 'Status', 'Type', 'Id', 'Tags', ''], ...rows] },
          ]),
      }),
    );
  },
});
