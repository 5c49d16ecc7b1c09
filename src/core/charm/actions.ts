/** Actions that a charm's users can run. */
import { isReservedName } from '../names.ts';
import type { ActionSpec } from './metadata.ts';
import { notValid } from '../errors.ts';
import { isMap, readFlag, readMap, readText, show, type Raw } from './raw.ts';

/** Keys of an action with a meaning of their own; all others belong to the schema of its parameters. */
const actionKeys = ['description', 'title', 'params', 'parallel', 'execution-group'];

/**
 * Parses actions.yaml. `raw` is the file as parsed: action name → its description and parameters; or nothing. Errors:
 * `not valid`.
 */
export function parseActions(raw: unknown): Record<string, ActionSpec> {
  if (raw === undefined || raw === null) return {};
  if (!isMap(raw)) throw notValid('invalid actions: expected a map');
  const actions: Record<string, ActionSpec> = {};
  for (const [name, value] of Object.entries(raw)) {
    if (!/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(name)) throw notValid(`bad action name ${name}`);
    if (isReservedName(name)) throw notValid(`cannot use action name ${name}: "juju" is a reserved name`);
    actions[name] = parseAction(name, readMap(value, `invalid actions: ${name}`));
  }
  return actions;
}

function parseAction(name: string, raw: Raw): ActionSpec {
  const what = `invalid actions: ${name}`;
  const properties = readMap(raw['params'], `${what}.params`);
  const required = raw['required'];
  if (
    required !== undefined &&
    !(Array.isArray(required) && required.every((item) => typeof item === 'string'))
  )
    throw notValid(`${what}.required: expected a list of names, got ${show(required)}`);
  const description = readText(raw['description'], `${what}.description`) || 'No description';
  return {
    description,
    params: {
      ...Object.fromEntries(Object.entries(raw).filter(([key]) => !actionKeys.includes(key))),
      title: readText(raw['title'], `${what}.title`) || name,
      description,
      type: 'object',
      properties,
    },
    parallel: readFlag(raw['parallel'], `${what}.parallel`),
    executionGroup: readText(raw['execution-group'], `${what}.execution-group`),
  };
}
