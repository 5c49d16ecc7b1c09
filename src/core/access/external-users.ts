import { limits } from '../limits.ts';
import type { Quota } from '../quota.ts';
import { isExternal } from '../user/document.ts';

/**
 * The index of access entries of users of other domains by their object, and the limit on their number: these users
 * have no records whose number is limited.
 */
export function externalUsersOf<D extends { readonly user: string }>(
  object: (doc: D) => string,
  whose: (doc: D) => string,
): { readonly index: (doc: D) => string | undefined; readonly quota: Quota<D> } {
  const index = (doc: D): string | undefined => (isExternal(doc.user) ? object(doc) : undefined);
  return {
    index,
    quota: { counts: [{ limit: limits.externalUsers, index: 'external', value: index, whose }] },
  };
}
