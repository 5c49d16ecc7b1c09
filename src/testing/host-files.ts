/** What is on the host now: what others may be taking away at this moment is nothing, and no error. */
import { readdirSync, readFileSync } from 'node:fs';

/** [] when it is no folder, or no longer. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** '' when it cannot be read. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
