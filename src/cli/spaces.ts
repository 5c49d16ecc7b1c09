import { isSpaceName } from '../core/names.ts';
import { UsageError } from './errors.ts';

/** The name of a space on a command line. Errors: UsageError. */
export function checkedSpace(name: string | undefined): string {
  if (!name) throw new UsageError('space name is required');
  if (!isSpaceName(name)) throw new UsageError(`"${name}" is not a valid space name`);
  return name;
}

/** Parses `alpha db=beta`: one space for all endpoints, and another for one endpoint. */
export function parseBindings(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split(/\s+/)
      .filter(Boolean)
      .map((word) => (word.includes('=') ? (word.split('=', 2) as [string, string]) : ['', word])),
  );
}
