import { isSpaceName } from '../core/names.ts';
import { UsageError } from './errors.ts';

/** The name of a space on a command line. Errors: UsageError. */
export function checkedSpace(name: string | undefined): string {
  if (!name) throw new UsageError('space name is required');
  if (!isSpaceName(name)) throw new UsageError(`"${name}" is not a valid space name`);
  return name;
}
