import type { LocalSecret, LocalState, SecretHook } from './local-state.ts';
import type { RemoteSecret, RemoteState } from './remote-state.ts';
import { defined } from '../defined.ts';

/**
 * The next hook about a secret, if one is due (secrets.md#hooks). Those about secrets of the application are the
 * leader's.
 */
export function nextSecretHook(local: LocalState, remote: RemoteState): SecretHook | undefined {
  const leads = local.leader && remote.leader;
  const known = new Map(Object.entries(local.secrets));
  // One walk, not sorted: a unit may have 20,000 secrets, and asks before each hook.
  let first: SecretHook | undefined;
  let rank = inOrder.length - 1;
  for (const [id, secret] of remote.secrets) {
    const owned = secret.owner === 'unit' || (secret.owner === 'application' && leads);
    for (let at = 0; at <= rank; at++) {
      if (at === rank && first && first.secret < id) break;
      const hook = inOrder[at]!(secret, known.get(id) ?? nothing, owned);
      if (!hook) continue;
      first = { ...hook, secret: id, label: secret.label };
      rank = at;
    }
  }
  return first;
}

const nothing: LocalSecret = {};

type Due = (
  secret: RemoteSecret,
  known: LocalSecret,
  owned: boolean,
) => Omit<SecretHook, 'secret' | 'label'> | undefined;

const expired: Due = ({ expiring }, known, owned) => {
  const found = owned ? expiring.find(({ revision, due }) => known.expired?.[revision] !== due) : undefined;
  return found && { kind: 'secret-expired', ...found };
};

const rotate: Due = ({ rotating, latest }, { rotated }, owned) =>
  owned && rotating !== '' && rotated !== rotating
    ? { kind: 'secret-rotate', revision: latest, due: rotating }
    : undefined;

const changed: Due = ({ tracked, latest }, { known = 0 }) =>
  tracked > 0 && latest > Math.max(tracked, known) ? { kind: 'secret-changed', revision: latest } : undefined;

const remove: Due = ({ obsolete }, { removed = [] }, owned) => {
  const revision = owned ? obsolete.find((one) => !removed.includes(one)) : undefined;
  return revision === undefined ? undefined : { kind: 'secret-remove', revision };
};

/** Kinds of hooks in the order in which they run, whichever secret they are about. */
const inOrder: readonly Due[] = [expired, rotate, changed, remove];

/**
 * The charm's knowledge of secrets after a hook: what it knew of secrets with which the unit has nothing to do any more
 * is dropped, so that the state does not grow.
 */
export function secretsAfter(
  local: LocalState['secrets'],
  hook: SecretHook,
  seen: RemoteState['secrets'],
): LocalState['secrets'] {
  const kept: Record<string, LocalSecret> = {};
  for (const [id, known] of Object.entries(local)) {
    const secret = seen.get(id);
    if (secret) kept[id] = stillThere(known, secret);
  }
  const known = kept[hook.secret] ?? {};
  const { revision, due = '' } = hook;
  switch (hook.kind) {
    case 'secret-changed':
      kept[hook.secret] = { ...known, known: revision };
      break;
    case 'secret-remove':
      kept[hook.secret] = { ...known, removed: [...(known.removed ?? []), revision] };
      break;
    case 'secret-rotate':
      kept[hook.secret] = { ...known, rotated: due };
      break;
    case 'secret-expired':
      kept[hook.secret] = { ...known, expired: { ...known.expired, [revision]: due } };
      break;
  }
  return kept;
}

/**
 * The charm's knowledge of secrets when its unit begins to lead: what it was told of the application's secrets in an
 * earlier leadership is dropped, as hooks that ended after that leadership were not recorded (secrets.md#hooks).
 */
export function secretsOfNewLeader(
  local: LocalState['secrets'],
  seen: RemoteState['secrets'],
): LocalState['secrets'] {
  return Object.fromEntries(
    Object.entries(local).flatMap(([id, secret]) => {
      if (seen.get(id)?.owner === 'unit') return [[id, secret]];
      return secret.known === undefined ? [] : [[id, { known: secret.known }]];
    }),
  );
}

function stillThere({ removed, expired, rotated, ...known }: LocalSecret, secret: RemoteSecret): LocalSecret {
  const left = (removed ?? []).filter((revision) => secret.obsolete.includes(revision));
  const due = Object.entries(expired ?? {}).filter(([revision]) =>
    secret.expiring.some((one) => String(one.revision) === revision),
  );
  return {
    ...known,
    ...defined({
      removed: left.length > 0 ? left : undefined,
      expired: due.length > 0 ? Object.fromEntries(due) : undefined,
      rotated: secret.rotating === '' ? undefined : rotated,
    }),
  };
}
