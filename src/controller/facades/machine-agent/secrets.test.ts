/** Tests of what a unit may do with secrets, and of what a hook leaves. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { limits } from '../../../core/limits.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';
import { secretWorld, type SecretWorld } from '../../../testing/secret-world.ts';
import { removeApplicationIfUnreferenced } from '../../transactions/end/remove-application.ts';
import { removeUnit } from '../../transactions/end/remove-unit.ts';
import { dropRelation } from '../../transactions/end/remove-application.ts';

let callers: Callers;
let world: SecretWorld;
/** web/0 (leader) and web/1 on machines 0 and 1; db/0 on machine 2, related to web by relation 0. */
beforeEach(async () => {
  callers = await createCallers();
  world = await secretWorld(callers);
});
afterEach(() => callers[Symbol.asyncDispose]());

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const content = (text: string): { password: string } => ({ password: base64(text) });

describe('a charm’s secret', () => {
  test('a charm’s secret is read by its application, and by others from the grant on; a new revision is tracked by refresh only', async () => {
    const { add, hook, read, own } = world;
    const id = await add('web/0', {
      label: 'pw',
      description: 'd',
      rotate: 'daily',
      content: content('one'),
    });
    expect(await own('web/0', { id })).toEqual([
      {
        id,
        revision: 1,
        label: 'pw',
        description: 'd',
        owner: 'application',
        rotate: 'daily',
        rotates: '2026-01-02T00:00:00.000Z',
        access: [],
      },
    ]);
    expect(await read('web/1', { label: 'pw' })).toMatchObject({ id, revision: 1, content: content('one') });
    await expect(read('db/0', { id })).rejects.toMatchObject({ code: 'unauthorized access' });

    await hook('web/0', {
      grant: [{ id, subject: { kind: 'application', id: 'db' }, relation: world.relation }],
    });
    expect((await own('web/0', { id }))[0]?.access).toEqual([
      { target: 'application-db', scope: 'relation-web.db#db.server', role: 'view' },
    ]);
    expect(await read('db/0', { id, label: 'theirs' })).toMatchObject({ revision: 1 });
    await hook('web/0', { update: [{ id, content: content('two') }] });
    expect(await read('db/0', { label: 'theirs' })).toMatchObject({ revision: 1, content: content('one') });
    expect(await read('db/0', { id, peek: true })).toMatchObject({ revision: 2, content: content('two') });
    expect(await read('db/0', { id })).toMatchObject({ revision: 1 });
    expect(await read('db/0', { id, refresh: true })).toMatchObject({ revision: 2 });
    expect(await read('db/0', { id })).toMatchObject({ revision: 2, content: content('two') });
  });

  test('a revision is obsolete when nobody tracks it any more, and is there until it is removed', async () => {
    const { add, hook, read, revisions } = world;
    const id = await add('web/0', { content: content('one') });
    await read('web/1', { id });
    await hook('web/0', { update: [{ id, content: content('two') }] });
    expect(revisions(id)).toEqual(['1', '2']);
    await read('web/1', { id, refresh: true });
    expect(revisions(id)).toEqual(['1 obsolete', '2']);
    await hook('web/0', { remove: [{ id, revision: 1 }] });
    expect(revisions(id)).toEqual(['2']);
    await hook('web/0', { remove: [{ id, revision: 2 }] });
    expect(callers.view().get('secret', id)).toBeUndefined();
    expect(callers.view().count('secret-consumer')).toBe(0);
    await expect(read('web/1', { id })).rejects.toThrow(`secret "secret:${id}" not found`);
  });

  test('the same content makes no revision, and is not kept twice', async () => {
    const { add, hook, revisions } = world;
    const id = await add('web/0', { content: content('one') });
    await hook('web/0', { update: [{ id, content: content('one'), label: 'x' }] });
    expect(revisions(id)).toEqual(['1']);
    expect(callers.view().get('secret', id)?.label).toBe('x');
    expect(await world.contents.backend('').keys(callers.model)).toHaveLength(1);
  });

  test('a commit that is repeated changes nothing and keeps its content', async () => {
    const { add, read, hook } = world;
    const id = await add('web/0', { content: content('one') });
    const hookId = 'repeated';
    for (let n = 0; n < 2; n++)
      await hook('web/0', { update: [{ id, content: content('two') }] }, { hookId });
    expect(await read('web/0', { id, peek: true })).toMatchObject({ revision: 2, content: content('two') });
  });

  test('a unit’s secrets are managed by the unit alone, an application’s by its leader alone; others read what was granted', async () => {
    const { add, hook } = world;
    const ofUnit = await add('web/1', { owner: 'unit', content: content('one') });
    const ofApplication = await add('web/0', { content: content('one') });
    const denied = { code: 'unauthorized access' };
    for (const unit of ['web/0', 'db/0']) {
      await expect(world.read(unit, { id: ofUnit })).rejects.toMatchObject(denied);
      await expect(hook(unit, { update: [{ id: ofUnit, label: 'x' }] })).rejects.toMatchObject(denied);
      await expect(hook(unit, { remove: [{ id: ofUnit }] })).rejects.toMatchObject(denied);
    }
    const notLeader = { code: 'not leader', message: 'this unit is not the leader' };
    await expect(hook('web/1', { remove: [{ id: ofApplication }] })).rejects.toMatchObject(notLeader);
    await expect(add('web/1', { content: content('x') })).rejects.toMatchObject(notLeader);
    expect(
      await world.contents.backend('').keys(callers.model),
      'what a refused hook brought is erased',
    ).toHaveLength(2);
  });

  test('a label is for one secret, among those of a unit, of its application and those that the unit reads', async () => {
    const { add, read, hook } = world;
    const first = await add('web/0', { label: 'a', content: content('one') });
    const exists = { code: 'already exists', message: 'secret with label "a" already exists' };
    await expect(add('web/0', { label: 'a', content: content('x') })).rejects.toMatchObject(exists);
    await expect(add('web/1', { label: 'a', owner: 'unit', content: content('x') })).rejects.toMatchObject(
      exists,
    );
    const second = await add('web/0', { content: content('two') });
    await hook('web/0', {
      grant: [{ id: second, subject: { kind: 'unit', id: 'db/0' }, relation: world.relation }],
    });
    await read('db/0', { id: second, label: 'b' });
    await expect(add('db/0', { label: 'b', owner: 'unit', content: content('x') })).rejects.toMatchObject({
      code: 'already exists',
    });
    await read('web/1', { id: first, label: 'renamed' });
    expect(callers.view().get('secret', first)?.label, 'a follower renames nothing').toBe('a');
    await read('web/0', { id: first, label: 'renamed' });
    expect(callers.view().get('secret', first)?.label).toBe('renamed');
    await expect(read('web/0', { label: 'zzz' })).rejects.toThrow('consumer label "zzz" not found');
  });

  test('a grant is for one relation, and for either the application or its units', async () => {
    const { add, hook } = world;
    const id = await add('web/0', { content: content('one') });
    const unit = { id, subject: { kind: 'unit' as const, id: 'db/0' }, relation: world.relation };
    const application = { id, subject: { kind: 'application' as const, id: 'db' }, relation: world.relation };
    await hook('web/0', { grant: [unit, unit] });
    await expect(hook('web/0', { grant: [application] })).rejects.toThrow(
      'any unit level grants need to be revoked before granting access to the corresponding application',
    );
    await hook('web/0', { revoke: [unit] });
    await hook('web/0', { grant: [application, unit] });
    expect(callers.view().count('secret-grant')).toBe(1);
    const own = { ...application, subject: { kind: 'application' as const, id: 'web' } };
    await expect(hook('web/0', { grant: [own] })).rejects.toMatchObject({ code: 'unauthorized access' });
  });
});

describe('the end of owners and readers', () => {
  test('a unit takes along its secrets, its grants and what it tracked', async () => {
    const { add, read, hook, revisions } = world;
    const own = await add('web/1', { owner: 'unit', content: content('own') });
    const id = await add('web/0', { content: content('one') });
    await hook('web/0', { grant: [{ id, subject: { kind: 'unit', id: 'db/0' }, relation: world.relation }] });
    await read('db/0', { id });
    await hook('web/0', { update: [{ id, content: content('two') }] });
    await callers.change((tx) => removeUnit(tx, tx.get('unit', 'web/1')!));
    await callers.change((tx) => removeUnit(tx, tx.get('unit', 'db/0')!));
    expect(callers.view().get('secret', own)).toBeUndefined();
    expect(revisions(id)).toEqual(['1 obsolete', '2']);
    expect(callers.view().count('secret-grant')).toBe(0);
  });

  test('a relation takes along its grants, an application all of its secrets', async () => {
    const { add, hook } = world;
    const id = await add('web/0', { content: content('one') });
    await hook('web/0', {
      grant: [{ id, subject: { kind: 'application', id: 'db' }, relation: world.relation }],
    });
    await callers.change((tx) => dropRelation(tx, String(world.relation)));
    expect(callers.view().count('secret-grant')).toBe(0);
    await callers.change((tx) => {
      tx.put('application', 'web', { ...tx.get('application', 'web')!, life: 'dying' });
      for (const unit of tx.find('unit', 'application', 'web')) removeUnit(tx, unit);
      removeApplicationIfUnreferenced(tx, 'web');
    });
    expect(callers.view().get('application', 'web')).toBeUndefined();
    expect(callers.view().count('secret') + callers.view().count('secret-revision')).toBe(0);
  });
});

describe('limits', () => {
  test('a hook changes limits.secretsOfHook secrets at most', async () => {
    const { add, hook } = world;
    const id = await add('web/0', { content: content('one') });
    const track = Array.from({ length: limits.secretsOfHook.max + 1 }, () => id);
    await expect(hook('web/0', { track })).rejects.toMatchObject({ code: 'quota limit exceeded' });
    await hook('web/0', { track: track.slice(1) });
  });

  test.each<[string, (id: string) => Parameters<typeof world.hook>[1]]>([
    [
      'too many secrets',
      (id) => ({
        create: [{ id: '9m4e2mr0ui3e8a215n4g', owner: 'unit', content: content('x') }],
        track: Array.from({ length: limits.secretsOfHook.max }, () => id),
      }),
    ],
    ['an id that is a path', () => ({ update: [{ id: '../../x', content: content('x') }] })],
    ['an id that is no text', () => ({ create: [{ id: '\ud800', owner: 'unit', content: content('x') }] })],
    [
      'a content of another form beside a good one',
      () => ({
        create: [
          { id: '9m4e2mr0ui3e8a215n4g', owner: 'unit', content: content('x') },
          { id: '9m4e2mr0ui3e8a215n5g', owner: 'unit', content: { KEY: '' } },
        ],
      }),
    ],
  ])('a commit with %s is refused before any content is stored', async (_, changes) => {
    const id = await world.add('web/0', { content: content('one') });
    const using = vi.spyOn(world.contents, 'using');
    await expect(world.hook('web/0', changes(id))).rejects.toMatchObject({
      code: expect.stringMatching(/^(quota limit exceeded|not valid)$/) as string,
    });
    expect(using).not.toHaveBeenCalled();
  });

  test('labels and descriptions have a maximum length', async () => {
    const { secretLabel, secretDescription } = limits;
    const long = (max: number): string => 'x'.repeat(max);
    await world.add('web/0', {
      label: long(secretLabel.max),
      description: long(secretDescription.max),
      content: content('one'),
    });
    for (const settings of [
      { label: long(secretLabel.max + 1) },
      { description: long(secretDescription.max + 1) },
    ])
      await expect(world.add('web/0', { ...settings, content: content('x') })).rejects.toMatchObject({
        code: 'quota limit exceeded',
      });
  });

  test('the numbers of secrets, revisions, grants and read secrets are limited', async () => {
    const { secrets, secretRevisions, secretGrants, secretsOfConsumer } = limits;
    const id = await world.add('web/0', { content: content('one') });
    const doc = callers.view().get('secret-revision', `${id}/1`)!;
    await callers.change((tx) => {
      for (let n = 2; n <= secretRevisions.max; n++)
        tx.put('secret-revision', `${id}/${n}`, { ...doc, revision: n });
      tx.put('secret', id, { ...tx.get('secret', id)!, latest: secretRevisions.max });
    });
    await expect(world.hook('web/0', { update: [{ id, content: content('more') }] })).rejects.toThrow(
      `revisions of secret ${id}`,
    );
    await callers.change((tx) => {
      for (let n = 0; n < secretGrants.max; n++) {
        const subject = { kind: 'unit' as const, id: `x/${n}` };
        tx.put('secret-grant', `${id} unit x/${n}`, { secret: id, subject, relation: '0' });
      }
    });
    const subject = { kind: 'application' as const, id: 'db' };
    await expect(world.hook('web/0', { grant: [{ id, subject, relation: world.relation }] })).rejects.toThrow(
      `grants of secret ${id}`,
    );
    await callers.change((tx) => {
      for (let n = 0; n < secretsOfConsumer.max; n++)
        tx.put('secret-consumer', `x${n} web/1`, { secret: `x${n}`, unit: 'web/1', current: 1, label: '' });
    });
    await expect(world.read('web/1', { id })).rejects.toThrow('secrets that are read of unit web/1');
    await callers.change((tx) => {
      const secret = tx.get('secret', id)!;
      for (let n = 1; n < secrets.max; n++) tx.put('secret', `x${n}`, { ...secret, id: `x${n}` });
    });
    await expect(world.add('web/0', { content: content('x') })).rejects.toThrow('secrets of the model');
  });
});

test('an agent reaches no secrets in the name of units on other machines', async () => {
  const as = { as: { kind: 'machine' as const, machine: '2' } };
  const denied = { code: 'unauthorized access' };
  const of = { unit: 'web/0', id: '', label: 'x', peek: false, refresh: false, count: 1 };
  for (const method of ['SecretContent', 'OwnSecrets', 'NewSecretIds'])
    await expect(callers.call('MachineAgent', method, of, as)).rejects.toMatchObject(denied);
});

describe('a hook that has read a secret anew', () => {
  test.each([
    ['was removed', (id: string) => ({ remove: [{ id }] })],
    [
      'was taken from its application',
      (id: string) => ({ revoke: [{ id, subject: { kind: 'application' as const, id: 'db' } }] }),
    ],
  ])('the hook counts all the same when the secret %s meanwhile', async (_, change) => {
    const { add, hook, read } = world;
    const id = await add('web/0', { content: content('one') });
    const subject = { kind: 'application' as const, id: 'db' };
    await hook('web/0', { grant: [{ id, subject, relation: world.relation }] });
    await read('db/0', { id });
    const own = await add('db/0', { content: content('mine') });
    await hook('web/0', change(id));
    await hook('db/0', { track: [id], update: [{ id: own, content: content('new') }] });
    expect(world.revisions(own)).toEqual(['1 obsolete', '2']);
  });
});
