/** What belonged to a model and not to one of its applications, as far as it can be brought back. */
import { ownValue } from '../../bundle/own.ts';
import type { FilePool, FileSecret, ModelFile } from '../model-file.ts';
import type { LiveModel } from '../plan.ts';
import type { Left, PastModel } from './past-model.ts';

interface Models {
  readonly past: PastModel;
  readonly live: Omit<LiveModel, 'owned'>;
  /** Where it is said what stays other than it was. */
  readonly left: Left[];
}

/** Access as it was. The user who reverts keeps theirs, and so do users who are not who they were. */
export function pastAccess({
  past,
  live,
  user,
  left,
}: Models & { readonly user: string }): ModelFile['access'] {
  const access = { ...past.live.access };
  const own = ownValue(live.access, user);
  if (own !== ownValue(access, user)) {
    left.push({ kind: 'access', name: user, text: `your own access stays ${own ?? 'what it is'}` });
    delete access[user];
  }
  if (own !== undefined) access[user] = own;
  for (const name of past.missingUsers) {
    left.push({ kind: 'access', name, text: `user ${name} of then is no longer there` });
    const level = ownValue(live.access, name);
    if (level !== undefined) access[name] = level;
  }
  return access;
}

/** Pools as they were; those made since stay, as storage may be of them. */
export function pastPools({ past, live, left }: Models): Record<string, FilePool> {
  for (const name of Object.keys(live.storagePools).sort())
    if (!Object.hasOwn(past.live.storagePools, name))
      left.push({ kind: 'storage-pool', name, text: `storage pool ${name}, made since then, stays` });
  return { ...live.storagePools, ...past.live.storagePools };
}

/** Secrets of today with their descriptions and grants of then; those made since stay as they are. */
export function pastSecrets({
  past,
  live,
  applications,
  isReverted,
  isWhole,
  left,
}: Models & {
  /** Applications of the file. */
  readonly applications: object;
  readonly isReverted: (application: string) => boolean;
  /** Whether the model is reverted, and not only applications of it. */
  readonly isWhole: boolean;
}): Record<string, FileSecret> {
  const secrets: Record<string, FileSecret> = {};
  for (const [name, { description, grants }] of Object.entries(live.secrets)) {
    const was = ownValue(past.live.secrets, name);
    if (!was) {
      if (isWhole) left.push({ kind: 'secret', name, text: `secret ${name}, made since then, stays` });
      secrets[name] = { description, grants };
      continue;
    }
    if (isWhole && past.secrets.get(name) === 'gone')
      left.push({
        kind: 'secret',
        name,
        text: `secret ${name} keeps its content: that of then is no longer kept`,
      });
    const again = was.grants.filter((one) => isReverted(one) && Object.hasOwn(applications, one));
    secrets[name] = {
      description: isWhole ? was.description : description,
      grants: [...grants.filter((one) => !isReverted(one)), ...again],
    };
  }
  for (const name of Object.keys(past.live.secrets).sort())
    if (isWhole && !Object.hasOwn(live.secrets, name))
      left.push({
        kind: 'secret',
        name,
        text: `secret ${name} was removed, with its content: add it again with add-secret`,
      });
  return secrets;
}
