import { describe, expect, test } from 'vitest';
import type { Impediment } from '../impediments.ts';
import { newLocalState, type Hook, type LocalRelation, type LocalState } from './local-state.ts';
import { mayRunTasks, nextOperation, type Operation } from './next-operation.ts';
import type { RemoteRelation, RemoteState } from './remote-state.ts';

const remote = (more: Partial<RemoteState> = {}): RemoteState => ({
  unit: 'web/0',
  life: 'alive',
  forced: false,
  applicationLife: 'alive',
  principalApplication: '',
  charmUrl: 'local:web-0',
  charmModifiedVersion: 0,
  forceCharm: false,
  configHash: 'c1',
  leader: false,
  leaderSettingsVersion: 0,
  bootId: 'b1',
  resolved: '',
  retryDue: false,
  updateStatusDue: false,
  impediments: [],
  subordinates: [],
  relations: {},
  storage: {},
  secrets: {},
  ...more,
});
/** A unit that runs and has nothing to do. */
const running = (more: Partial<LocalState> = {}): LocalState => ({
  ...newLocalState,
  installed: true,
  started: true,
  charmUrl: 'local:web-0',
  configHash: 'c1',
  bootId: 'b1',
  ...more,
});
const db = (more: Partial<RemoteRelation> = {}): RemoteRelation => ({
  life: 'alive',
  forced: false,
  suspended: false,
  endpoint: 'db',
  peer: false,
  container: false,
  remoteApplication: 'mysql',
  members: {},
  apps: {},
  inScope: false,
  deferred: false,
  ...more,
});
const ring = (more: Partial<RemoteRelation> = {}): RemoteRelation =>
  db({ endpoint: 'ring', peer: true, remoteApplication: 'web', ...more });
const joined = (more: Partial<LocalRelation> = {}): LocalRelation => ({
  endpoint: 'db',
  created: true,
  members: {},
  apps: {},
  changedPending: '',
  leaving: false,
  broken: false,
  ...more,
});
const run = (hook: Hook, clearResolved = false): Operation => ({ kind: 'run-hook', hook, clearResolved });
const dbHook = (
  kind: 'created' | 'joined' | 'changed' | 'departed' | 'broken',
  more: object = {},
): Operation =>
  run({ kind: `relation-${kind}`, relation: 7, endpoint: 'db', remoteApplication: 'mysql', ...more });
const failed = (hook: Hook): LocalState =>
  running({ op: { kind: 'hook', step: 'pending', hook, hookId: 'h', failures: 1 } });
const wait: Operation = { kind: 'wait' };
const beside: Impediment = { kind: 'subordinate', text: 'unit "web/0" has subordinate "log/0"' };
const configChanged: Hook = { kind: 'config-changed' };

interface Case {
  name: string;
  local: LocalState;
  remote: RemoteState;
  next: Operation;
}

describe('nextOperation of a new unit', () => {
  test.each<Case>([
    {
      name: 'a new unit enters peer relations before install',
      local: newLocalState,
      remote: remote({ relations: { 3: db(), 5: ring() } }),
      next: { kind: 'enter-scope', relation: 5 },
    },
    {
      name: 'a new unit deploys its charm after entering peer relations',
      local: newLocalState,
      remote: remote({ relations: { 3: db() } }),
      next: { kind: 'deploy', charmUrl: 'local:web-0', upgrade: false },
    },
    {
      name: 'a deployment under way continues with the current charm',
      local: { ...newLocalState, op: { kind: 'deploy', charmUrl: 'local:web-0', upgrade: false } },
      remote: remote({ charmUrl: 'local:web-1' }),
      next: { kind: 'deploy', charmUrl: 'local:web-1', upgrade: false },
    },
    {
      name: 'a queued install runs',
      local: {
        ...newLocalState,
        charmUrl: 'local:web-0',
        op: { kind: 'hook', step: 'queued', hook: { kind: 'install' } },
      },
      remote: remote(),
      next: run({ kind: 'install' }),
    },
    {
      name: 'a queued install does not run with a charm that was replaced meanwhile',
      local: {
        ...newLocalState,
        charmUrl: 'local:web-0',
        op: { kind: 'hook', step: 'queued', hook: { kind: 'install' } },
      },
      remote: remote({ charmUrl: 'local:web-1' }),
      next: { kind: 'deploy', charmUrl: 'local:web-1', upgrade: false },
    },
    {
      name: 'an installed unit enters the other scopes',
      local: running({ started: false, configHash: '' }),
      remote: remote({ relations: { 7: db() } }),
      next: { kind: 'enter-scope', relation: 7 },
    },
    {
      name: 'an installed unit skips scopes that cannot be entered now',
      local: running(),
      remote: remote({
        relations: { 7: db({ deferred: true }), 8: db({ suspended: true }), 9: db({ life: 'dying' }) },
      }),
      next: wait,
    },
    {
      name: 'relation-created comes before leader-elected',
      local: running({ started: false, configHash: '', relations: { 7: joined({ created: false }) } }),
      remote: remote({ leader: true, relations: { 7: db() } }),
      next: dbHook('created'),
    },
    {
      name: 'leader-elected comes before config-changed',
      local: running({ started: false, configHash: '' }),
      remote: remote({ leader: true }),
      next: { kind: 'accept-leadership' },
    },
    {
      name: 'the first config-changed always runs',
      local: running({ started: false, configHash: '' }),
      remote: remote(),
      next: run(configChanged),
    },
    { name: 'then there is nothing to do', local: running(), remote: remote(), next: wait },
  ])('$name', ({ local, remote: now, next }) => expect(nextOperation(local, now)).toEqual(next));
});

describe('nextOperation of a running unit', () => {
  test.each<Case>([
    {
      name: 'start runs again after a reboot',
      local: running(),
      remote: remote({ bootId: 'b2' }),
      next: run({ kind: 'start' }),
    },
    {
      name: 'a unit that loses leadership resigns',
      local: running({ leader: true }),
      remote: remote(),
      next: { kind: 'resign-leadership' },
    },
    {
      name: 'a unit that is not leader runs leader-settings-changed for new settings',
      local: running(),
      remote: remote({ leaderSettingsVersion: 2 }),
      next: run({ kind: 'leader-settings-changed' }),
    },
    {
      name: 'a leader does not run leader-settings-changed',
      local: running({ leader: true }),
      remote: remote({ leader: true, leaderSettingsVersion: 2 }),
      next: wait,
    },
    {
      name: 'an upgrade comes before config-changed',
      local: running(),
      remote: remote({ charmUrl: 'local:web-1', configHash: 'c2' }),
      next: { kind: 'deploy', charmUrl: 'local:web-1', upgrade: true },
    },
    {
      name: 'a changed resource is an upgrade to the same charm',
      local: running({ charmModifiedVersion: 1 }),
      remote: remote({ charmModifiedVersion: 2, configHash: 'c2' }),
      next: { kind: 'deploy', charmUrl: 'local:web-0', upgrade: true },
    },
    {
      name: 'a unit that saw the changed resource has nothing to do',
      local: running({ charmModifiedVersion: 2 }),
      remote: remote({ charmModifiedVersion: 2 }),
      next: wait,
    },
    {
      name: 'an upgrade comes before the relations of the new charm and before leadership',
      local: running({ relations: { 1: joined({ endpoint: 'ring', created: false }) } }),
      remote: remote({ charmUrl: 'local:web-1', leader: true, relations: { 1: ring({ inScope: true }) } }),
      next: { kind: 'deploy', charmUrl: 'local:web-1', upgrade: true },
    },
    {
      name: 'the same charm is deployed again when the application asks for it',
      local: running(),
      remote: remote({ charmModifiedVersion: 1 }),
      next: { kind: 'deploy', charmUrl: 'local:web-0', upgrade: true },
    },
    {
      name: 'an upgrade that was begun goes on with the charm that is wanted by now',
      local: running({ op: { kind: 'deploy', charmUrl: 'local:web-1', upgrade: true } }),
      remote: remote({ life: 'dying' }),
      next: { kind: 'deploy', charmUrl: 'local:web-0', upgrade: true },
    },
    {
      name: 'a failed deployment that was resolved is tried again without the flag',
      local: running({ op: { kind: 'deploy', charmUrl: 'local:web-1', upgrade: true } }),
      remote: remote({ charmUrl: 'local:web-1', resolved: 'no-hooks' }),
      next: { kind: 'clear-resolved' },
    },
    {
      name: 'a dying unit does not upgrade',
      local: running({ stopped: true, started: false }),
      remote: remote({ life: 'dying', charmUrl: 'local:web-1' }),
      next: run({ kind: 'remove' }),
    },
    {
      name: 'config-changed runs when the configuration changes',
      local: running(),
      remote: remote({ configHash: 'c2' }),
      next: run(configChanged),
    },
    {
      name: 'update-status runs when it is due',
      local: running(),
      remote: remote({ updateStatusDue: true }),
      next: run({ kind: 'update-status' }),
    },
    {
      name: 'every other operation comes before update-status',
      local: running({ relations: { 7: joined() } }),
      remote: remote({ updateStatusDue: true, relations: { 7: db({ members: { 'mysql/0': 1 } }) } }),
      next: dbHook('joined', { remoteUnit: 'mysql/0', version: 1 }),
    },
    {
      name: 'a unit of a dying application destroys itself',
      local: running(),
      remote: remote({ applicationLife: 'dying' }),
      next: { kind: 'destroy-unit' },
    },
    {
      name: 'a subordinate stays while one relation with its principal is alive',
      local: running({ relations: { 7: joined() } }),
      remote: remote({
        principalApplication: 'mysql',
        relations: { 7: db({ container: true }), 8: db({ container: true, life: 'dying' }) },
      }),
      next: wait,
    },
    {
      name: 'a subordinate without an alive relation with its principal destroys itself',
      local: running(),
      remote: remote({
        principalApplication: 'mysql',
        relations: { 8: db({ container: true, life: 'dying' }) },
      }),
      next: { kind: 'destroy-unit' },
    },
    {
      name: 'a `resolved` without an error is cleared',
      local: running(),
      remote: remote({ resolved: 'no-hooks' }),
      next: { kind: 'clear-resolved' },
    },
  ])('$name', ({ local, remote: now, next }) => expect(nextOperation(local, now)).toEqual(next));
});

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

describe('nextOperation after a failed hook', () => {
  const broken: Hook = { kind: 'relation-broken', relation: 7, endpoint: 'db', remoteApplication: 'mysql' };
  test.each<Case>([
    {
      name: 'a failed hook keeps all other hooks from running',
      local: failed(configChanged),
      remote: remote({ configHash: 'c9', leader: true }),
      next: wait,
    },
    {
      name: 'a failed hook runs again when its retry is due',
      local: failed(configChanged),
      remote: remote({ retryDue: true }),
      next: run(configChanged),
    },
    {
      name: 'a failed hook runs again after resolved',
      local: failed(configChanged),
      remote: remote({ resolved: 'retry-hooks' }),
      next: run(configChanged, true),
    },
    {
      name: 'a failed hook is skipped after resolved --no-retry',
      local: failed(configChanged),
      remote: remote({ resolved: 'no-hooks', retryDue: true }),
      next: { kind: 'skip-hook', hook: configChanged, clearResolved: true },
    },
    {
      name: 'another charm waits for the failed hook',
      local: failed(configChanged),
      remote: remote({ charmUrl: 'local:web-1' }),
      next: wait,
    },
    {
      name: 'another charm does not wait for the failed hook when it is forced',
      local: failed(configChanged),
      remote: remote({ charmUrl: 'local:web-1', forceCharm: true, life: 'dying' }),
      next: { kind: 'deploy', charmUrl: 'local:web-1', upgrade: true },
    },
    {
      name: 'a changed resource waits for the failed hook, although its charm was forced',
      local: failed(configChanged),
      remote: remote({ charmModifiedVersion: 1, forceCharm: true }),
      next: wait,
    },
    {
      name: 'a charm whose install has failed is replaced without force',
      local: { ...failed({ kind: 'install' }), installed: false, started: false },
      remote: remote({ charmUrl: 'local:web-1' }),
      next: { kind: 'deploy', charmUrl: 'local:web-1', upgrade: false },
    },
    {
      name: 'a dying unit still waits for its failed hook',
      local: failed(configChanged),
      remote: remote({ life: 'dying' }),
      next: wait,
    },
    {
      name: 'a unit that is removed by force skips its failed hook',
      local: failed(configChanged),
      remote: remote({ life: 'dying', forced: true }),
      next: { kind: 'skip-hook', hook: configChanged, clearResolved: false },
    },
    {
      name: 'a unit that is removed by force skips its failed hook instead of a retry',
      local: failed(configChanged),
      remote: remote({ life: 'dying', forced: true, retryDue: true, resolved: 'retry-hooks' }),
      next: { kind: 'skip-hook', hook: configChanged, clearResolved: true },
    },
    {
      name: 'a unit that is removed by force runs each hook once',
      local: running(),
      remote: remote({ life: 'dying', forced: true }),
      next: run({ kind: 'stop' }),
    },
    {
      name: 'a unit that is alive does not skip its failed hook, whatever goes by force',
      local: failed(configChanged),
      remote: remote({ forced: true }),
      next: wait,
    },
    {
      name: 'a failed hook of a relation that is removed by force is skipped',
      local: failed(broken),
      remote: remote({ relations: { [broken.relation]: db({ life: 'dying', forced: true }) } }),
      next: { kind: 'skip-hook', hook: broken, clearResolved: false },
    },
    {
      name: 'a failed hook of one relation waits while another is removed by force',
      local: failed(broken),
      remote: remote({
        relations: { [broken.relation]: db({ life: 'dying' }), 99: db({ life: 'dying', forced: true }) },
      }),
      next: wait,
    },
    {
      name: 'a failed hook of a relation that is gone is skipped',
      local: failed(broken),
      remote: remote(),
      next: { kind: 'skip-hook', hook: broken, clearResolved: false },
    },
    {
      name: 'a hook whose agent was killed runs again at once',
      local: running({
        op: { kind: 'hook', step: 'pending', hook: configChanged, hookId: 'h', failures: 0 },
      }),
      remote: remote(),
      next: run(configChanged),
    },
  ])('$name', ({ local, remote: now, next }) => expect(nextOperation(local, now)).toEqual(next));
});

describe('mayRunTasks', () => {
  const install: Hook = { kind: 'install' };
  const unit = (more: Partial<LocalState>): LocalState => ({ ...newLocalState, ...more });
  const pending = (failures: number): LocalState['op'] => ({
    kind: 'hook',
    step: 'pending',
    hook: install,
    hookId: 'h',
    failures,
  });
  test.each([
    { name: 'before the charm is there', local: unit({}), may: false },
    {
      name: 'while install waits to be run',
      local: unit({ op: { kind: 'hook', step: 'queued', hook: install } }),
      may: false,
    },
    { name: 'when install was cut short', local: unit({ op: pending(0) }), may: false },
    { name: 'when install has failed', local: unit({ op: pending(1) }), may: true },
    {
      name: 'while another charm is being deployed',
      local: running({ op: { kind: 'deploy', charmUrl: 'local:web-1', upgrade: true } }),
      may: false,
    },
    {
      name: 'between upgrade-charm and config-changed',
      local: running({ op: { kind: 'hook', step: 'queued', hook: { kind: 'config-changed' } } }),
      may: false,
    },
    { name: 'on a unit that runs', local: running(), may: true },
    { name: 'on a unit whose hook has failed', local: running({ op: pending(2) }), may: true },
    { name: 'after remove', local: running({ removed: true }), may: false },
  ])('$name: $may', ({ local, may }) => {
    expect(mayRunTasks(local)).toBe(may);
  });
});
