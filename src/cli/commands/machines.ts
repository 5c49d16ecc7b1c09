import { call } from '../../client/calls.ts';
import { colourFlags, command, formatFlags, modelFlags } from '../command.ts';
import { noMoreArgs } from '../errors.ts';
import { bool } from '../flags.ts';
import { chooseColour, styleStatus } from '../format/colour.ts';
import { formatStatus } from '../format/formatted.ts';
import { render } from '../format/render.ts';
import { machinesSection } from '../format/status-tabular.ts';
import { formatSections } from '../format/tabwriter.ts';
import { timeStyle } from '../time-style.ts';

export const machines = command({
  name: 'machines',
  summary: 'Lists machines in a model.',
  examples: ['machines', 'machines --format json'],
  seeAlso: ['status', 'show-machine'],
  flags: {
    ...modelFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    ...colourFlags,
    utc: bool('--utc', 'Display time as UTC in RFC3339 format'),
  },
  async run(context, flags, args) {
    noMoreArgs(args);
    const { connection, controller } = await context.openModel(flags.model);
    const full = await call(connection, 'Client', 'FullStatus', { patterns: [], 'include-storage': false });
    const formatted = formatStatus(full, controller, timeStyle(context.io, flags.utc));
    const shown = { model: formatted.model.name, machines: formatted.machines };
    const colour = chooseColour(context.io, flags);
    await context.write(
      render(flags.format, shown, {
        tabular: () => formatSections([machinesSection(shown.machines, (text) => styleStatus(colour, text))]),
      }),
      { styled: flags.format === 'tabular' },
    );
  },
});
