import type { Connection } from '../../client/connection.ts';
import { isMachineId, isUnitName } from '../../core/names.ts';
import { machineTag, parseTagOf, unitTag } from '../../wire/tags.ts';
import { allOk, call, type ResultOf } from '../../client/calls.ts';
import { command, modelFlags } from '../command.ts';
import { checkedConstraints } from '../../operate/constraints.ts';
import { readConstraints } from '../constraints.ts';
import { UsageError } from '../errors.ts';
import { bool, list } from '../flags.ts';
import { defined } from '../../core/defined.ts';

export const resolved = command({
  name: 'resolved',
  summary: 'Marks unit and machine errors resolved and retries failed hooks and machine starts.',
  usage: '[<unit> | <machine> ...]',
  details: `The failed hook of a unit runs again; with --no-retry it is skipped.

A machine that its provider could not start, and no longer tries to start, is tried again. --constraints replaces all
constraints of the machine, in case that these could not be satisfied; the new ones are checked first. The constraints
of units and of other machines do not change.

--all resolves every unit in error and retries every machine whose start failed.`,
  examples: [
    'resolved mysql/0',
    'resolved mysql/0 --no-retry',
    'resolved 14',
    'resolved 14 --constraints "mem=2G cpu-power=400"',
    'resolved mysql/0 14',
    'resolved --all',
  ],
  seeAlso: ['retry-provisioning', 'explain', 'show-status-log'],
  completes: ['unit'],
  flags: {
    ...modelFlags,
    all: bool('--all', 'Marks all units in error, and all machines that could not be started, as resolved'),
    constraints: list(
      '--constraints',
      'New constraints of the machines, which replace their current constraints',
    ),
    noRetry: bool('--no-retry', 'Do not re-execute failed hooks on the unit'),
  },
  async run(context, { model, all, noRetry, ...flags }, args, givenFlags) {
    if (all && args.length > 0) throw new UsageError('specify units and machines or --all option, not both');
    if (!all && args.length === 0) throw new UsageError('no unit or machine specified');
    for (const name of args)
      if (!isUnitName(name) && !isMachineId(name))
        throw new UsageError(`"${name}" is not a valid unit name or machine id`);
    const units = args.filter((name) => isUnitName(name));
    const machines = args.filter((name) => isMachineId(name));
    if (givenFlags.has('constraints') && units.length > 0)
      throw new UsageError(`--constraints applies to machines only, not to ${units.join(', ')}`);
    if (noRetry && machines.length > 0)
      throw new UsageError(`--no-retry applies to units only, not to machine ${machines.join(', ')}`);
    const requestedConstraints = readConstraints(flags.constraints);
    const { connection } = await context.openModel(model);
    // Constraints are checked before anything is resolved, so that a refusal leaves everything as it was.
    const constraints = await checkedConstraints(context.operator(), connection, requestedConstraints);
    const results: Result[] = [];
    if (all || units.length > 0) results.push(...(await resolveUnits(connection, { all, units, noRetry })));
    if (all || machines.length > 0) {
      const { results: machineResults } = await call(connection, 'Provisioning', 'RetryMachines', {
        all,
        ...defined({
          machines: all ? undefined : machines.map(machineTag),
          constraints: givenFlags.has('constraints') ? constraints : undefined,
        }),
      });
      results.push(
        ...machineResults.map(({ machine, error }) => ({ name: parseTagOf('machine', machine), error })),
      );
    }
    allOk(results, (i) => results[i]!.name);
  },
});

interface Result {
  readonly name: string;
  readonly error?: ResultOf<'Provisioning', 'RetryMachines'>['results'][number]['error'];
}

async function resolveUnits(
  connection: Connection,
  { all, units, noRetry }: { all: boolean; units: readonly string[]; noRetry: boolean },
): Promise<Result[]> {
  const { results } = await call(connection, 'Application', 'ResolveUnitErrors', {
    retry: !noRetry,
    ...(all ? { all: true } : { tags: { entities: units.map((name) => ({ tag: unitTag(name) })) } }),
  });
  return results.map(({ error }, i) => ({ name: units[i] ?? '', error }));
}
