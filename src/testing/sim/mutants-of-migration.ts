/** Bugs in migrations of models between two controllers. */
import type { Mutant } from './mutant.ts';
import { guestToAndFro, offeringLeaves, relatedToAndFro } from './offer-scripts.ts';
import type { Step } from './script.ts';

const by = 'alice';
const model = 0;
const small: readonly Step[] = [
  { atMs: 0, by, model, do: 'deploy', application: 'db', units: 1 },
  { atMs: 0, by, model, do: 'deploy', application: 'web', units: 1 },
  { atMs: 1_000, by, model, do: 'integrate', ends: ['web:db', 'db:server'] },
];
/** Script in which the model goes and comes back, and gets a machine then. */
const toAndFro: readonly Step[] = [
  ...small,
  { atMs: 120_000, by, model, do: 'migrate' },
  { atMs: 150_000, by, model, do: 'migrate' },
  { atMs: 180_000, by, model, do: 'add-unit', application: 'db', units: 1 },
];
/** Script in which the controllers are cut off from each other while disks are slow, at one moment or another. */
const cutWhileSlow: readonly Step[] = [
  ...small,
  ...[0, 1, 2, 3, 4].flatMap((n): Step[] => [
    { atMs: 100_000 + n * 200_000, by, model, do: 'migrate' },
    { atMs: 100_400 + n * 200_000, trouble: 'disk-slow', rate: 1, forMs: 12_000 },
    { atMs: 100_900 + n * 200_000 + n * 700, blow: 'cut-controllers', forMs: 150_000 },
  ]),
];
/** Script in which the model is copied while agents have much to tell. */
const frozenWhileBusy: readonly Step[] = [
  ...small,
  ...Array.from({ length: 8 }, (_, n): Step => ({
    atMs: 115_000 + n * 1_000,
    by: 'bob',
    model,
    do: 'config',
    application: 'db',
    option: 'n',
    value: String(n),
  })),
  { atMs: 118_000, by, model, do: 'migrate' },
  { atMs: 118_300, blow: 'cut-controllers', forMs: 40_000 },
];

const about = 'migration';
/** Hours of scripts with offers. */
const hours = 0.15;

export const mutantsOfMigration: readonly Mutant[] = [
  {
    name: 'a model is given up by its source although the target may have it',
    file: 'controller/workers/migrator.ts',
    find: `doc.asked ? !isLost && (await this.#isAborted(doc, target)) : !isLost || isLong;`,
    replace: `!isLost || isLong;`,
    about,
    hours: 0.3,
    steps: cutWhileSlow,
  },
  {
    name: 'a commit of one document is made although its model is being migrated',
    file: 'core/migration/frozen.ts',
    find: `    if (space !== '') refuseMigrating(peek, space);
    else`,
    replace: `    if (space !== '') {
      if ([...writes()].length > 1) refuseMigrating(peek, space);
    } else`,
    about,
    steps: frozenWhileBusy,
  },
  {
    name: 'agents cannot try a controller that their model has left before',
    file: 'controller/server/login.ts',
    find: `const isTrial = isAgent && isArriving(context.store.read(), modelUuid);`,
    replace: `const isTrial = isAgent && isArriving(context.store.read(), '');`,
    about,
    steps: toAndFro,
  },
  {
    name: 'contents of secrets stay where the model was',
    file: 'controller/migration/send-model.ts',
    find: `  await sendSecrets(needs, of, target);`,
    replace: `  void sendSecrets;`,
    about,
  },
  {
    name: 'access to a model that has left is kept',
    file: 'controller/transactions/change/advance-migration.ts',
    find: `    root.remove('access', accessId(access));`,
    replace: `    void access;`,
    about,
    steps: toAndFro,
  },
  {
    name: 'settings of units in relations do not arrive with their model',
    file: 'controller/transactions/remote/arrivals.ts',
    find: `for (const { kind, id, doc } of documents) space.put(kind, id, doc);`,
    replace: `for (const { kind, id, doc } of documents) if (kind !== 'settings') space.put(kind, id, doc);`,
    about,
    steps: toAndFro,
  },
  {
    name: 'models that consume a migrated one’s offers look for it where it was',
    file: 'controller/workers/migrator.ts',
    find: `    await sendConsumersAfter(this.#needs, doc);`,
    replace: `    void sendConsumersAfter;`,
    about,
    steps: offeringLeaves,
  },
  {
    name: 'a model leaves without the right to the relations that it has consumed',
    file: 'core/remote-application/moved.ts',
    find: `  const macaroon = mint(of.model, of.saas, remote.token);
  return { ...doc, remote: { ...remote, consumed: { ...remote.consumed, macaroon } } };`,
    replace: `  void mint;
  return doc;`,
    about,
    hours,
    steps: relatedToAndFro,
  },
  {
    name: 'macaroons for the offers of a model do not count where it has gone',
    file: 'controller/macaroons/offer-macaroons.ts',
    find: `    if (!consents) return this.#derive(`,
    replace: `    if (!consents || consents) return this.#derive(`,
    about,
    hours,
    steps: relatedToAndFro,
  },
  {
    name: 'a consuming model does not follow an offer to another controller',
    file: 'controller/migration/follow-model.ts',
    find: `  if (!told) return false;`,
    replace: `  if (told || !told) return false;`,
    about,
    hours,
    steps: relatedToAndFro,
  },
  {
    name: 'access to offers does not go with their model',
    file: 'controller/transactions/remote/arrivals.ts',
    find: `  for (const doc of offerAccess) root.put('offer-access', offerAccessId(doc), doc);`,
    replace: `  void offerAccess;`,
    about,
    hours,
    steps: guestToAndFro,
  },
  {
    name: 'access to offers of a model that has left is kept',
    file: 'controller/transactions/change/advance-migration.ts',
    find: `    root.remove('offer-access', offerAccessId(access));`,
    replace: `    void offerAccessId(access);`,
    about,
    hours,
    steps: guestToAndFro,
  },
];
