import { describe, expect, test } from 'vitest';
import type { UserDoc } from '../user/document.ts';
import {
  accessRefused,
  eventsOfChange,
  loginFailed,
  loginSucceeded,
  securityRecord,
  tokenCreated,
} from './security-events.ts';

const bob: UserDoc = {
  name: 'bob',
  displayName: 'Bob',
  passwordHash: 'the hash',
  access: 'login',
  createdAt: '2026-01-01T10:00:00Z',
  createdBy: 'admin',
  disabled: false,
};
const ofUser = (before: UserDoc | undefined, after: UserDoc | undefined): string[] =>
  eventsOfChange({ kind: 'user', before, after }, 'user-admin').map(({ event }) => event);

test("the record of a security event has the members of Juju's record, without those that are not known", () => {
  const record = securityRecord(
    { event: 'user_created:admin,bob:login', level: 'WARN', description: 'admin has created user bob' },
    { at: '2026-01-01T10:00:00.123Z', notLogged: 0 },
  );
  expect(record).toBe(
    '{"datetime":"2026-01-01T10:00:00Z","appid":"juju.controller","event":"user_created:admin,bob:login",' +
      '"level":"WARN","description":"admin has created user bob"}',
  );
  const full = securityRecord(loginSucceeded('bob', '10.0.0.1'), { at: 'now', notLogged: 3 });
  expect(JSON.parse(full)).toMatchObject({ remote: '10.0.0.1', notLogged: 3 });
});

test.each<[string, UserDoc | undefined, UserDoc | undefined, string[]]>([
  ['added', undefined, bob, ['user_created:admin,bob:login']],
  [
    'added to register',
    undefined,
    { ...bob, passwordHash: '', registrationKey: 'sealed' },
    ['user_created:admin,bob:login', 'authn_token_created:bob,registration'],
  ],
  ['added under the name of a removed one', { ...bob, removed: true }, bob, ['user_created:admin,bob:login']],
  ['removed', bob, { ...bob, access: '', removed: true }, ['user_deleted:admin,bob:login']],
  ['gone', { ...bob, removed: true }, undefined, []],
  ['disabled', bob, { ...bob, disabled: true }, ['user_updated:admin,bob:disabled']],
  ['enabled', { ...bob, disabled: true }, bob, ['user_updated:admin,bob:enabled']],
  ['made a superuser', bob, { ...bob, access: 'superuser' }, ['authz_change:bob,login,superuser']],
  ['without access', bob, { ...bob, access: '' }, ['authz_change:bob,login,none']],
  [
    'given a password',
    bob,
    { ...bob, passwordHash: 'x', passwordSetAt: '2026-01-02' },
    ['authn_password_change:bob'],
  ],
  ['hashed anew, which is no change', bob, { ...bob, passwordHash: 'x' }, []],
  [
    'reset',
    bob,
    { ...bob, passwordHash: '', passwordSetAt: '2026-01-02', registrationKey: 'sealed' },
    ['authn_token_created:bob,registration'],
  ],
])('events of a user who is %s', (_, before, after, events) => {
  expect(ofUser(before, after)).toEqual(events);
});

describe('events of access', () => {
  const of = { user: 'bob', access: 'write' } as const;
  const model = { ...of, model: 'the-uuid' };
  test.each([
    ['a model', { kind: 'access', before: undefined, after: model }, 'none,write', 'to model the-uuid'],
    ['no model more', { kind: 'access', before: model, after: undefined }, 'write,none', 'to model the-uuid'],
    [
      'a cloud',
      {
        kind: 'cloud-access',
        before: undefined,
        after: { user: 'bob', cloud: 'lxd', access: 'admin' },
      },
      'none,admin',
      'to cloud lxd',
    ],
    [
      'an offer',
      {
        kind: 'offer-access',
        before: { user: 'bob', offer: 'o', model: 'm', access: 'read' },
        after: { user: 'bob', offer: 'o', model: 'm', access: 'consume' },
      },
      'read,consume',
      'to offer o',
    ],
    [
      'the controller, of a user of another domain',
      {
        kind: 'external-user',
        before: { user: 'bob', access: 'superuser' },
        after: undefined,
      },
      'superuser,none',
      'to the controller',
    ],
  ] as const)('to %s', (_, change, levels, object) => {
    const [event, ...more] = eventsOfChange(change, 'user-admin');
    expect(more).toEqual([]);
    expect(event).toMatchObject({ event: `authz_change:bob,${levels}`, level: 'WARN' });
    expect(event!.description).toContain(object);
  });

  test('access that stays the same makes no event', () => {
    expect(eventsOfChange({ kind: 'access', before: model, after: { ...model } }, 'user-admin')).toEqual([]);
  });
});

test('switching auditing off makes an event; other changes of its settings make none', () => {
  const doc = (config: Record<string, unknown>) =>
    ({ uuid: 'u', name: 'c', cloud: '', region: '', modelUuid: 'm', config, createdAt: '' }) as const;
  const events = (before: Record<string, unknown>, after: Record<string, unknown>): string[] =>
    eventsOfChange({ kind: 'controller', before: doc(before), after: doc(after) }, 'user-admin').map(
      ({ event }) => event,
    );
  expect(events({}, { 'auditing-enabled': false })).toEqual(['sys_monitor_disabled:admin,audit-log']);
  expect(events({ 'auditing-enabled': false }, { 'auditing-enabled': false })).toEqual([]);
  expect(events({}, { 'audit-log-max-size': '1M' })).toEqual([]);
});

test('text that strangers send cannot look like another part of an event, and is cut', () => {
  const { event } = loginFailed(`user-bob,admin:x\n${'x'.repeat(1_000_000)}`, '10.0.0.1', 'wrong');
  expect(event).toMatch(/^authn_login_fail:bob\?admin\?x\?x+…$/);
  expect(event.length).toBeLessThan(150);
  expect(accessRefused('machine-3', `GET /a,b\n${'x'.repeat(1000)}`, '').event).toMatch(
    /^authz_fail:machine-3,GET \/a\?b\?x+…$/,
  );
  expect(tokenCreated('bob', 'login').event).toBe('authn_token_created:bob,login');
});
