/** Calls of hook tools whose answers docs/reference/hook-tools.md shows, in the fake context of the unit web/0. */
import type { FakeHookContextOverrides } from './hook-context.ts';

export interface ToolCallShown {
  readonly argv: readonly string[];
  readonly where: keyof typeof places;
}

/** Contexts in which calls are made, as the page names them. */
export const places = {
  'a hook': {},
  'a hook of db:7': {
    event: {
      name: 'db-relation-changed',
      relation: { id: 7, endpoint: 'db' },
      remoteUnit: 'mysql/0',
      remoteApplication: 'mysql',
    },
  },
  'an action': {
    event: {
      name: '',
      ofTask: true,
      action: { id: '5', name: 'do', parameters: { size: 3, out: { file: 'a' } } },
    },
  },
  'a hook of the leader': { leader: true },
} as const satisfies Readonly<Record<string, FakeHookContextOverrides>>;

const calls: Readonly<Record<keyof typeof places, readonly string[]>> = {
  'a hook': [
    'config-get port',
    'config-get debug',
    'config-get secretless',
    'config-get',
    'is-leader',
    'relation-ids db',
    'relation-ids nothing',
    'relation-list -r db:7',
    'relation-list --app -r 7',
    'relation-get -r db:7 host mysql/0',
    'relation-get -r db:7 - mysql/0',
    'relation-get -r db:7 missing mysql/0',
    'relation-get --app -r db:7 - mysql',
    'relation-model-get -r db:7',
    'leader-get token',
    'leader-get',
    'network-get db',
    'network-get --primary-address db',
    'unit-get private-address',
    'unit-get public-address',
    'status-get',
    'status-get --include-data',
    'opened-ports',
    'goal-state',
    'state-get',
    'relation-get host mysql/0',
    'relation-get -r db:9 host mysql/0',
    'relation-list -r nonsense',
    'relation-set --app -r 7 a=b',
    'relation-set -r 7 nothing',
    'leader-set a=b',
    'status-set happy',
    'status-set --application active',
    'status-get --application',
    'network-get nowhere',
    'unit-get address',
    'open-port 99999/tcp',
    'close-port 80/sctp',
    'credential-get',
    'action-get size',
    'action-set a=b',
    'payload-register docker web',
    'payload-status-set web c1 happy',
    'add-metric load',
    'k8s-raw-set',
    'pod-spec-get',
    'config-get --bogus',
    'config-get --format xml',
  ],
  'a hook of db:7': ['relation-get host', 'relation-get', 'relation-list', 'relation-get a b c'],
  'an action': ['action-get size', 'action-get out.file', 'action-get', 'juju-reboot', 'action-set stdout=x'],
  'a hook of the leader': ['is-leader', 'status-get --application'],
};

export const toolCalls: readonly ToolCallShown[] = Object.entries(calls).flatMap(([where, lines]) =>
  lines.map((line) => ({ argv: line.split(' '), where: where as keyof typeof places })),
);
