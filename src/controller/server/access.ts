/** Access control, evaluated anew for each request, so that a revocation works at once (login.md#access-is-fresh). */
import { accessId, type AccessDoc } from '../../core/access/document.ts';
import type { Entities } from '../../core/kinds.ts';
import type { UserDoc } from '../../core/user/document.ts';
import { permissionDenied } from '../../core/errors.ts';
import type { Reader } from '../../store/store.ts';
import { machineTag, userTag } from '../../wire/tags.ts';
import type { Caller, Needs } from '../facade.ts';

/** Identity of a logged-in caller; its access is looked up for each request. */
export type Identity =
  | { readonly kind: 'user'; readonly name: string }
  | {
      readonly kind: 'machine';
      readonly machine: string;
      /** Nonce of the login: it names the instance that the agent runs on. */
      readonly nonce?: string;
    };

export function tagOf(caller: Identity | Caller): string {
  return caller.kind === 'user' ? userTag(caller.name) : machineTag(caller.machine);
}

export type ModelAccess = AccessDoc['access'] | '';

/**
 * Returns the caller, if it has the needed access to the model ('' = the controller's own).
 * Errors: `unauthorized access`, "permission denied".
 */
export function authorize(
  reader: Reader<Entities>,
  { identity, model, needs }: { identity: Identity; model: string; needs: Needs },
): Caller {
  if (identity.kind === 'machine') {
    if (needs !== 'agent' && needs !== 'anyone') throw permissionDenied();
    return identity;
  }
  const user = activeUser(reader, identity.name);
  if (!user) throw permissionDenied();
  const caller = { kind: 'user', name: user.name, controllerAccess: user.access } as const;
  switch (needs) {
    case 'anyone':
    case 'login':
      return caller;
    case 'superuser':
      if (user.access === 'superuser') return caller;
      throw permissionDenied();
    case 'agent':
      throw permissionDenied();
    case 'model-read':
    case 'model-write':
    case 'model-admin': {
      const requiredAccess = needs.slice('model-'.length) as AccessDoc['access'];
      if (rank[modelAccess(reader, user, model)] >= rank[requiredAccess]) return caller;
      throw permissionDenied();
    }
  }
}

/** Returns the user, or undefined when it does not exist or is disabled. */
export function activeUser(reader: Reader<Entities>, name: string): UserDoc | undefined {
  const user = reader.in('').get('user', name);
  return user && !user.disabled ? user : undefined;
}

/** Access of a user to a model; a superuser is an admin of every model. */
export function modelAccess(reader: Reader<Entities>, user: UserDoc, model: string): ModelAccess {
  if (user.access === 'superuser') return 'admin';
  const controller = reader.in('');
  const uuid = model === '' ? (controller.get('controller', 'self')?.modelUuid ?? '') : model;
  return controller.get('access', accessId({ user: user.name, model: uuid }))?.access ?? '';
}

const rank: Readonly<Record<ModelAccess, number>> = { '': 0, read: 1, write: 2, admin: 3 };
