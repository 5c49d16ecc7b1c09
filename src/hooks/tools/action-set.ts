import { JujuError } from '../../core/errors.ts';
import { UsageError } from '../../kit/gnuflag.ts';
import { actionOf } from '../action-of.ts';
import { defineTool, keyValues } from '../tool.ts';

/** Keys that are filled from the action's output. */
const reserved = ['stdout', 'stdout-encoding', 'stderr', 'stderr-encoding'];

export const actionSet = defineTool({
  name: 'action-set',
  args: '<key>=<value> [<key>.<key>=<value> ...]',
  purpose: 'Set action results. Dots in a key create nested maps.',
  flags: {},
  run({ args, context }) {
    actionOf(context);
    const values = [...keyValues(args)].map(([key, value]) => ({ path: resultPath(key), value }));
    for (const { path, value } of values) put(context.changes.action.results, path, value);
  },
});

function resultPath(key: string): string[] {
  const path = key.split('.');
  if (!path.every((part) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(part))) {
    throw new UsageError(
      `key "${key}" must start and end with lowercase alphanumeric, and contain only lowercase alphanumeric, hyphens and periods`,
    );
  }
  if (reserved.includes(path[0]!)) throw new JujuError('', `cannot set reserved action key "${path[0]}"`);
  return path;
}

function put(results: Record<string, unknown>, path: readonly string[], value: string): void {
  let map = results;
  for (const part of path.slice(0, -1)) {
    const inner = Object.hasOwn(map, part) ? map[part] : undefined;
    map = map[part] = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {};
  }
  map[path.at(-1)!] = value;
}
