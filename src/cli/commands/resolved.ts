import { isUnitName } from '../../core/names.ts';
import { unitTag } from '../../wire/tags.ts';
import { allOk, call } from '../calls.ts';
import { command, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool } from '../flags.ts';

export const resolved = command({
  name: 'resolved',
  summary: 'Marks unit errors resolved and re-executes failed hooks.',
  usage: '[<unit> ...]',
  details:
    'With --no-retry the failed hook is passed over instead. --all resolves every unit that is in error.',
  examples: ['resolved mysql/0', 'resolved mysql/0 --no-retry', 'resolved --all'],
  seeAlso: ['show-status-log'],
  completes: ['unit'],
  flags: {
    ...modelFlags,
    all: bool('--all', 'Marks all units in error as resolved'),
    noRetry: bool('--no-retry', 'Do not re-execute failed hooks on the unit'),
  },
  async run(context, { model, all, noRetry }, args) {
    if (all && args.length > 0) throw new UsageError('specify unit or --all option, not both');
    if (!all && args.length === 0) throw new UsageError('no unit specified');
    for (const name of args) if (!isUnitName(name)) throw new UsageError(`unit name "${name}" not valid`);
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Application', 'ResolveUnitErrors', {
      retry: !noRetry,
      ...(all ? { all: true } : { tags: { entities: args.map((name) => ({ tag: unitTag(name) })) } }),
    });
    allOk(results ?? [], (i) => args[i] ?? '');
  },
});
