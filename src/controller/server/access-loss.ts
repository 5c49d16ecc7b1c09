import { accessId } from '../../core/access/document.ts';
import { userId } from '../../core/user/document.ts';
import { mayConnect } from './access.ts';
import type { ServerContext } from './context.ts';

/**
 * Calls back, once, when the user may no longer be connected to the model ('' = the controller): it was disabled or
 * removed, or its last access was revoked (login.md#end-of-sessions). Returns a function that ends this.
 */
export function onAccessLost(
  { store, services }: Pick<ServerContext, 'store' | 'services'>,
  whose: { readonly name: string; readonly since?: string; readonly model: string },
  callback: () => void,
): () => void {
  const { name, model } = whose;
  const check = (): void => {
    if (mayConnect(store.read(), whose)) return;
    end();
    callback();
  };
  const subscriptions = [
    services.dispatch.on('', `user ${userId(name)}`, check),
    ...(model === '' ? [] : [services.dispatch.on('', `access ${accessId({ user: name, model })}`, check)]),
  ];
  const end = (): void => {
    for (const endOne of subscriptions.splice(0)) endOne();
  };
  return end;
}
