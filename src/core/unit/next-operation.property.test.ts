import fc, { runs } from '../../testing/fast-check.ts';
import { expect, test } from 'vitest';
import {
  acceptLeadership,
  enterScope,
  failHook,
  finishDeploy,
  finishHook,
  forget,
  leaveScope,
  prepareLeaveScope,
  resignLeadership,
  startDeploy,
  startHook,
} from './advance.ts';
import { hookName, newLocalState, type Hook, type LocalState } from './local-state.ts';
import { nextOperation } from './next-operation.ts';
import type { RemoteRelation, RemoteState } from './remote-state.ts';
import { defined } from '../defined.ts';

/** Events that may happen to a unit between two of its steps. */
type Event =
  | { kind: 'config' | 'upgrade' | 'leader' | 'leader-settings' | 'reboot' | 'update-status' | 'dying' }
  | { kind: 'attach' | 'detach' }
  | { kind: 'relate' | 'end' | 'suspend' | 'app'; relation: number }
  | { kind: 'member'; relation: number; member: number; there: boolean };
type Turn = { steps: number; crash: boolean; fail: boolean; event: Event | undefined };

const relationId = fc.integer({ min: 1, max: 3 });
const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    kind: fc.constantFrom(
      'config' as const,
      'upgrade',
      'leader',
      'leader-settings',
      'reboot',
      'update-status',
    ),
  }),
  fc.record({ kind: fc.constantFrom('relate' as const, 'end', 'suspend', 'app'), relation: relationId }),
  fc.record({
    kind: fc.constant('member' as const),
    relation: relationId,
    member: fc.integer({ min: 0, max: 3 }),
    there: fc.boolean(),
  }),
);
const turnsWith = (events: fc.Arbitrary<Event>, maxLength: number): fc.Arbitrary<Turn[]> =>
  fc.array(
    fc.record({
      steps: fc.nat(6),
      crash: fc.boolean(),
      fail: fc.boolean(),
      event: fc.option(events, { nil: undefined }),
    }),
    { maxLength },
  );
const turns = turnsWith(event, 40);
const aboutStorage = fc.record({ kind: fc.constantFrom('attach' as const, 'detach', 'upgrade') });

test('hooks keep their order under any events, each commits once, and the removal of the unit ends', () => {
  fc.assert(
    fc.property(turns, (script) => {
      const world = new World();
      for (const turn of script) {
        if (turn.event) world.apply(turn.event);
        for (let step = 0; step < turn.steps; step++) world.step(turn);
      }
      world.settle();
      world.apply({ kind: 'dying' });
      world.settle();
      expect(world.dead).toBe(true);
      expect(world.local.relations).toEqual({});
      expect(new Set(world.commits.map((commit) => commit.hookId)).size).toBe(world.commits.length);
      checkUnitOrder(world.commits.map((commit) => commit.hook));
      for (const id of [1, 2, 3]) checkRelationOrder(world.trace.filter((entry) => entry.relation === id));
    }),
    { numRuns: runs(300) },
  );
});

test('a unit that dies at any moment runs no hook in files of two charms, and detaches no storage without its hook', () => {
  fc.assert(
    fc.property(turnsWith(aboutStorage, 8), (script) => {
      const world = new World();
      for (const turn of script) {
        if (turn.event) world.apply(turn.event);
        for (let step = 0; step < turn.steps; step++) world.step(turn);
      }
      world.apply({ kind: 'dying' });
      world.settle();
      expect(world.dead).toBe(true);
      expect(world.hasStorage).toBe(false);
    }),
    { numRuns: runs(300) },
  );
});

test('a crash after any saved step changes nothing except the time that operations take', () => {
  fc.assert(
    fc.property(turns, (script) => {
      const [calm, stormy] = [new World(), new World()];
      for (const { event: happens } of script) {
        for (const world of [calm, stormy]) {
          if (happens) world.apply(happens);
          world.settle(world === stormy ? { crash: true, fail: true } : undefined);
        }
      }
      expect(stormy.local).toEqual({ ...calm.local });
      expect(stormy.commits.map((commit) => hookName(commit.hook))).toEqual(
        calm.commits.map((commit) => hookName(commit.hook)),
      );
    }),
    { numRuns: runs(200) },
  );
});

/** The agent's executor without its effects: the states that it saves, and the hooks that it commits. */
class World {
  local: LocalState = newLocalState;
  saved = JSON.stringify(newLocalState);
  remote: RemoteState = {
    unit: 'a/0',
    life: 'alive',
    forced: false,
    applicationLife: 'alive',
    principalApplication: '',
    charmUrl: 'local:a-0',
    charmModifiedVersion: 0,
    forceCharm: false,
    profileAway: false,
    configHash: 'c0',
    leader: false,
    leaderSettingsVersion: 0,
    bootId: 'b0',
    resolved: '',
    retryDue: true,
    updateStatusDue: false,
    impediments: [],
    subordinates: [],
    relations: {},
    storage: {},
    secrets: new Map(),
  };
  dead = false;
  /** Whether the charm folder has files of two charms. */
  isMixed = false;
  /** Whether the charm has heard of its storage. */
  hasStorage = false;
  commits: { hook: Hook; hookId: string }[] = [];
  trace: { relation: number; what: string; unit?: string }[] = [];
  #hookIds = 0;
  #counter = 0;

  apply(event: Event): void {
    const next = `${++this.#counter}`;
    switch (event.kind) {
      case 'config':
        return this.#set({ configHash: `c${next}` });
      case 'upgrade':
        return this.#set({ charmUrl: `local:a-${next}` });
      case 'leader':
        return this.#set({ leader: !this.remote.leader });
      case 'leader-settings':
        return this.#set({ leaderSettingsVersion: this.remote.leaderSettingsVersion + 1 });
      case 'reboot':
        return this.#set({ bootId: `b${next}` });
      case 'update-status':
        return this.#set({ updateStatusDue: true });
      case 'dying':
        this.#detach();
        return this.#set({ life: 'dying' });
      case 'attach':
        if (this.remote.storage['data/0']) return;
        return this.#set({ storage: { 'data/0': { name: 'data', life: 'alive', mounted: true } } });
      case 'detach':
        return this.#detach();
      case 'relate':
        // Relation ids are never reused.
        if (this.remote.relations[event.relation]) return;
        return this.#relation(event.relation, {
          life: 'alive',
          forced: false,
          suspended: false,
          endpoint: `e${event.relation}`,
          peer: event.relation === 2,
          container: false,
          remoteApplication: event.relation === 2 ? 'a' : `r${event.relation}`,
          members: {},
          apps: {},
          inScope: false,
          departing: false,
          deferred: false,
        });
      default:
    }
    const relation = this.remote.relations[event.relation];
    if (!relation) return;
    switch (event.kind) {
      case 'end':
        return this.#relation(event.relation, { ...relation, life: 'dying' });
      case 'suspend':
        return this.#relation(event.relation, { ...relation, suspended: !relation.suspended });
      case 'app':
        return this.#relation(event.relation, {
          ...relation,
          apps: { [relation.remoteApplication]: Number(next) },
        });
      case 'member': {
        const unit = `${relation.remoteApplication}/${event.member + 1}`;
        const { [unit]: _gone, ...others } = relation.members;
        const members = event.there ? { ...others, [unit]: Number(next) } : others;
        return this.#relation(event.relation, { ...relation, members });
      }
    }
  }

  settle(trouble?: { crash: boolean; fail: boolean }): void {
    let quiet = 0;
    for (let step = 0; quiet < 1; step++) {
      if (step > 1000)
        throw new Error(`never settles: ${JSON.stringify(nextOperation(this.local, this.remote))}`);
      // Faults end at some time, as otherwise no run would.
      if (!this.step(trouble && step < 200 ? { crash: step % 2 === 0, fail: step % 3 === 0 } : undefined))
        quiet++;
    }
  }

  /** Runs one step; false when there was nothing to do. With `crash` only the step's last save remains. */
  step(trouble: { crash: boolean; fail: boolean } = { crash: false, fail: false }): boolean {
    const op = nextOperation(this.local, this.remote);
    switch (op.kind) {
      case 'wait':
        return false;
      case 'terminate':
        return false;
      case 'dead':
        // The controller would refuse the end of a unit that is in a scope.
        expect(Object.values(this.remote.relations).filter((relation) => relation.inScope)).toEqual([]);
        this.dead = true;
        this.#set({ life: 'dead' });
        return true;
      case 'deploy':
        this.#save(startDeploy(this.local, op.charmUrl, op.upgrade));
        this.isMixed = true;
        if (trouble.crash) break;
        this.isMixed = false;
        this.#save(finishDeploy(this.local, { charmUrl: op.charmUrl, charmModifiedVersion: 0 }, op.upgrade));
        break;
      case 'run-hook': {
        expect(this.isMixed).toBe(false);
        if (op.hook.kind === 'storage-attached') this.hasStorage = true;
        this.#save(startHook(this.local, op.hook, `h${++this.#hookIds}`));
        if (trouble.crash) break;
        if (trouble.fail) {
          this.#save(failHook(this.local));
          break;
        }
        this.#commit(op.hook);
        break;
      }
      case 'skip-hook':
        this.#commit(op.hook);
        break;
      case 'release-storage': {
        expect(this.hasStorage).toBe(false);
        const { [op.storage]: _gone, ...storage } = this.remote.storage;
        this.#set({ storage });
        break;
      }
      case 'forget':
        this.#save(forget(this.local));
        break;
      case 'accept-leadership':
        this.#save(acceptLeadership(this.local, this.remote));
        break;
      case 'resign-leadership':
        this.#save(resignLeadership(this.local, this.remote.leaderSettingsVersion));
        break;
      case 'enter-scope':
        this.#scope(op.relation, { inScope: true });
        if (trouble.crash) break;
        this.trace.push({ relation: op.relation, what: 'enter' });
        this.#save(enterScope(this.local, op.relation, `e${op.relation}`));
        break;
      case 'prepare-leave-scope':
        this.#scope(op.relation, { departing: true });
        if (trouble.crash) break;
        this.#save(prepareLeaveScope(this.local, op.relation));
        break;
      case 'leave-scope':
        this.#scope(op.relation, { inScope: false, departing: false });
        if (trouble.crash) break;
        this.trace.push({ relation: op.relation, what: 'leave' });
        this.#save(leaveScope(this.local, op.relation));
        break;
      case 'clear-resolved':
      case 'destroy-unit':
      case 'destroy-subordinates':
        throw new Error(`${op.kind} was not asked for`);
    }
    this.local = JSON.parse(this.saved) as LocalState;
    return true;
  }

  #commit(hook: Hook): void {
    const { op } = this.local;
    if (op.kind !== 'hook' || op.step !== 'pending') throw new Error('a hook ended that had not begun');
    expect(op.hook).toEqual(hook);
    this.commits.push({ hook, hookId: op.hookId });
    if ('relation' in hook) {
      this.trace.push({
        relation: hook.relation,
        what: hook.kind,
        ...defined({ unit: hook.remoteUnit }),
      });
    }
    if (hook.kind === 'storage-detaching') this.hasStorage = false;
    if (hook.kind === 'update-status') this.#set({ updateStatusDue: false });
    this.#save(finishHook(this.local, hook, this.remote));
  }

  #save(state: LocalState): void {
    this.local = state;
    this.saved = JSON.stringify(state);
  }
  #set(change: Partial<RemoteState>): void {
    this.remote = { ...this.remote, ...change };
  }
  #detach(): void {
    const { 'data/0': data } = this.remote.storage;
    if (data) this.#set({ storage: { 'data/0': { ...data, life: 'dying' } } });
  }
  #scope(id: number, change: Partial<Pick<RemoteRelation, 'inScope' | 'departing'>>): void {
    const relation = this.remote.relations[id];
    if (relation) this.#relation(id, { ...relation, ...change });
  }
  #relation(id: number, relation: RemoteRelation): void {
    this.#set({ relations: { ...this.remote.relations, [id]: relation } });
  }
}

function checkUnitOrder(hooks: readonly Hook[]): void {
  const names = hooks.map((hook) => hook.kind);
  if (names.length === 0) return;
  expect(names[0]).toBe('install');
  expect(names.filter((name) => name === 'install' || name === 'remove')).toEqual(['install', 'remove']);
  expect(names.at(-1)).toBe('remove');
  const started = names.indexOf('start');
  if (started < 0) return;
  expect(names.indexOf('config-changed')).toBeLessThan(started);
  expect(names.slice(-2)).toEqual(['stop', 'remove']);
}

/**
 * The hook order from entering a scope to leaving it: created, then (joined changed)…, departed, and broken at the very
 * end.
 */
function checkRelationOrder(trace: readonly { what: string; unit?: string }[]): void {
  const members = new Set<string>();
  let state: 'out' | 'in' | 'created' | 'broken' = 'out';
  for (const [index, { what, unit }] of trace.entries()) {
    switch (what) {
      case 'enter':
        expect(state).toBe('out');
        state = 'in';
        break;
      case 'leave':
        expect(members.size).toBe(0);
        state = 'out';
        break;
      case 'relation-created':
        expect(state).toBe('in');
        state = 'created';
        break;
      case 'relation-joined':
        expect(state).toBe('created');
        expect(members.has(unit!)).toBe(false);
        members.add(unit!);
        expect(trace[index + 1]).toMatchObject({ what: 'relation-changed', unit });
        break;
      case 'relation-changed':
        expect(state).toBe('created');
        if (unit !== undefined) expect(members.has(unit)).toBe(true);
        break;
      case 'relation-departed':
        expect(members.delete(unit!)).toBe(true);
        break;
      case 'relation-broken':
        expect(members.size).toBe(0);
        expect(state).toBe('created');
        state = 'broken';
        break;
    }
  }
  expect(state).toBe('out');
}
