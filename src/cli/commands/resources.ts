import { call, errorOf, type ResultOf } from '../../client/calls.ts';
import { unitApplication } from '../../core/names.ts';
import { applicationTag, parseTagOf } from '../../wire/tags.ts';
import { isUsed, resourceView, revisionOf, supplierOf, type Resource } from '../charm/resource-views.ts';
import { command, formatFlags, modelFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { noMoreArgs, UsageError } from '../errors.ts';
import { bool } from '../flags.ts';
import { render } from '../format/render.ts';
import { formatSection, type Cell } from '../format/tabwriter.ts';
import { defined } from '../../core/defined.ts';

type Listed = ResultOf<'Resources', 'ListResources'>['results'][number];

export const resources = command({
  name: 'resources',
  summary: 'Show the resources for an application or unit.',
  usage: '<application or unit>',
  details: `Shows the resources that the application would give its units now; for a unit, those that it has got. --details
shows both side by side, and how far downloads are.`,
  examples: ['resources mysql', 'resources mysql/0', 'resources mysql --details'],
  seeAlso: ['attach-resource', 'charm-resources'],
  completes: ['application'],
  flags: {
    ...modelFlags,
    ...formatFlags('tabular', 'json', 'yaml'),
    details: bool('--details', 'show detailed information about resources used by each unit.'),
  },
  async run(context, { model, format, details }, args) {
    const [target, ...moreArgs] = args;
    if (target === undefined) throw new UsageError('missing application or unit name');
    noMoreArgs(moreArgs);
    const unit = target.includes('/') ? target : undefined;
    const { connection } = await context.openModel(model);
    const { results } = await call(connection, 'Resources', 'ListResources', {
      entities: [{ tag: applicationTag(unit === undefined ? target : unitApplication(unit)) }],
    });
    const listed = results[0]!;
    if (listed.error) throw errorOf(listed.error);
    if (
      unit !== undefined &&
      !unitsOf(listed).some(({ name }) => name === unit) &&
      listed.resources.length > 0
    )
      throw new Error(`unit "${unit}" not found`);
    if (details) return printDetails(context, format, listed, unit);
    if (unit !== undefined) return printUnit(context, format, listed, unit);
    if (format !== 'tabular') {
      const shown = listed.resources.map((one) => resourceView(one));
      return context.write(render(format, defined({ resources: shown.length > 0 ? shown : undefined })));
    }
    if (listed.resources.length === 0) return context.info('No resources to display.');
    await context.write(
      formatSection({
        rows: [
          ['Resource', 'Supplied by', 'Revision'],
          ...listed.resources.map((one) => [one.name, supplierOf(one), revisionOf(one)]),
        ],
      }),
    );
  },
});

interface UnitResources {
  readonly name: string;
  readonly has: ReadonlyMap<string, Resource>;
  readonly progress: Readonly<Record<string, number>>;
}

function unitsOf({ 'unit-resources': units }: Listed): UnitResources[] {
  return units.map(({ tag, resources: had, 'download-progress': progress }) => ({
    name: parseTagOf('unit', tag),
    has: new Map(had.map((one) => [one.name, one])),
    progress,
  }));
}

/** Prints the revisions of its application's resources that a unit has; `-` for a resource that it lacks. */
async function printUnit(
  context: CommandContext,
  format: string,
  listed: Listed,
  unit: string,
): Promise<void> {
  const has = unitsOf(listed).find(({ name }) => name === unit)?.has;
  const shown = listed.resources.map((expected) => has?.get(expected.name) ?? { ...expected, ...notThere });
  if (format !== 'tabular') return context.write(render(format as 'json' | 'yaml', shown.map(unitView)));
  if (shown.length === 0) return context.info('No resources to display.');
  const rows = [['Resource', 'Revision'], ...shown.map((one) => [one.name, revisionOf(one)])];
  await context.write(formatSection({ rows }));
}

/** Describes a resource of a unit: revision `-` means that the unit lacks it. */
function unitView(resource: Resource) {
  return resourceView(resource, isUsed(resource) ? String(resource.revision) : '-');
}

const notThere = {
  origin: 'upload',
  revision: 0,
  fingerprint: null,
  size: 0,
  username: '',
  timestamp: '0001-01-01T00:00:00Z',
};

async function printDetails(
  context: CommandContext,
  format: string,
  listed: Listed,
  unit: string | undefined,
): Promise<void> {
  const units = unitsOf(listed).filter(({ name }) => unit === undefined || name === unit);
  const lines = units.flatMap(({ name, has, progress }) =>
    listed.resources.map((expected) => ({
      unit: name,
      had: has.get(expected.name) ?? { ...expected, ...notThere },
      expected,
      progress: Object.hasOwn(progress, expected.name) ? progress[expected.name] : undefined,
    })),
  );
  if (format !== 'tabular') {
    const shown = lines.map(({ unit: unitID, had, expected, progress }) => ({
      unitID,
      unit: unitView(had),
      expected: resourceView(expected),
      ...defined({ progress }),
    }));
    const all = unit === undefined ? defined({ resources: shown.length > 0 ? shown : undefined }) : shown;
    return context.write(render(format as 'json' | 'yaml', all));
  }
  if (lines.length === 0) return context.info('No resources to display.');
  const expectedCell = ({ expected, progress }: (typeof lines)[number]): string =>
    progress === undefined
      ? revisionOf(expected)
      : `${revisionOf(expected)} (fetching: ${Math.floor((100 * progress) / Math.max(expected.size, 1))}%)`;
  const rows: Cell[][] = lines.map((line) => [
    ...(unit === undefined ? [line.unit] : []),
    line.expected.name,
    revisionOf(line.had),
    expectedCell(line),
  ]);
  const head = [...(unit === undefined ? ['Unit'] : []), 'Resource', 'Revision', 'Expected'];
  await context.write(formatSection({ rows: [head, ...rows] }));
}
