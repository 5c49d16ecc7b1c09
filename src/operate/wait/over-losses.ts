/** Waiting that goes on when the connection is lost: the work that is waited for goes on in the controller. */
import type { Connection } from '../../client/connection.ts';
import { hasCode, type JujuError } from '../../core/errors.ts';
import type { Clock } from '../../kit/clock.ts';

/** Time in milliseconds for which a controller that does not answer is asked again. */
const unreachableMs = 5 * 60_000;

/** The controller does not answer, for the reason given. */
export interface Unreachable {
  readonly unreachable: string;
}

export interface Reach {
  readonly connection: Connection;
  /** Connects again. Errors: `try again` while the controller does not answer. */
  readonly reopen: () => Promise<Connection>;
}

/**
 * Returns `check` for polls: it opens another connection when that was lost, and returns Unreachable while the
 * controller does not answer. Errors: those of `check`; `giveUp`'s when there has been no answer for 5 minutes.
 */
export function overLosses<S>(
  clock: Clock,
  reach: Reach,
  check: (connection: Connection) => Promise<S | undefined>,
  giveUp: (error: JujuError) => Error,
): () => Promise<S | Unreachable | undefined> {
  let connection: Connection | undefined = reach.connection;
  let lostAt: number | undefined;
  return async () => {
    try {
      connection ??= await reach.reopen();
      const state = await check(connection);
      lostAt = undefined;
      return state;
    } catch (error) {
      if (!hasCode(error, 'try again')) throw error;
      // The connection may be open in spite of this error, and nobody else closes one that was opened here.
      void connection?.close().catch(() => undefined);
      connection = undefined;
      lostAt ??= clock.now();
      if (clock.now() - lostAt >= unreachableMs) throw giveUp(error);
      return { unreachable: error.message };
    }
  };
}
