/** Dispatch of requests to the functions of facades (wire.md#announced-facades). */
import { isDeepStrictEqual } from 'node:util';
import { JujuError } from '../../core/errors.ts';
import { hasVersion } from '../../wire/facade-spec.ts';
import type { RequestFrame } from '../../wire/frames.ts';
import type { ConnectionResources } from '../facade.ts';
import { markingTx } from '../transactions/shared/marking-tx.ts';
import { authorize, tagOf, type Identity } from './access.ts';
import type { ServerContext } from './context.ts';
import { guardedStore } from './guarded-store.ts';
import { isServedOn } from './login.ts';
import { refuseBlocked } from './refuse-blocked.ts';
import type { Facade, FacadeMethod } from './registry.ts';

/** Runs the request for a logged-in caller. Errors: those of the method, and Juju's for unknown facades and methods. */
export async function dispatch(
  context: ServerContext,
  {
    frame,
    identity,
    modelUuid,
    host,
    connection,
  }: {
    frame: RequestFrame;
    identity: Identity;
    modelUuid: string;
    host: string;
    connection: ConnectionResources;
  },
): Promise<unknown> {
  const { store, services, facades } = context;
  const facade = facades.get(frame.type);
  if (!facade) throw unknownFacade(frame);
  if (!isServedOn(facade, modelUuid)) {
    const kind = modelUuid === '' ? 'controller' : 'model';
    throw new JujuError('not supported', `facade "${frame.type}" not supported for ${kind} API connection`);
  }
  const found = findMethod(facade, frame);
  const { method, decode } = found;
  if (frame.id !== '' && !facade.takesId) throw new JujuError('not found', 'id not found');
  const access = { model: modelUuid, needs: method.needs };
  const caller = authorize(store.read(), { identity, ...access });
  const params = decode(frame.params);
  const { blockable = 'never' } = method;
  const operation = typeof blockable === 'function' ? blockable(params) : blockable;
  refuseBlocked(store.read(), { model: modelUuid, operation });
  // A request goes on when its connection has ended, and with that its apply.
  const applier = connection.applier.current;
  const result = await method.run(
    {
      caller,
      by: tagOf(caller),
      modelUuid,
      facade: frame.type,
      version: frame.version,
      host,
      id: frame.id,
      store: guardedStore(
        store,
        (reader) => {
          authorize(reader, { identity: caller, ...access });
          refuseBlocked(reader, { model: modelUuid, operation });
        },
        caller.kind === 'user' ? (tx) => markingTx(tx, connection.applier.current ?? applier) : undefined,
      ),
      read: () => store.read().in(modelUuid),
      services,
      passwords: context.passwords,
      offerMacaroons: context.offerMacaroons,
      connection,
    },
    params,
  );
  if (context.onInvalidResult) checkResult(context, found, frame, result);
  return result;
}

/** Error for an unknown facade: `unknown object type "X"`, or with the version. */
export function unknownFacade({ type, version }: RequestFrame): JujuError {
  return new JujuError(
    'not implemented',
    version === 0 ? `unknown object type "${type}"` : `unknown version (${version}) of interface "${type}"`,
  );
}

export function unknownMethod({ type, version, request }: RequestFrame): JujuError {
  const facade = version === 0 ? type : `${type}(${version})`;
  return new JujuError('not implemented', `no such request - method ${facade}.${request} is not implemented`);
}

function findMethod(facade: Facade, frame: RequestFrame): FacadeMethod {
  const methods = facade.versions.get(frame.version);
  if (!methods) throw unknownFacade(frame);
  const found = methods.get(frame.request);
  if (found) return found;
  const { notServed = {} } = facade.spec;
  const refusal = Object.hasOwn(notServed, frame.request) ? notServed[frame.request] : undefined;
  if (!refusal || !hasVersion(refusal, frame.version)) throw unknownMethod(frame);
  throw new JujuError(refusal.code, refusal.message);
}

/** Compares the encoded result with the method's schema in that version: nothing missing, wrong or additional. */
function checkResult(
  context: ServerContext,
  found: FacadeMethod,
  frame: RequestFrame,
  result: unknown,
): void {
  const sent: unknown = JSON.parse(JSON.stringify(result ?? {}));
  const checked = found.result.safeParse(sent);
  const message = !checked.success
    ? checked.error.message
    : isDeepStrictEqual(checked.data, sent)
      ? undefined
      : 'has members that its schema does not name';
  if (message === undefined) return;
  const { type, version, request } = frame;
  context.onInvalidResult?.({ facade: type, version, method: request, message, result: sent });
  throw new Error(`result of ${type}(${version}).${request} is not what wire/ declares: ${message}`);
}
