import type { CopiedDocument } from '../core/forecast/forecast.ts';
import type { Entities } from '../core/kinds.ts';
import type { UserDoc } from '../core/user/document.ts';
import type { Store, Transactor } from '../store/store.ts';

/** Documents that are put in one change. */
const putAtOnce = 500;

/** Stores a copied model and the user of its forecast. `passwordHash`: of the password that its agents know. */
export async function putCopy(
  store: Pick<Store<Entities>, 'change'>,
  {
    documents,
    user,
    passwordHash,
  }: {
    readonly documents: readonly CopiedDocument[];
    readonly user: UserDoc;
    readonly passwordHash: string;
  },
): Promise<void> {
  await store.change((tx) => tx.put('user', user.name, user), 'forecast');
  for (let first = 0; first < documents.length; first += putAtOnce)
    await store.change((tx) => {
      for (const document of documents.slice(first, first + putAtOnce)) putOne(tx, document, passwordHash);
    }, 'forecast');
}

function putOne(
  tx: Transactor<Entities>,
  { space, kind, id, doc }: CopiedDocument,
  passwordHash: string,
): void {
  // No start of the instance that it has may give its agent another password.
  const known = kind === 'machine' && 'instance' in doc ? { ...doc, passwordHash, ownPassword: true } : doc;
  tx.in(space).put(kind, id, structuredClone(known) as Entities[typeof kind]);
}
