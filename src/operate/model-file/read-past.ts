import { call, type ResultOf } from '../../client/calls.ts';
import { isLevel } from '../../core/access/levels.ts';
import { constraintsFromWire } from '../../core/constraints.ts';
import type { PastModel } from '../../core/model-file/revert/past-model.ts';
import { checksumText, type SecretContent } from '../../core/secret/content.ts';
import type { Charm } from '../../wire/facades/charms.ts';
import { bundleOfText } from '../bundle/read-model.ts';
import type { ModelSession } from '../sessions.ts';
import { poolsOf, settingsIn } from './read-live.ts';

/** A moment of the past: a revision, or a time in RFC 3339. */
export type Moment = { readonly revision: number } | { readonly time: string };

interface ReadPast {
  readonly past: PastModel;
  /** The applications' charms then, by URL. */
  readonly charms: ReadonlyMap<string, Charm>;
  /** Contents of users' secrets that they have no longer, by name. */
  readonly contents: Readonly<Record<string, SecretContent>>;
}

/** Reads the model as it was. Errors: those of ModelFiles.Past. */
export async function readPast(session: ModelSession, moment: Moment): Promise<ReadPast> {
  const told = await call(session.connection, 'ModelFiles', 'Past', { ...moment });
  const named = told.secrets.filter(({ label }) => label !== '');
  const { others, same } = await readContents(
    session,
    named.filter(({ content }) => content === 'kept'),
  );
  const past: PastModel = {
    revision: told.revision,
    time: told.time,
    live: {
      bundle: { state: bundleOfText(told.bundle) },
      settings: settingsIn(told.config),
      constraints: constraintsFromWire(told.constraints),
      access: Object.fromEntries(
        told.access.flatMap(({ user, access }) => (isLevel('model', access) ? [[user, access]] : [])),
      ),
      secrets: Object.fromEntries(
        named.map(({ label, description, grants }) => [label, { description, grants }]),
      ),
      storagePools: poolsOf(told['storage-pools']),
    },
    charms: new Map(told.charms.map(({ charm: { url }, archive }) => [url, archive])),
    resources: told.resources,
    secrets: new Map(
      named.map(({ label, content }) => [
        label,
        content !== 'kept' || Object.hasOwn(others, label) ? content : same.has(label) ? 'used' : 'gone',
      ]),
    ),
    addedMachines: told['added-machines'],
    missingUsers: told['missing-users'],
  };
  return { past, charms: new Map(told.charms.map(({ charm }) => [charm.url, charm])), contents: others };
}

type PastSecret = ResultOf<'ModelFiles', 'Past'>['secrets'][number];

/**
 * Contents that older revisions have. `same`: secrets whose newest content is the same; a secret whose backend fails is
 * in neither.
 */
async function readContents(
  { connection }: ModelSession,
  secrets: readonly PastSecret[],
): Promise<{ readonly others: Record<string, SecretContent>; readonly same: ReadonlySet<string> }> {
  const others: Record<string, SecretContent> = {};
  const same = new Set<string>();
  for (const { uri, label, revision } of secrets) {
    const [then, now] = await Promise.all(
      [revision, 0].map(async (one) => {
        const filter = { uri, revision: one };
        const { results } = await call(connection, 'Secrets', 'ListSecrets', {
          'show-secrets': true,
          filter,
        });
        return results[0]?.value?.data;
      }),
    );
    if (then && now && checksumText(then) === checksumText(now)) same.add(label);
    else if (then) others[label] = then;
  }
  return { others, same };
}
