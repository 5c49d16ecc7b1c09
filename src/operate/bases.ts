import type { Connection } from '../client/connection.ts';
import { makeBase, type Base } from '../core/base.ts';
import { hasCode } from '../core/errors.ts';
import { call } from '../client/calls.ts';

/**
 * Returns the bases that the model's cloud offers. Undefined when the cloud does not list them, or when the controller
 * is too old to ask the cloud.
 */
export async function basesOfCloud(connection: Connection): Promise<readonly Base[] | undefined> {
  try {
    const { known: areKnown, bases } = await call(connection, 'Provisioning', 'Bases', {});
    return areKnown ? bases.map(({ name, channel }) => makeBase(name, channel)) : undefined;
  } catch (error) {
    if (hasCode(error, 'not implemented')) return undefined;
    throw error;
  }
}
