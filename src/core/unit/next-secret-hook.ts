import type { LocalSecret, LocalState, SecretHook } from './local-state.ts';
import type { RemoteSecret, RemoteState } from './remote-state.ts';
import { defined } from '../defined.ts';

/**
 * The next hook about a secret, if one is due (secrets.md#hooks). Those about secrets of the application are the
 * leader's.
 */
export function nextSecretHook(local: LocalState, remote: RemoteState): SecretHook | undefined {
  const ids = Object.keys(remote.secrets).sort();
  for (const due of [expired, rotate, changed, remove])
    for (const id of ids) {
      const secret = remote.secrets[id]!;
      const owned =
        secret.owner === 'unit' || (secret.owner === 'application' && local.leader && remote.leader);
      const hook = due(secret, local.secrets[id] ?? {}, owned);
      if (hook) return { ...hook, secret: id, label: secret.label };
    }
  return undefined;
}

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

/**
 * What the charm knows of secrets after a hook: it is forgotten of secrets with which the unit has nothing to do any
 * more, so that it does not grow.
 */
export function secretsAfter(
  local: LocalState['secrets'],
  hook: SecretHook,
  seen: RemoteState['secrets'],
): LocalState['secrets'] {
  const kept: Record<string, LocalSecret> = {};
  for (const [id, known] of Object.entries(local)) {
    const secret = seen[id];
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
