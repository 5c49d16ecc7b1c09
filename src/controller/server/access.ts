/** Access control, evaluated anew for each request, so that a revocation works at once (login.md#access-is-fresh). */
import { accessOf, activeUser as findActive, allows } from '../../core/access/access-of.ts';
import type { LevelOf } from '../../core/access/levels.ts';
import type { Entities } from '../../core/kinds.ts';
import type { UserDoc } from '../../core/user/document.ts';
import { permissionDenied } from '../../core/errors.ts';
import type { Reader } from '../../store/store.ts';
import { machineTag, userTag } from '../../wire/tags.ts';
import type { Anonymous, Caller, Needs } from '../facade.ts';

/** Identity of a logged-in caller; its access is looked up for each request. */
export type Identity =
  | Anonymous
  | {
      readonly kind: 'user';
      readonly name: string;
      /** Time of the user record's creation: the name may be somebody else's later. Absent = whoever has the name. */
      readonly since?: string;
    }
  | {
      readonly kind: 'machine';
      readonly machine: string;
      /** Nonce of the login: it names the instance that the agent runs on. */
      readonly nonce?: string;
    };

/** Name under which other controllers log in. */
export const anonymousName = 'jujuanonymous';

export function tagOf(caller: Identity | Caller): string {
  if (caller.kind === 'anonymous') return userTag(anonymousName);
  return caller.kind === 'user' ? userTag(caller.name) : machineTag(caller.machine);
}

export type ModelAccess = LevelOf<'model'> | '';

/**
 * Returns the caller, if it has the needed access to the model ('' = the controller's own).
 * Errors: `unauthorized access`, "permission denied".
 */
export function authorize(
  reader: Reader<Entities>,
  { identity, model, needs }: { identity: Identity; model: string; needs: Needs },
): Caller {
  if (identity.kind !== 'user') {
    const own = identity.kind === 'machine' ? 'agent' : 'anonymous';
    if (needs !== own && needs !== 'anyone') throw permissionDenied();
    return identity;
  }
  const user = activeUser(reader, identity.name, identity.since);
  if (!user || user.access === '') throw permissionDenied();
  const { name, access: controllerAccess, createdAt: since } = user;
  const caller = { kind: 'user', name, controllerAccess, since } as const;
  const root = reader.in('');
  switch (needs) {
    case 'anyone':
    case 'login':
      return caller;
    case 'superuser':
      if (allows(root, user, { kind: 'controller' }, 'superuser')) return caller;
      throw permissionDenied();
    case 'agent':
    case 'anonymous':
      throw permissionDenied();
    case 'model-read':
    case 'model-write':
    case 'model-admin': {
      const level = needs.slice('model-'.length) as LevelOf<'model'>;
      if (allows(root, user, { kind: 'model', id: modelOf(reader, model) }, level)) return caller;
      throw permissionDenied();
    }
  }
}

/** Whether the user may be connected to the model, or to the controller (''). */
export function mayConnect(
  reader: Reader<Entities>,
  { name, since, model }: { readonly name: string; readonly since?: string; readonly model: string },
): boolean {
  const user = activeUser(reader, name, since);
  if (!user || user.access === '') return false;
  return model === '' || modelAccess(reader, user, model) !== '';
}

/**
 * Returns the user, or undefined when it does not exist, is disabled or was removed; with `since`, also when the record
 * was created at another time: then it is another user of that name.
 */
export function activeUser(reader: Reader<Entities>, name: string, since?: string): UserDoc | undefined {
  const user = findActive(reader.in(''), name);
  return since === undefined || user?.createdAt === since ? user : undefined;
}

/** Access of a user to a model ('' = the controller's own); a superuser is an admin of every model. */
export function modelAccess(reader: Reader<Entities>, user: UserDoc, model: string): ModelAccess {
  return accessOf(reader.in(''), user, { kind: 'model', id: modelOf(reader, model) });
}

function modelOf(reader: Reader<Entities>, model: string): string {
  return model === '' ? (reader.in('').get('controller', 'self')?.modelUuid ?? '') : model;
}
