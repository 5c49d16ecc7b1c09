/** Next operation in a relation, and of a dying unit. */
import { describe, expect, test } from 'vitest';
import { newLocalState, type LocalRelation, type LocalState } from './local-state.ts';
import { nextOperation } from './next-operation.ts';
import type { RemoteRelation, RemoteState } from './remote-state.ts';
import {
  remote,
  running,
  db,
  ring,
  joined,
  run,
  dbHook,
  wait,
  beside,
  type Case,
} from '../../testing/unit-states.ts';

describe('nextOperation in a relation', () => {
  const mine = (relation: Partial<LocalRelation>): LocalState =>
    running({ relations: { 7: joined(relation) } });
  const theirs = (relation: Partial<RemoteRelation>, more: Partial<RemoteState> = {}): RemoteState =>
    remote({ relations: { 7: db(relation) }, ...more });
  test.each<Case>([
    {
      name: 'relation-changed follows relation-joined before all other hooks of the relation',
      local: mine({ members: { 'mysql/1': 3, 'mysql/2': 1 }, changedPending: 'mysql/1' }),
      remote: theirs({ members: { 'mysql/1': 4, 'mysql/3': 1 }, apps: { mysql: 2 } }),
      next: dbHook('changed', { remoteUnit: 'mysql/1', version: 4 }),
    },
    {
      name: 'relation-changed follows relation-joined even when the remote unit is gone',
      local: mine({ members: { 'mysql/1': 3 }, changedPending: 'mysql/1' }),
      remote: theirs({}),
      next: dbHook('changed', { remoteUnit: 'mysql/1', version: 3 }),
    },
    {
      name: 'a unit that is gone departs before others join',
      local: mine({ members: { 'mysql/10': 1, 'mysql/9': 1 } }),
      remote: theirs({ members: { 'mysql/11': 1 }, apps: { mysql: 1 } }),
      next: dbHook('departed', { remoteUnit: 'mysql/9', departingUnit: 'mysql/9' }),
    },
    {
      name: 'application data is reported before units join',
      local: mine({}),
      remote: theirs({ members: { 'mysql/0': 1 }, apps: { mysql: 1 } }),
      next: dbHook('changed', { version: 1 }),
    },
    {
      name: 'an application databag that was never written is not reported',
      local: mine({}),
      remote: theirs({ apps: { mysql: 0 } }),
      next: wait,
    },
    {
      name: 'units join in order of their number',
      local: mine({}),
      remote: theirs({ members: { 'mysql/10': 1, 'mysql/9': 2 } }),
      next: dbHook('joined', { remoteUnit: 'mysql/9', version: 2 }),
    },
    {
      name: 'a new version of a databag causes relation-changed',
      local: mine({ members: { 'mysql/0': 1 } }),
      remote: theirs({ members: { 'mysql/0': 2 } }),
      next: dbHook('changed', { remoteUnit: 'mysql/0', version: 2 }),
    },
    {
      name: 'a dying relation is announced to its other side first',
      local: mine({ members: { 'mysql/0': 1 } }),
      remote: theirs({ life: 'dying', members: { 'mysql/0': 1 } }),
      next: { kind: 'prepare-leave-scope', relation: 7 },
    },
    {
      name: 'a dying relation sees its units depart',
      local: mine({ leaving: true, members: { 'mysql/0': 1 } }),
      remote: theirs({ life: 'dying', members: { 'mysql/0': 1 } }),
      next: dbHook('departed', { remoteUnit: 'mysql/0', departingUnit: 'mysql/0' }),
    },
    {
      name: 'a dying relation that was entered without being remembered is left without hooks',
      local: running(),
      remote: theirs({ life: 'dying', inScope: true }),
      next: { kind: 'leave-scope', relation: 7 },
    },
    {
      name: 'a suspended relation that was entered without being remembered is left without hooks',
      local: running(),
      remote: theirs({ suspended: true, inScope: true }),
      next: { kind: 'leave-scope', relation: 7 },
    },
    {
      name: 'a relation that was entered without being remembered does not hold a dying unit',
      local: running({ stopped: true, started: false, removed: true }),
      remote: theirs({ inScope: true }, { life: 'dying' }),
      next: { kind: 'leave-scope', relation: 7 },
    },
    {
      name: 'a dying relation breaks after its units departed',
      local: mine({ leaving: true }),
      remote: theirs({ life: 'dying' }),
      next: dbHook('broken'),
    },
    {
      name: 'a suspended relation breaks as well',
      local: mine({ leaving: true }),
      remote: theirs({ suspended: true }),
      next: dbHook('broken'),
    },
    {
      name: 'a relation that is resumed after relation-broken is left first',
      local: mine({ leaving: true, broken: true }),
      remote: theirs({ apps: { mysql: 7 } }),
      next: { kind: 'leave-scope', relation: 7 },
    },
    {
      name: 'a relation that is resumed while the unit leaves it is left to the end',
      local: mine({ leaving: true, members: { 'mysql/0': 1 } }),
      remote: theirs({ members: { 'mysql/0': 1 } }),
      next: dbHook('departed', { remoteUnit: 'mysql/0', departingUnit: 'mysql/0' }),
    },
    {
      name: 'so is one that the unit does not remember to be leaving',
      local: mine({ members: { 'mysql/0': 1 } }),
      remote: theirs({ inScope: true, departing: true, members: { 'mysql/0': 1 } }),
      next: { kind: 'prepare-leave-scope', relation: 7 },
    },
    {
      name: 'one that was never remembered is left before it is entered again',
      local: running(),
      remote: theirs({ inScope: true, departing: true }),
      next: { kind: 'leave-scope', relation: 7 },
    },
    {
      name: 'a broken relation is left',
      local: mine({ leaving: true, broken: true }),
      remote: theirs({ life: 'dying' }),
      next: { kind: 'leave-scope', relation: 7 },
    },
    {
      name: 'a relation whose creation the charm never saw is left without hooks',
      local: mine({ leaving: true, created: false }),
      remote: theirs({ life: 'dying' }),
      next: { kind: 'leave-scope', relation: 7 },
    },
    {
      name: 'a relation removed by force departs',
      local: mine({ leaving: true, members: { 'mysql/0': 1 } }),
      remote: remote(),
      next: dbHook('departed', { remoteUnit: 'mysql/0', departingUnit: 'mysql/0' }),
    },
    {
      name: 'a relation removed by force breaks',
      local: mine({ leaving: true }),
      remote: remote(),
      next: dbHook('broken', { remoteApplication: '' }),
    },
    {
      name: 'a relation removed by force from a dying unit is left',
      local: mine({ leaving: true }),
      remote: remote({ life: 'dying' }),
      next: { kind: 'leave-scope', relation: 7 },
    },
    {
      name: 'a relation removed by force is left after it broke',
      local: mine({ leaving: true, broken: true }),
      remote: remote(),
      next: { kind: 'leave-scope', relation: 7 },
    },
    {
      name: 'a dying relation without local state is ignored',
      local: running(),
      remote: theirs({ life: 'dying', members: { 'mysql/0': 1 } }),
      next: wait,
    },
  ])('$name', ({ local, remote: now, next }) => expect(nextOperation(local, now)).toEqual(next));
});

describe('nextOperation of a dying unit', () => {
  const dying = (more: Partial<RemoteState> = {}): RemoteState => remote({ life: 'dying', ...more });
  test.each<Case>([
    {
      name: 'a dying unit’s subordinates are destroyed with it',
      local: running(),
      remote: dying({ subordinates: [{ name: 'log/0', life: 'alive' }] }),
      next: { kind: 'destroy-subordinates' },
    },
    {
      name: 'a dying leader resigns',
      local: running({ leader: true }),
      remote: dying({ leader: true }),
      next: { kind: 'resign-leadership' },
    },
    {
      name: 'a dying unit leaves other relations before those among peers',
      local: running({
        relations: {
          5: joined({ endpoint: 'ring', leaving: true, members: { 'web/1': 1 } }),
          7: joined({ leaving: true, members: { 'mysql/0': 1 } }),
        },
      }),
      remote: dying({
        relations: { 5: ring({ members: { 'web/1': 1 } }), 7: db({ members: { 'mysql/0': 1 } }) },
      }),
      next: dbHook('departed', { remoteUnit: 'mysql/0', departingUnit: 'web/0' }),
    },
    {
      name: 'a dying unit’s peers depart last',
      local: running({
        relations: { 5: joined({ endpoint: 'ring', leaving: true, members: { 'web/1': 1 } }) },
      }),
      remote: dying({ relations: { 5: ring({ members: { 'web/1': 1 } }) } }),
      next: run({
        kind: 'relation-departed',
        relation: 5,
        endpoint: 'ring',
        remoteApplication: 'web',
        remoteUnit: 'web/1',
        departingUnit: 'web/0',
      }),
    },
    {
      name: 'a dying unit’s peer relations never break',
      local: running({ relations: { 5: joined({ endpoint: 'ring', leaving: true }) } }),
      remote: dying({ relations: { 5: ring() } }),
      next: { kind: 'leave-scope', relation: 5 },
    },
    {
      name: 'a dying unit waits for its subordinates to be removed before it stops',
      local: running(),
      remote: dying({ impediments: [beside], subordinates: [{ name: 'log/0', life: 'dead' }] }),
      next: wait,
    },
    { name: 'then it stops', local: running(), remote: dying(), next: run({ kind: 'stop' }) },
    {
      name: 'a stopped unit runs remove',
      local: running({ started: false, stopped: true }),
      remote: dying(),
      next: run({ kind: 'remove' }),
    },
    {
      name: 'a removed unit waits until the controller has taken it out of its scopes',
      local: running({ started: false, stopped: true, removed: true }),
      remote: dying({ impediments: [{ kind: 'scope', text: 'unit "web/0" is in the scope of a relation' }] }),
      next: wait,
    },
    {
      name: 'a removed unit without scopes is dead',
      local: running({ started: false, stopped: true, removed: true }),
      remote: dying(),
      next: { kind: 'dead' },
    },
    {
      name: 'a dying unit that was never installed needs no hooks',
      local: newLocalState,
      remote: dying(),
      next: { kind: 'dead' },
    },
    {
      name: 'a dying unit does not begin install',
      local: { ...newLocalState, op: { kind: 'hook', step: 'queued', hook: { kind: 'install' } } },
      remote: dying(),
      next: { kind: 'forget' },
    },
    {
      name: 'a dead unit’s agent ends',
      local: running(),
      remote: remote({ life: 'dead' }),
      next: { kind: 'terminate' },
    },
  ])('$name', ({ local, remote: now, next }) => expect(nextOperation(local, now)).toEqual(next));
});
