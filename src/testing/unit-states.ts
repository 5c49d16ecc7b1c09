/** States of the unit web/0, as its agent saved them and as its controller tells them, to decide its next operation. */
import type { Impediment } from '../core/impediments.ts';
import { newLocalState, type Hook, type LocalRelation, type LocalState } from '../core/unit/local-state.ts';
import type { Operation } from '../core/unit/next-operation.ts';
import type { RemoteRelation, RemoteState } from '../core/unit/remote-state.ts';

export const remote = (more: Partial<RemoteState> = {}): RemoteState => ({
  unit: 'web/0',
  life: 'alive',
  forced: false,
  applicationLife: 'alive',
  principalApplication: '',
  charmUrl: 'local:web-0',
  charmModifiedVersion: 0,
  forceCharm: false,
  profileAway: false,
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
  secrets: new Map(),
  ...more,
});
/** Returns the state of a unit that runs and has nothing to do. */
export const running = (more: Partial<LocalState> = {}): LocalState => ({
  ...newLocalState,
  installed: true,
  started: true,
  charmUrl: 'local:web-0',
  configHash: 'c1',
  bootId: 'b1',
  ...more,
});
export const db = (more: Partial<RemoteRelation> = {}): RemoteRelation => ({
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
  departing: false,
  deferred: false,
  ...more,
});
export const ring = (more: Partial<RemoteRelation> = {}): RemoteRelation =>
  db({ endpoint: 'ring', peer: true, remoteApplication: 'web', ...more });
export const joined = (more: Partial<LocalRelation> = {}): LocalRelation => ({
  endpoint: 'db',
  created: true,
  members: {},
  apps: {},
  changedPending: '',
  leaving: false,
  broken: false,
  ...more,
});
export const run = (hook: Hook, clearResolved = false): Operation => ({
  kind: 'run-hook',
  hook,
  clearResolved,
});
export const dbHook = (
  kind: 'created' | 'joined' | 'changed' | 'departed' | 'broken',
  more: object = {},
): Operation =>
  run({ kind: `relation-${kind}`, relation: 7, endpoint: 'db', remoteApplication: 'mysql', ...more });
export const failed = (hook: Hook): LocalState =>
  running({ op: { kind: 'hook', step: 'pending', hook, hookId: 'h', failures: 1 } });
export const wait: Operation = { kind: 'wait' };
export const beside: Impediment = { kind: 'subordinate', text: 'unit "web/0" has subordinate "log/0"' };
export const configChanged: Hook = { kind: 'config-changed' };

export interface Case {
  name: string;
  local: LocalState;
  remote: RemoteState;
  next: Operation;
}
