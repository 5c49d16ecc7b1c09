import { parseTagOf, userTag } from '../../../wire/tags.ts';
import { credentialId, type CredentialDoc } from '../../../core/credential/document.ts';
import { notFound } from '../../../core/errors.ts';
import type { Entities } from '../../../core/kinds.ts';
import type { Reader } from '../../../store/store.ts';
import type { Call } from '../../facade.ts';
import { isSuperuser, userOfTag } from '../shared/model-access.ts';

/**
 * Names a credential; another user's only for a superuser. `id` is the CredentialDoc's. Errors: `unauthorized access`,
 * '' (tag).
 */
export function credentialOfTag(
  call: Call,
  tag: string,
  state: Reader<Entities> = call.read(),
): { id: string; cloud: string; owner: string; name: string } {
  const [cloud, user, name] = parseTagOf('cloudcred', tag).split('/') as [string, string, string];
  const owner = userOfTag(call, userTag(user), state);
  return { id: credentialId({ cloud, owner, name }), cloud, owner, name };
}

/**
 * Finds a credential. A credential that a removed user left is found for superusers only, who may name it: the user's
 * name is somebody else's by now. Errors: as credentialOfTag; `not found`.
 */
export function mustFindCredential(
  call: Call,
  tag: string,
  state: Reader<Entities> = call.read(),
): CredentialDoc {
  const { id, name } = credentialOfTag(call, tag, state);
  const found = state.in('').get('credential', id);
  if (!found || (found.left && !isSuperuser(call, state))) throw notFound('credential', name);
  return found;
}

/** Credentials of the user that has the name now. */
export function credentialsOf(call: Call, owner: string): CredentialDoc[] {
  return [...call.read().in('').find('credential', 'owner', owner)].filter(({ left }) => !left);
}
