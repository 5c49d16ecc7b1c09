import { isUnitName } from '../../core/names.ts';
import { parseTagOf, unitTag } from '../../wire/tags.ts';
import { call, errorOf, type ResultOf } from '../../client/calls.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import { UsageError } from '../errors.ts';
import { bool, text } from '../flags.ts';
import { render } from '../format/render.ts';
import { sorted } from '../format/yaml.ts';

export const showUnit = command({
  name: 'show-unit',
  summary: 'Displays information about a unit.',
  usage: '<unit name>',
  details: `Shows the unit's machine, ports and charm and, for each of its relations, the data of the application and
the units on the other side. --endpoint, --related-unit and --app limit the output.`,
  examples: [
    'show-unit mysql/0',
    'show-unit mysql/0 wordpress/1',
    'show-unit mysql/0 --app',
    'show-unit mysql/0 --endpoint db',
  ],
  seeAlso: ['show-application', 'status'],
  completes: ['unit'],
  flags: {
    ...modelFlags,
    ...formatFlags('yaml', 'json', 'smart'),
    app: bool('--app', 'Only show application relation data'),
    endpoint: text('--endpoint', 'Only show relation data for the specified endpoint'),
    relatedUnit: text('--related-unit', 'Only show relation data for the specified unit'),
  },
  async run(context, flags, args) {
    if (args.length === 0) throw new UsageError('a unit name must be supplied');
    for (const name of args) if (!isUnitName(name)) throw new UsageError(`unit name "${name}" not valid`);
    const { connection } = await context.openModel(flags.model);
    const { results } = await call(connection, 'Application', 'UnitsInfo', {
      entities: args.map((name) => ({ tag: unitTag(name) })),
    });
    const shown: Record<string, unknown> = {};
    for (const result of results) {
      if (result.error) throw errorOf(result.error);
      const unit = result.result!;
      shown[parseTagOf('unit', unit.tag)] = describe(unit, flags);
    }
    await context.write(render(flags.format === 'json' ? 'json' : 'yaml', shown));
  },
});

type Unit = NonNullable<ResultOf<'Application', 'UnitsInfo'>['results'][number]['result']>;
interface Filter {
  readonly app: boolean;
  readonly endpoint: string;
  readonly relatedUnit: string;
}

function describe(unit: Unit, filter: Filter): Record<string, unknown> {
  const name = parseTagOf('unit', unit.tag);
  const relations = (unit['relation-data'] ?? [])
    .filter((r) => !filter.endpoint || r.endpoint === filter.endpoint)
    .map((r) => {
      const localUnit = r['unit-relation-data'][name];
      const relatedUnits = sorted(r['unit-relation-data'])
        .filter(([unitName]) => unitName !== name && (!filter.relatedUnit || unitName === filter.relatedUnit))
        .map(([unitName, data]) => [unitName, { 'in-scope': data.InScope, data: inOrder(data.UnitData) }]);
      return {
        'relation-id': r['relation-id'],
        endpoint: r.endpoint,
        'cross-model': r['cross-model'] || undefined,
        'related-endpoint': r['related-endpoint'],
        'application-data': inOrder(r.ApplicationData),
        'local-unit':
          filter.app || !localUnit
            ? undefined
            : { 'in-scope': localUnit.InScope, data: inOrder(localUnit.UnitData) },
        'related-units':
          filter.app || relatedUnits.length === 0 ? undefined : Object.fromEntries(relatedUnits),
      };
    });
  return {
    'workload-version': unit['workload-version'] || undefined,
    machine: unit.machine || undefined,
    waiting: unit.waiting || undefined,
    'opened-ports': unit['opened-ports'] ?? [],
    'public-address': unit['public-address'] || undefined,
    charm: unit.charm,
    leader: unit.leader ?? false,
    life: unit.life || undefined,
    'relation-info': relations.length > 0 ? relations : undefined,
    'provider-id': unit['provider-id'] || undefined,
    address: unit.address || undefined,
  };
}

function inOrder<V>(values: Readonly<Record<string, V>>): Record<string, V> {
  return Object.fromEntries(sorted(values));
}
