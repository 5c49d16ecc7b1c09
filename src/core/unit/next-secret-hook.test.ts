import { describe, expect, test } from 'vitest';
import { remote as remoteState, running as runningState } from '../../testing/unit-states.ts';
import { acceptLeadership, finishHook, startHook } from './advance.ts';
import { type LocalState, type SecretHook } from './local-state.ts';
import { nextOperation } from './next-operation.ts';
import { nextSecretHook } from './next-secret-hook.ts';
import type { RemoteSecret, RemoteState } from './remote-state.ts';

const secret = (more: Partial<RemoteSecret> = {}): RemoteSecret => ({
  label: 'pw',
  owner: '',
  tracked: 0,
  latest: 2,
  obsolete: [],
  rotating: '',
  expiring: [],
  ...more,
});
const remote = (secrets: Record<string, RemoteSecret>, more: Partial<RemoteState> = {}): RemoteState =>
  remoteState({ leader: true, secrets: new Map(Object.entries(secrets)), ...more });
const running = runningState({ leader: true });
const due = '2026-01-01T00:00:00.000Z';
const hook = (kind: SecretHook['kind'], revision: number, more: object = {}): SecretHook => ({
  kind,
  secret: 'a',
  label: 'pw',
  revision,
  ...more,
});

describe('nextSecretHook', () => {
  test.each<[what: string, secret: RemoteSecret, local: Partial<LocalState>, hook: SecretHook | undefined]>([
    ['nothing that the unit does not read', secret(), {}, undefined],
    ['nothing new', secret({ tracked: 2 }), {}, undefined],
    ['a revision newer than the tracked one', secret({ tracked: 1 }), {}, hook('secret-changed', 2)],
    ['one that the charm was told of', secret({ tracked: 1 }), { secrets: { a: { known: 2 } } }, undefined],
    [
      'one after that',
      secret({ tracked: 1, latest: 3 }),
      { secrets: { a: { known: 2 } } },
      hook('secret-changed', 3),
    ],
    [
      'obsolete revisions of the unit',
      secret({ owner: 'unit', obsolete: [1] }),
      {},
      hook('secret-remove', 1),
    ],
    [
      'those that the charm was not told of',
      secret({ owner: 'unit', obsolete: [1, 2] }),
      { secrets: { a: { removed: [1] } } },
      hook('secret-remove', 2),
    ],
    ['obsolete ones of others', secret({ obsolete: [1] }), {}, undefined],
    [
      'those of the application',
      secret({ owner: 'application', obsolete: [1] }),
      {},
      hook('secret-remove', 1),
    ],
    ['not for a follower', secret({ owner: 'application', obsolete: [1] }), { leader: false }, undefined],
    ['a rotation', secret({ owner: 'application', rotating: due }), {}, hook('secret-rotate', 2, { due })],
    [
      'one that was done',
      secret({ owner: 'application', rotating: due }),
      { secrets: { a: { rotated: due } } },
      undefined,
    ],
    [
      'what has expired, first',
      secret({ owner: 'unit', rotating: due, tracked: 1, obsolete: [1], expiring: [{ revision: 1, due }] }),
      {},
      hook('secret-expired', 1, { due }),
    ],
    [
      'what was told, not again',
      secret({ owner: 'unit', expiring: [{ revision: 1, due }] }),
      { secrets: { a: { expired: { 1: due } } } },
      undefined,
    ],
  ])('%s', (_, one, local, next) => {
    expect(nextSecretHook({ ...running, ...local }, remote({ a: one }))).toEqual(next);
  });
});

test('the hooks of all secrets run once each, and the unit’s records of secrets are removed when nothing is left to do', () => {
  const busy = {
    owner: 'unit',
    tracked: 1,
    obsolete: [1],
    rotating: due,
    expiring: [{ revision: 1, due }],
  } as const;
  const state = remote({ a: secret(busy), b: secret({ ...busy, label: '' }) });
  let local = running;
  const run: string[] = [];
  for (;;) {
    const next = nextOperation(local, state);
    if (next.kind !== 'run-hook') break;
    const about = next.hook as SecretHook;
    run.push(`${about.kind} ${about.secret}`);
    local = finishHook(startHook(local, about, 'h'), about, state);
  }
  expect(run).toEqual(
    ['expired', 'rotate', 'changed', 'remove'].flatMap((kind) => [`secret-${kind} a`, `secret-${kind} b`]),
  );
  local = finishHook(local, hook('secret-changed', 3), remote({ a: secret({ tracked: 1, latest: 3 }) }));
  expect(local.secrets).toEqual({ a: { known: 3 } });
});

test('a unit that becomes leader again is told again of the secrets of the application', () => {
  const told = { removed: [1], rotated: due, expired: { 1: due } };
  const local = {
    ...running,
    leader: false,
    secrets: { a: told, b: { ...told, known: 2 }, c: told, gone: told },
  };
  const busy = { obsolete: [1], rotating: due, expiring: [{ revision: 1, due }] };
  const state = remote({
    a: secret({ ...busy, owner: 'application' }),
    b: secret({ ...busy, owner: 'application' }),
    c: secret({ ...busy, owner: 'unit' }),
  });
  const leading = acceptLeadership(local, state);
  expect(leading.secrets).toEqual({ b: { known: 2 }, c: told });
  expect(nextSecretHook(leading, state)).toEqual(hook('secret-expired', 1, { due }));
});

test('secret hooks run after charm and leadership changes and before config-changed; a dying unit runs none', () => {
  const secrets = { a: secret({ tracked: 1 }) };
  const next = (more: Partial<RemoteState>) => nextOperation(running, remote(secrets, more)).kind;
  expect(next({ leader: false })).toBe('resign-leadership');
  expect(next({ charmUrl: 'local:web-1' })).toBe('deploy');
  expect(nextOperation(running, remote(secrets, { configHash: 'c2' }))).toMatchObject({
    hook: { kind: 'secret-changed' },
  });
  expect(nextOperation({ ...running, leader: false }, remote(secrets, { life: 'dying' }))).toMatchObject({
    hook: { kind: 'stop' },
  });
});

const failedIn = (kind: SecretHook['kind']): LocalState => ({
  ...running,
  op: { kind: 'hook', step: 'pending', hook: hook(kind, 2), hookId: 'h', failures: 1 },
});

test.each(['secret-remove', 'secret-rotate', 'secret-expired'] as const)(
  'a failed %s that does not concern the owner any more is skipped',
  (kind) => {
    expect(nextOperation(failedIn(kind), remote({}))).toMatchObject({ kind: 'skip-hook' });
    expect(nextOperation(failedIn(kind), remote({ a: secret({ owner: 'unit' }) }))).toEqual({ kind: 'wait' });
  },
);

test('a failed secret-changed hook that has read the new revision is retried as other hooks are', () => {
  const failed = failedIn('secret-changed');
  expect(nextOperation(failed, remote({}))).toEqual({ kind: 'wait' });
  expect(nextOperation(failed, remote({}, { retryDue: true }))).toMatchObject({ kind: 'run-hook' });
  expect(nextOperation(failed, remote({}, { resolved: 'no-hooks' }))).toMatchObject({ kind: 'skip-hook' });
});
