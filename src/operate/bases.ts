import type { Connection } from '../client/connection.ts';
import { makeBase, type Base } from '../core/base.ts';
import { hasCode } from '../core/errors.ts';
import { call } from '../client/calls.ts';

/**
 * The bases that the model's cloud really has; undefined where the cloud does not say, or an older controller does
 * not ask it.
 */
export async function basesOfCloud(connection: Connection): Promise<readonly Base[] | undefined> {
  try {
    const { known, bases } = await call(connection, 'Provisioning', 'Bases', {});
    return known ? bases.map(({ name, channel }) => makeBase(name, channel)) : undefined;
  } catch (error) {
    if (hasCode(error, 'not implemented')) return undefined;
    throw error;
  }
}
