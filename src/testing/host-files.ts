/** Files of the host that other processes may be removing: a missing file is not an error. */
import { readdirSync, readFileSync } from 'node:fs';

/** Returns the names in a folder; [] when it does not exist. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Returns the content of a file; '' when it cannot be read. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
