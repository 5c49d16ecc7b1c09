/** Next operation of a unit, new, running or with a failed hook; relations and removal have a file of their own. */
import { describe, expect, test } from 'vitest';
import { newLocalState, type Hook, type LocalState } from './local-state.ts';
import { mayRunTasks, nextOperation } from './next-operation.ts';
import {
  remote,
  running,
  db,
  ring,
  joined,
  run,
  dbHook,
  failed,
  wait,
  configChanged,
  type Case,
} from '../../testing/unit-states.ts';

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
      name: 'install waits for the profile of its charm',
      local: {
        ...newLocalState,
        charmUrl: 'local:web-0',
        op: { kind: 'hook', step: 'queued', hook: { kind: 'install' } },
      },
      remote: remote({ profileAway: true }),
      next: wait,
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
      name: 'upgrade-charm waits for the profile of a charm that came during the upgrade',
      local: running({
        charmUrl: 'local:web-2',
        op: { kind: 'hook', step: 'queued', hook: { kind: 'upgrade-charm' } },
      }),
      remote: remote({ charmUrl: 'local:web-2', profileAway: true }),
      next: wait,
    },
    {
      name: 'a unit whose next charm waits for its profile goes on with its own',
      local: running(),
      remote: remote({ charmUrl: 'local:web-1', profileAway: true, configHash: 'c2' }),
      next: run(configChanged),
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
      name: 'another charm waits for its profile, with force too',
      local: failed(configChanged),
      remote: remote({ charmUrl: 'local:web-1', forceCharm: true, profileAway: true }),
      next: wait,
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
  ])('tasks may be run $name: $may', ({ local, may }) => {
    expect(mayRunTasks(local)).toBe(may);
  });
});
