import type { Entities } from '../../core/kinds.ts';
import type { Reader, Store } from '../../store/store.ts';
import type { Tx } from '../transactions/tx.ts';

/**
 * The store for one request: each of its changes begins with `check`, on the state that the change is made of. Access
 * that the caller had when the request came in may have been revoked since (login.md#access-is-fresh), or the change be
 * stopped by a block (blocks.md#one-place). `as`: the view of its transactions that the request gets.
 */
export function guardedStore(
  store: Store<Entities>,
  check: (reader: Reader<Entities>) => void,
  as: (tx: Tx) => Tx = (tx) => tx,
): Store<Entities> {
  const change: Store<Entities>['change'] = (fn, by) =>
    store.change((tx) => {
      check(tx);
      return fn(as(tx));
    }, by);
  return new Proxy(store, {
    get(target, member) {
      if (member === 'change') return change;
      const found: unknown = Reflect.get(target, member, target);
      return typeof found === 'function' ? (found.bind(target) as unknown) : found;
    },
  });
}
