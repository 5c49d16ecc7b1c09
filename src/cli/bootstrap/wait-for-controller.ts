import { hasCode } from '../../core/errors.ts';
import { timeLimit } from '../../kit/clock.ts';
import { userTag } from '../../wire/tags.ts';
import type { CommandContext } from '../context.ts';
import type { BootstrappedController } from './describe.ts';

const timeoutMs = 3 * 60_000;
const retryDelayMs = 250;

/**
 * Resolves when the admin can log in, whatever errors the addresses gave before. Errors: plain Error with the last
 * failure.
 */
export async function waitForController(
  context: CommandContext,
  { addresses, caCert, password }: Pick<BootstrappedController, 'addresses' | 'caCert' | 'password'>,
): Promise<void> {
  const { io } = context;
  const limit = timeLimit(io.clock, timeoutMs, io.signal);
  let lastFailure = 'no answer';
  try {
    for (;;) {
      try {
        const login = { tag: userTag('admin'), password };
        const connection = await io.connect({ addresses, caCert, login, signal: limit.signal });
        return await connection.close();
      } catch (error) {
        if (limit.signal.aborted || !hasCode(error, 'try again')) throw error;
        lastFailure = error.message;
      }
      await io.clock.sleep(retryDelayMs, limit.signal);
    }
  } catch (error) {
    if (io.signal.aborted || !limit.signal.aborted) throw error;
    throw new Error(`the controller does not answer after ${timeoutMs / 1000} s: ${lastFailure}`, {
      cause: error,
    });
  } finally {
    limit.done();
  }
}
