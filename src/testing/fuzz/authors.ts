/** Second statement of access: who may have made a change, by the author of each commit and its changes. */
import { isDeepStrictEqual } from 'node:util';
import { controllerSpace, type Entities } from '../../core/kinds.ts';
import { userId } from '../../core/user/document.ts';
import type { Commit, Reader } from '../../store/store.ts';

type Changed = Commit<Entities>['changes'][number];

/** Documents of the controller's space that are about users, each with the user that it is about. */
const ownerOf: { readonly [kind: string]: ((doc: never) => string) | undefined } = {
  user: ({ name }: Entities['user']) => name,
  'last-login': ({ user }: Entities['last-login']) => user,
  credential: ({ owner }: Entities['credential']) => owner,
};

/**
 * Watches the changes of users who are no superusers. Returns a sentence for each change that its author may not make;
 * `levels` are their levels for each model, as the test has given them ('' = none).
 */
export function wrongChanges(
  { by, changes }: Pick<Commit<Entities>, 'by' | 'changes'>,
  reader: Reader<Entities>,
  levels: ReadonlyMap<string, (model: string) => string>,
): string[] {
  const name = by.startsWith('user-') ? by.slice('user-'.length) : '';
  const level = levels.get(name);
  if (!level) return [];
  const root = reader.in(controllerSpace);
  const owns = (model: string): boolean => root.get('model', model)?.owner === name;
  const mayAdmin = (model: string): boolean => level(model) === 'admin' || owns(model);
  const mayWrite = (model: string): boolean => level(model) === 'write' || mayAdmin(model);
  /** Whether a credential was told to be invalid, by an administrator of a model that uses it. */
  const isInvalidated = ({ kind, id, before, after }: Changed): boolean => {
    if (kind !== 'credential' || !before || !after) return false;
    const { invalidReason } = after as Entities['credential'];
    const isAll = isDeepStrictEqual(after, { ...before, revoked: true, invalidReason });
    return (
      isAll && [...root.list('model')].some(({ uuid, credential }) => credential === id && mayAdmin(uuid))
    );
  };
  const isAllowed = (change: Changed): boolean => {
    const { space, kind, before, after } = change;
    if (space !== controllerSpace) return mayWrite(space);
    if (isInvalidated(change)) return true;
    const doc = (after ?? before) as never;
    const about = ownerOf[kind]?.(doc);
    if (about !== undefined) return userId(about) === name;
    if (kind === 'access') return mayAdmin((doc as Entities['access']).model);
    if (kind === 'offer-access') {
      const { model: of } = doc as Entities['offer-access'];
      // Access to an offer is removed with the offer, and the offer with its application.
      return mayAdmin(of) || (!after && mayWrite(of));
    }
    if (kind === 'model') return mayWrite((doc as Entities['model']).uuid) || before === undefined;
    return false;
  };
  return changes
    .filter((change) => !isAllowed(change))
    .map(({ space, kind, id }) => `user ${name} changed ${kind} ${id}${space && ` of model ${space}`}`);
}
