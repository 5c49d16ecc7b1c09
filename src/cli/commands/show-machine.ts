import { notFound } from '../../core/errors.ts';
import { isMachineId } from '../../core/names.ts';
import { call } from '../calls.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { chooseColour, styleStatus } from '../format/colour.ts';
import { formatStatus } from '../format/formatted.ts';
import { render } from '../format/render.ts';
import { machinesSection } from '../format/status-tabular.ts';
import { formatSections } from '../format/tabwriter.ts';
import { timeStyle } from '../time-style.ts';

export const showMachine = command({
  name: 'show-machine',
  summary: "Show a machine's status.",
  usage: '<machineID> ...',
  examples: ['show-machine 0', 'show-machine 1 2 3'],
  seeAlso: ['add-machine', 'machines'],
  completes: ['machine'],
  flags: {
    ...modelFlags,
    ...formatFlags('yaml', 'json', 'tabular'),
    color: bool('--color', 'Force use of ANSI color codes'),
    utc: bool('--utc', 'Display time as UTC in RFC3339 format'),
  },
  async run(context, flags, args) {
    for (const id of args) if (!isMachineId(id)) throw new UsageError(`invalid machine id "${id}"`);
    const { connection, controller } = await context.openModel(flags.model);
    const full = await call(connection, 'Client', 'FullStatus', { patterns: [], 'include-storage': false });
    const formatted = formatStatus(full, controller, timeStyle(context.io, flags.utc));
    // A container is shown within its machine.
    const wanted = args.map((id) => id.split('/')[0]!);
    for (const id of wanted) if (!formatted.machines[id]) throw notFound('machine', id);
    const chosen = Object.entries(formatted.machines).filter(
      ([id]) => wanted.length === 0 || wanted.includes(id),
    );
    const shown = { model: formatted.model.name, machines: Object.fromEntries(chosen) };
    const colour = chooseColour(context.io, { color: flags.color, noColor: false });
    await context.write(
      render(flags.format, shown, {
        tabular: () => formatSections([machinesSection(shown.machines, (text) => styleStatus(colour, text))]),
      }),
    );
  },
});
