import { call, type ParamsOf } from '../client/calls.ts';
import type { Connection } from '../client/connection.ts';

/** Runs `work` while the connection holds its model. Errors: those of ModelFiles.Begin and of `work`. */
export async function holdingModel<T>(
  connection: Connection,
  begin: ParamsOf<'ModelFiles', 'Begin'>,
  work: () => Promise<T>,
): Promise<T> {
  await call(connection, 'ModelFiles', 'Begin', begin);
  try {
    const result = await work();
    await call(connection, 'ModelFiles', 'End', { failure: '' });
    return result;
  } catch (error) {
    // The connection may be what has failed: its end is the hold's, too.
    const failure = error instanceof Error ? error.message : String(error);
    await call(connection, 'ModelFiles', 'End', { failure }).catch(() => undefined);
    throw error;
  }
}
