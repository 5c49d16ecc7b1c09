import type { Call } from '../../facade.ts';
import type { Tx } from '../../transactions/tx.ts';

/** Runs a transaction in the connection's model. */
export function changeModel<T>(call: Call, fn: (tx: Tx) => T): Promise<T> {
  return call.store.change((tx) => fn(tx.in(call.modelUuid)), call.by);
}

/** Runs a transaction in the connection's model without keeping its changes; returns or throws what it would. */
export async function rehearse<T>(call: Call, fn: (tx: Tx) => T): Promise<T> {
  const rehearsal = new Rehearsal<T>();
  try {
    await changeModel(call, (tx) => {
      rehearsal.result = [fn(tx)];
      throw rehearsal;
    });
  } catch (error) {
    if (error !== rehearsal) throw error;
  }
  return rehearsal.result![0];
}

/** Thrown to roll a transaction back. */
class Rehearsal<T> extends Error {
  result: [T] | undefined;
}
