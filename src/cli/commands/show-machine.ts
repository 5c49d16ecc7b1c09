import { JujuError } from '../../core/errors.ts';
import { isMachineId } from '../../core/names.ts';
import { call } from '../../client/calls.ts';
import { colourFlags, command, formatFlags, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { chooseColour, styleStatus } from '../format/colour.ts';
import { formatStatus, type FormattedMachine, type FormattedStatus } from '../format/formatted.ts';
import { render } from '../format/render.ts';
import { machinesSection } from '../format/status-tabular.ts';
import { formatSections } from '../format/tabwriter.ts';
import { timeStyle } from '../time-style.ts';

export const showMachine = command({
  name: 'show-machine',
  summary: "Show a machine's status.",
  usage: '<machineID> ...',
  details:
    'Shows the specified machines, or all machines, with their containers. A container is specified by its own id.',
  examples: ['show-machine 0', 'show-machine 1 2 3', 'show-machine 1/lxd/0'],
  seeAlso: ['add-machine', 'machines'],
  completes: ['machine'],
  flags: {
    ...modelFlags,
    ...formatFlags('yaml', 'json', 'tabular'),
    ...colourFlags,
    utc: bool('--utc', 'Display time as UTC in RFC3339 format'),
  },
  async run(context, flags, args) {
    for (const id of args) if (!isMachineId(id)) throw new UsageError(`invalid machine id "${id}"`);
    const { connection, controller } = await context.openModel(flags.model);
    const full = await call(connection, 'Client', 'FullStatus', {
      patterns: [...args],
      'include-storage': false,
    });
    const { model, machines } = formatStatus(full, controller, timeStyle(context.io, flags.utc));
    const chosen = args.map((id) => [id, mustFind(machines, id)] as const);
    const shown = { model: model.name, machines: args.length === 0 ? machines : Object.fromEntries(chosen) };
    const colour = chooseColour(context.io, flags);
    await context.write(
      render(flags.format, shown, {
        tabular: () => formatSections([machinesSection(shown.machines, (text) => styleStatus(colour, text))]),
      }),
      { styled: flags.format === 'tabular' },
    );
  },
});

/** Finds a machine. Errors: `not found`. */
function mustFind(machines: FormattedStatus['machines'], id: string): FormattedMachine {
  const machine = findMachine(machines, id);
  if (!machine) throw new JujuError('not found', `machine ${id} not found`);
  return machine;
}

/** Finds a machine or a container, which is listed below its host. */
function findMachine(machines: FormattedStatus['machines'], id: string): FormattedMachine | undefined {
  const host = id.split('/').slice(0, -2).join('/');
  return host === '' ? machines[id] : findMachine(machines, host)?.containers?.[id];
}
