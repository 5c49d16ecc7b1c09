import { permissionDenied } from '../../core/errors.ts';
import { UsageError } from '../../kit/gnuflag.ts';
import type { HookContext, RelationView } from '../context.ts';
import { relationFlag, relationOf } from '../relation-of.ts';
import { atMost, defineTool } from '../tool.ts';

export const relationGet = defineTool({
  name: 'relation-get',
  args: '[<key>|- [<unit or application>]]',
  purpose: 'Get relation settings.',
  output: 'smart',
  flags: {
    relation: relationFlag,
    app: { kind: 'bool', help: 'Get the relation data for the overall application, not just a unit' },
  },
  async run({ args, flags, context }) {
    atMost(args, 2);
    const relation = relationOf(context, flags.relation);
    const owner =
      flags.app || isOfApplication(args[1], context, relation)
        ? applicationOf(args[1], context, relation)
        : unitOf(args[1], context);
    const settings = await readSettings(context, relation, owner);
    const key = args[0] ?? '-';
    if (key === '-' || key === '') return Object.fromEntries(settings);
    return settings.get(key) ?? null;
  },
});

/**
 * Whether application settings are read, as in a hook of the relation that concerns no unit (created, broken, a changed
 * application).
 */
function isOfApplication(
  argument: string | undefined,
  { event }: HookContext,
  relation: RelationView,
): boolean {
  return (
    argument === undefined &&
    (event.remoteUnit ?? '') === '' &&
    event.relation?.id === relation.id &&
    (event.remoteApplication ?? '') !== ''
  );
}

function unitOf(argument: string | undefined, context: HookContext): string {
  const unit = argument ?? context.event.remoteUnit ?? '';
  if (unit === '') throw new UsageError('no unit id specified');
  if (!unit.includes('/')) throw new UsageError(`expected unit name, got application name "${unit}"`);
  return unit;
}

function applicationOf(argument: string | undefined, context: HookContext, relation: RelationView): string {
  const { event } = context;
  const ownApplication =
    event.relation?.id === relation.id ? (event.remoteApplication ?? relation.remoteApplication) : undefined;
  const name = argument ?? ownApplication ?? '';
  if (name === '') throw new UsageError('no unit or application specified');
  return name.split('/')[0]!;
}

/** Reads settings with the hook's own pending changes, which only that hook sees. */
async function readSettings(
  context: HookContext,
  relation: RelationView,
  owner: string,
): Promise<Map<string, string>> {
  const pending = context.changes.relationSettings.get(relation.id);
  if (owner === context.application && !relation.peer && !(await context.isLeader())) {
    throw permissionDenied();
  }
  const settings = new Map(Object.entries(await context.relationSettings(relation.id, owner)));
  const own =
    owner === context.unit ? pending?.unit : owner === context.application ? pending?.app : undefined;
  for (const [key, value] of own ?? []) {
    if (value === '') settings.delete(key);
    else settings.set(key, value);
  }
  return settings;
}
