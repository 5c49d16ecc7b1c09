/** Answers about models that have gone to another controller (migration.md#redirect). */
import { JujuError, permissionDenied } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import type { MigrationDoc } from '../../core/migration/document.ts';
import { isMoved } from '../../core/migration/phases.ts';
import { userId } from '../../core/user/document.ts';
import type { Reader } from '../../store/store.ts';
import { controllerTag } from '../../wire/tags.ts';
import { activeUser, type Identity } from './access.ts';
import type { ServerContext } from './context.ts';
import { flatHostPort } from './flat-host-port.ts';

/** The migration by which a model has left; undefined for a model that is here, or never was. */
export function movedOf(reader: Reader<Entities>, model: string): MigrationDoc | undefined {
  const migration = model === '' ? undefined : reader.in('').get('migration', model);
  return isMoved(migration) ? migration : undefined;
}

/** The error that sends a client to the controller that has the model, with all that it needs to get there. */
export function redirection({ target }: MigrationDoc): JujuError {
  return new JujuError('redirection required', 'redirection required', {
    info: {
      servers: [target.addresses.map(flatHostPort)],
      'ca-cert': target.caCert,
      'controller-tag': controllerTag(target.uuid),
      'controller-alias': target.alias,
    },
  });
}

/** What Admin.RedirectInfo answers after such an error. */
export function redirectInfo({ info = {} }: JujuError): Record<string, unknown> {
  return { servers: info['servers'], 'ca-cert': info['ca-cert'] };
}

/**
 * Refuses a user who could not see the model when it was here: nobody else is told where it is. Errors: `unauthorized
 * access`.
 */
export function refuseStrangers(
  { store }: Pick<ServerContext, 'store'>,
  { moved }: MigrationDoc,
  identity: Identity,
): void {
  if (identity.kind !== 'user') return;
  const user = activeUser(store.read(), identity.name, identity.since);
  const hadAccess = moved?.users.some((one) => userId(one) === userId(identity.name));
  if (!user || !(hadAccess || user.access === 'superuser')) throw permissionDenied();
}

/** Whether the model is on its way here: perhaps for the second time, after it has left. */
export function isArriving(reader: Reader<Entities>, model: string): boolean {
  return model !== '' && reader.in('').get('arrival', model)?.parts !== undefined;
}

/**
 * Calls back, once, when the model has left, or is given up on its way here; at once when it has left already. Returns
 * a function that ends this.
 */
export function onMoved(
  { store, services }: Pick<ServerContext, 'services' | 'store'>,
  model: string,
  callback: () => void,
): () => void {
  const isTrial = isArriving(store.read(), model);
  const check = (): void => {
    const reader = store.read();
    if (isArriving(reader, model)) return;
    const isGivenUp = isTrial && !reader.in('').get('model', model);
    if (!isGivenUp && !movedOf(reader, model)) return;
    end();
    callback();
  };
  const ends = ([`migration ${model}`, `arrival ${model}`] as const).map((topic) =>
    services.dispatch.on('', topic, check),
  );
  const end = (): void => ends.forEach((one) => one());
  check();
  return end;
}
