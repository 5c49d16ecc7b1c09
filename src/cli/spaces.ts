import { JujuError } from '../core/errors.ts';
import { isSpaceName } from '../core/names.ts';
import { UsageError } from './errors.ts';

/** Checks the name of a space on a command line. Errors: UsageError. */
export function checkedSpace(name: string | undefined): string {
  if (!name) throw new UsageError('space name is required');
  if (!isSpaceName(name)) throw new UsageError(`"${name}" is not a valid space name`);
  return name;
}

const bindForm = "--bind must be in the form '[<default-space>] [<endpoint-name>=<space> ...]'.";

/** Parses `alpha db=beta`: a space for all endpoints, and one for a single endpoint. Errors: JujuError. */
export function parseBindings(text: string): Record<string, string> {
  return Object.fromEntries(text.split(/\s+/).filter(Boolean).map(parseBinding));
}

function parseBinding(word: string): [endpoint: string, space: string] {
  const [first = '', second, ...others] = word.split('=');
  if (second === undefined) return ['', first];
  if (others.length > 0)
    throw new JujuError(
      '',
      `${bindForm} Found multiple = in binding. Did you forget to space-separate the binding list?`,
    );
  if (first === '')
    throw new JujuError(
      '',
      `${bindForm} Found = without endpoint name. Use a lone space name to set the default.`,
    );
  return [first, second];
}
