import { join } from 'node:path';
import { programsDir } from './controller-programs.ts';

/**
 * Locks the choice of the controller's program for this process, until it ends or the lock is released: a start must
 * not overwrite what another one has confirmed. Undefined when another process has it. SQLite's lock ends with its
 * process, however that ends.
 */
export async function lockChoice(dataDir: string): Promise<Disposable | undefined> {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(join(programsDir(dataDir), 'lock'));
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return { [Symbol.dispose]: () => db.close() };
  } catch (error) {
    db.close();
    if (error instanceof Error && /locked/.test(error.message)) return undefined;
    throw error;
  }
}
