import { readJson, writeWhole } from '../../providers/toolkit/json-file.ts';

interface Given {
  /** Latest second in which a backup was begun, `2026-01-31T23:59:59`. */
  readonly newest: string;
  /** Greatest number that was given. */
  readonly n: number;
}

/**
 * The number of a backup that is begun now: 0, or one that no other had, when the clock tells a second that is not
 * later than that of the backup before. The file outlives the process, the archives, and restores.
 */
export async function nextNumber(file: string, started: string): Promise<number> {
  const { newest, n } = (await readJson<Given>(file)) ?? { newest: '', n: 0 };
  const second = started.slice(0, 19);
  const isLater = second > newest;
  const given: Given = isLater ? { newest: second, n } : { newest, n: n + 1 };
  await writeWhole(file, JSON.stringify(given));
  return isLater ? 0 : given.n;
}
