import { parseTagOf, userTag } from '../../../wire/tags.ts';
import type { Call } from '../../facade.ts';
import { userOfTag } from '../shared/model-access.ts';

/**
 * Finds a credential; another user's only for a superuser. `id` is the CredentialDoc's. Errors: `unauthorized access`,
 * '' (tag).
 */
export function credentialOfTag(
  call: Call,
  tag: string,
): { id: string; cloud: string; owner: string; name: string } {
  const [cloud, owner, name] = parseTagOf('cloudcred', tag).split('/') as [string, string, string];
  userOfTag(call, userTag(owner));
  return { id: `${cloud}_${owner}_${name}`, cloud, owner, name };
}
