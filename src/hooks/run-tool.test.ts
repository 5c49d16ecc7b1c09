import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';

import { limits } from '../core/limits.ts';
import { JujuError } from '../core/errors.ts';
import { createLog, silentLog, type LogRecord } from '../kit/log.ts';
import {
  fakeHookContext,
  type FakeHookContext,
  type FakeHookContextOverrides,
} from '../testing/hook-context.ts';
import { runTool, type ToolResult } from './run-tool.ts';

const relationEvent = {
  name: 'db-relation-changed',
  relation: { id: 7, endpoint: 'db' },
  remoteUnit: 'mysql/0',
  remoteApplication: 'mysql',
};
const inRelation: FakeHookContextOverrides = { event: relationEvent };
function ofApplication(name: string): FakeHookContextOverrides {
  return {
    event: { name, relation: { id: 7, endpoint: 'db' }, remoteUnit: '', remoteApplication: 'mysql' },
  };
}
const trusted: FakeHookContextOverrides = {
  cloudSpec: async () => ({
    type: 'ec2',
    name: 'aws',
    credential: { 'auth-type': 'access-key', attrs: { key: 'secret' } },
  }),
};
const asLeader: FakeHookContextOverrides = { leader: true };
const inAction: FakeHookContextOverrides = {
  event: {
    name: '',
    action: { id: '5', name: 'do', parameters: { size: 3, out: { file: 'a', deep: { er: true } } } },
  },
};

async function call(
  context: FakeHookContext,
  words: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<ToolResult> {
  const [name = '', ...args] = words;
  return await runTool({
    context,
    name,
    args,
    signal: new AbortController().signal,
    readFile: async (path) => {
      if (files[path] === undefined)
        throw new JujuError('', `cannot read ${path}: No such file or directory`);
      return Buffer.from(files[path]);
    },
    inTurn: async (run) => await run(),
    log: silentLog,
  });
}

type Row = [words: string[], stdout: string, overrides?: FakeHookContextOverrides];

describe('output of hook tools', () => {
  const network =
    '{"bind-addresses":[{"addresses":[{"cidr":"10.0.0.0/24","hostname":"","value":"10.0.0.9"}],' +
    '"interface-name":"eth0","mac-address":"00:16:3e:00:00:01"}],' +
    '"egress-subnets":["10.0.0.9/32"],"ingress-addresses":["10.0.0.9"]}\n';
  const rows: Row[] = [
    [['config-get', '--format=json'], '{"debug":true,"port":80,"ratio":1.5,"title":"a page"}\n'],
    [['config-get'], 'debug: true\nport: 80\nratio: 1.5\ntitle: a page\n'],
    [['config-get', 'title'], 'a page\n'],
    [['config-get', 'ratio'], '1.5\n'],
    [['config-get', 'debug'], 'True\n'],
    [['config-get', 'debug', '--format', 'yaml'], 'true\n'],
    [['config-get', 'secretless'], ''],
    [['config-get', 'secretless', '--format=json'], 'null\n'],
    [
      ['config-get', '--all', '--format=json'],
      '{"debug":true,"port":80,"ratio":1.5,"secretless":null,"title":"a page"}\n',
    ],
    [['config-get', '-a=false', 'port'], '80\n'],
    [['config-get', 'toString'], ''],
    [['relation-ids', 'db', '--format=json'], '["db:7"]\n'],
    [['relation-ids', 'peers'], 'peers:1\n'],
    [['relation-ids', 'website', '--format=json'], '[]\n'],
    [['relation-ids', 'website'], ''],
    [['relation-ids'], 'db:7\n', inRelation],
    [['relation-list', '--format=json', '-r', 'db:7'], '["mysql/0","mysql/1"]\n'],
    [['relation-list', '-r', '7'], 'mysql/0\nmysql/1\n'],
    [['relation-list', '-rdb:7', '--format=json', '--app'], '"mysql"\n'],
    [['relation-list', '--app'], 'mysql\n', inRelation],
    [['relation-model-get', '-r', '7', '--format=json'], '{"uuid":"5a8e6a3c-4c39-4b7e-8a4e-7a3c62c3b0d1"}\n'],
    [['relation-get', '--format=json', '-r', 'db:7', '-', 'mysql/0'], '{"host":"10.0.0.5","port":"3306"}\n'],
    [['relation-get', '-r', 'db:7', '-', 'mysql/0'], 'host: 10.0.0.5\nport: "3306"\n'],
    [['relation-get', 'host'], '10.0.0.5\n', inRelation],
    [['relation-get'], 'host: 10.0.0.5\nport: "3306"\n', inRelation],
    [['relation-get', 'nothing', '--format=json'], 'null\n', inRelation],
    [['relation-get', 'nothing'], '', inRelation],
    [['relation-get', '--app', '--format=json'], '{"ready":"yes"}\n', inRelation],
    [['relation-get', '-r', 'db:7', '--app', 'ready', 'mysql'], 'yes\n'],
    [['relation-get', '-r', 'db:7', '--app', 'ready', 'mysql/1'], 'yes\n'],
    [['relation-get', '-r', '1', '--app', '--format=json', '-', 'web'], '{}\n'],
    [['unit-get', 'private-address'], '10.0.0.9\n'],
    [['unit-get', '--format=json', 'public-address'], '"203.0.113.9"\n'],
    [['network-get', '--format=json', 'db'], network],
    [['network-get', 'db', '--format=json', '-r', '7'], network],
    [['network-get', 'admin', '--format=json'], network],
    [
      ['network-get', 'db'],
      'bind-addresses:\n- addresses:\n  - address: 10.0.0.9\n    cidr: 10.0.0.0/24\n    hostname: ""\n' +
        '    value: 10.0.0.9\n  interface-name: eth0\n  interfacename: eth0\n  mac-address: 00:16:3e:00:00:01\n' +
        '  macaddress: 00:16:3e:00:00:01\negress-subnets:\n- 10.0.0.9/32\ningress-addresses:\n- 10.0.0.9\n',
    ],
    [['network-get', '--primary-address', 'db'], '10.0.0.9\n'],
    [['network-get', '--ingress-address', 'db'], '10.0.0.9\n'],
    [['network-get', '--egress-subnets', 'juju-info'], '10.0.0.9/32\n'],
    [
      ['network-get', '--bind-address', '--egress-subnets', 'db'],
      'bind-address: 10.0.0.9\negress-subnets: 10.0.0.9/32\n',
    ],
    [['relation-get', '--format=json'], '{"ready":"yes"}\n', ofApplication('db-relation-changed')],
    [['relation-get', 'ready'], 'yes\n', ofApplication('db-relation-broken')],
    [['relation-get', 'ready', '-r', 'db:7'], 'yes\n', ofApplication('db-relation-broken')],
    [['status-get'], 'waiting\n'],
    [['status-get', '--format=json'], '{"status":"waiting"}\n'],
    [['status-get', '--format=yaml'], 'status: waiting\n'],
    [['status-get', '--application'], 'active\n', asLeader],
    [
      ['status-get', '--application', '--format=json'],
      '{"application-status":{"status":"active","units":{"web/0":{"status":"waiting"}}}}\n',
      asLeader,
    ],
    [
      ['credential-get', '--format=json'],
      '{"credential":{"attrs":{"key":"secret"},"auth-type":"access-key"},"name":"aws","type":"ec2"}\n',
      trusted,
    ],
    [['payload-register', 'docker', 'web', 'c1', 'blue'], ''],
    [['payload-status-set', 'web', 'c1', 'running'], ''],
    [['payload-unregister', 'web', 'c1'], ''],
    [
      ['status-get', '--include-data', '--format=json', '--application=False'],
      '{"message":"for db","status":"waiting","status-data":{"since":1}}\n',
    ],
    [
      ['status-get', '--include-data', '--application', '--format', 'json'],
      '{"application-status":{"message":"ok","status":"active","status-data":{},"units":{"web/0":{"message":"for db","status":"waiting","status-data":{"since":1}}}}}\n',
      asLeader,
    ],
    [['is-leader', '--format=json'], 'false\n'],
    [['is-leader'], 'True\n', asLeader],
    [['leader-get', '--format=json', '-'], '{"token":"t0"}\n'],
    [['leader-get', 'token'], 't0\n'],
    [
      ['opened-ports'],
      '80/tcp\n9000-9010/udp\nicmp\n',
      { ports: { '': ['9000-9010/udp', 'icmp'], db: ['80/tcp'] } },
    ],
    [['opened-ports', '--format=json'], '["80/tcp"]\n', { ports: { '': ['80/tcp'] } }],
    [
      ['opened-ports', '--endpoints'],
      '80/tcp (db, website)\n',
      { ports: { website: ['80/tcp'], db: ['80/tcp'] } },
    ],
    [['opened-ports', '--format=json'], '[]\n'],
    [
      ['goal-state', '--format=json'],
      '{"relations":{"db":{"mysql":{"since":"2026-11-20 00:00:00Z","status":"joined"}}},"units":{"web/0":{"since":"2026-11-20 00:00:00Z","status":"waiting"}}}\n',
    ],
    [['state-get', 'a'], '1\n', { state: { a: '1' } }],
    [['state-get', '--format=json'], '{"a":"1"}\n', { state: { a: '1' } }],
    [['state-get', 'b'], ''],
    [['action-get', '--format=json'], '{"out":{"deep":{"er":true},"file":"a"},"size":3}\n', inAction],
    [['action-get', 'out.deep.er'], 'True\n', inAction],
    [['action-get', 'size'], '3\n', inAction],
    [['action-get', 'out.constructor'], '', inAction],
    [['storage-list', '--format=json', 'data'], '[]\n'],
    [['storage-list'], ''],
    [['secret-ids', '--format=json'], '[]\n'],
  ];
  test.each(rows)('%j → %j', async (words, stdout, overrides) => {
    expect(await call(fakeHookContext(overrides), words)).toEqual({ stdout, stderr: '', code: 0 });
  });
});

test('state-set accepts keys and values up to Juju’s maximum sizes, and sets all of them or none', async () => {
  const { charmStateKey, charmStateValue } = limits;
  const [key, value] = ['k'.repeat(charmStateKey.max), 'v'.repeat(charmStateValue.max)];
  const context = fakeHookContext();
  expect(await call(context, ['state-set', `${key}=${value}`])).toMatchObject({ code: 0 });
  const { set } = context.changes.charmState;
  expect([...set]).toEqual([[key, value]]);
  for (const [pair, message] of [
    [`${key}k=v`, 'key in charm state: 257 characters exceed the limit of 256'],
    [`k=${value}v`, 'value of "k" in charm state: 65537 characters exceed the limit of 65536'],
  ] as const)
    expect(await call(context, ['state-set', 'a=b', pair])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(message) as string,
    });
  expect(set.size).toBe(1);
});

test('state-set sets a limited number of keys in one hook; setting a key again does not count', async () => {
  const { max } = limits.charmStateKeys;
  const context = fakeHookContext();
  const { set } = context.changes.charmState;
  for (let n = 0; n < max; n++) set.set(`k${n}`, '');
  expect(await call(context, ['state-set', 'k0=again'])).toMatchObject({ code: 0 });
  expect(await call(context, ['state-set', 'another=value'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      `keys of charm state: ${max + 1} entries exceed the limit of ${max}`,
    ) as string,
  });
  expect(set.size).toBe(max);
});

describe('errors of hook tools', () => {
  type Bad = [words: string[], code: number, message: string, overrides?: FakeHookContextOverrides];
  const rows: Bad[] = [
    [['no-such-tool'], 1, 'unknown hook tool "no-such-tool"'],
    [['config-get', '--colour'], 2, 'option provided but not defined: --colour'],
    [['config-get', '-x'], 2, 'option provided but not defined: -x'],
    [['config-get', '-o'], 2, 'option needs an argument: -o'],
    [['config-get', '--format=xml'], 2, 'invalid value "xml" for option --format: unknown format "xml"'],
    [['config-get', 'a', 'b', 'c d'], 2, 'unrecognized args: ["b" "c d"]'],
    [['config-get', '--all=maybe'], 2, 'invalid value "maybe" for option --all: invalid syntax'],
    [['relation-ids'], 2, 'no endpoint name specified'],
    [['relation-list'], 2, 'no relation id specified'],
    [['relation-list', '-r', 'db:99'], 2, 'invalid value "db:99" for option -r: relation not found'],
    [['relation-list', '-r', 'db'], 2, 'invalid value "db" for option -r: invalid relation id'],
    [['relation-get', '-r', '7'], 2, 'no unit id specified'],
    [['relation-get', '-', 'mysql'], 2, 'expected unit name, got application name "mysql"', inRelation],
    [['relation-get', '-r', 'db:7', '--app', '-', 'web'], 1, 'permission denied'],
    [['relation-set', '--app', 'a=b'], 1, 'cannot write relation settings', inRelation],
    [['relation-set', 'a'], 2, 'expected "key=value", got "a"', inRelation],
    [['relation-set', '=a'], 2, 'expected "key=value", got "=a"', inRelation],
    [['relation-set', '--file', 'none'], 1, 'cannot read none: No such file or directory', inRelation],
    [['unit-get'], 2, 'no setting specified'],
    [['unit-get', 'address'], 2, 'unknown setting "address"'],
    [
      ['unit-get', 'public-address'],
      1,
      'no public address set for unit "web/0"',
      { publicAddress: () => '' },
    ],
    [['network-get'], 2, 'no arguments specified'],
    [['network-get', 'website'], 1, 'no network config found for binding "website"'],
    [['network-get', 'unknown'], 1, 'undefined for unit charm: endpoint "unknown" not valid'],
    [['network-get', '-r', '9', 'db'], 2, 'invalid value "9" for option -r: relation not found'],
    [['status-get', '--application'], 1, 'finding application status: this unit is not the leader'],
    [['status-set'], 2, 'invalid args, require <status> [message]'],
    [
      ['status-set', 'error'],
      2,
      'invalid status "error", expected one of [maintenance blocked waiting active]',
    ],
    [['status-set', '--application', 'active'], 1, 'this unit is not the leader'],
    [['application-version-set'], 2, 'no version specified'],
    [['juju-log'], 2, 'no message specified'],
    [['leader-set', 'a=b'], 1, 'cannot write leadership settings: cannot write settings: not the leader'],
    [['open-port'], 2, 'no port or range specified'],
    [['open-port', '80/sctp'], 2, 'invalid protocol "sctp", expected "tcp", "udp", or "icmp"'],
    [['open-port', '0'], 2, 'port range bounds must be between 1 and 65535, got 0-0'],
    [['open-port', '80-70'], 2, 'invalid port range 80-70/tcp'],
    [
      ['open-port', 'http'],
      2,
      'invalid port range "http", expected "<port>[-<port>][/<protocol>]" or "icmp"',
    ],
    [['open-port', '80', '--endpoints', 'db,nope'], 1, 'endpoint "nope" not found'],
    [
      ['open-port', '75-85'],
      1,
      'cannot open 75-85/tcp (unit "web/0"): port range conflicts with 80/tcp (unit "web/0")',
      { ports: { '': ['80/tcp'] } },
    ],
    [
      ['close-port', '75-85'],
      1,
      'cannot close 75-85/tcp (unit "web/0"): port range conflicts with 80/tcp (unit "web/0")',
      { ports: { '': ['80/tcp'] } },
    ],
    [['credential-get'], 1, 'cannot access cloud credentials: permission denied'],
    [['juju-reboot'], 1, 'juju-reboot is not supported when running an action.', inAction],
    [['state-get', '--strict', 'b'], 1, '"b" not found'],
    [['state-delete'], 2, 'no key specified'],
    [['action-get'], 1, 'not running an action'],
    [['action-set', 'a=b'], 1, 'not running an action'],
    [['action-fail'], 1, 'not running an action'],
    [['action-log', 'm'], 1, 'not running an action'],
    [['action-set', 'stdout=x'], 1, 'cannot set reserved action key "stdout"', inAction],
    [
      ['action-set', '__proto__.x=y'],
      2,
      'key "__proto__.x" must start and end with lowercase alphanumeric, and contain only lowercase alphanumeric, hyphens and periods',
      inAction,
    ],
    [
      ['resource-get', 'blob'],
      1,
      'could not download resource: HTTP request failed: resource "blob" not found',
    ],
    [['resource-get'], 2, 'missing required resource name'],
    [
      ['storage-get', '-s', 'data/0', 'location'],
      2,
      'invalid value "data/0" for option -s: storage not found',
    ],
    [['storage-get'], 2, 'no storage instance specified'],
    [['storage-add', 'data=1G'], 2, 'only count can be specified for "data"'],
    [['payload-register', 'docker', 'web'], 2, 'missing id'],
    [['payload-unregister', 'web', 'c1', 'c2'], 2, 'unrecognized args: ["c2"]'],
    [
      ['payload-status-set', 'web', 'c1', 'happy'],
      1,
      'status "happy" not supported; expected one of ["starting","running","stopping","stopped"]',
    ],
    [['add-metric'], 2, 'no metrics specified'],
    [['add-metric', 'load'], 2, 'expected "key=value", got "load"'],
    [['add-metric', 'a=1', '--labels', 'x'], 2, 'expected "key=value", got "x"'],
    [
      ['k8s-raw-set', '--file', '-'],
      1,
      'k8s-raw-set is not supported: this model has machines, no Kubernetes',
    ],
    [['pod-spec-get'], 1, 'pod-spec-get is not supported: this model has machines, no Kubernetes'],
  ];
  test.each(rows)('%j with exit code %i: %s', async (words, code, message, overrides) => {
    const context = fakeHookContext(overrides);
    expect(await call(context, words)).toEqual({ stdout: '', stderr: `ERROR ${message}\n`, code });
    expect(context.changes).toEqual(fakeHookContext().changes);
  });
});

describe('relation-set', () => {
  async function set(
    words: string[],
    files: Record<string, string> = {},
    more: FakeHookContextOverrides = {},
  ) {
    const context = fakeHookContext({ ...inRelation, ...more });
    const result = await call(context, ['relation-set', ...words], files);
    expect(result).toEqual({ stdout: '', stderr: '', code: 0 });
    const bags = context.changes.relationSettings;
    return { context, bags, unit: Object.fromEntries(bags.get(7)?.unit ?? []) };
  }

  test('relation-set keeps values until the hook succeeds, and an empty value removes its key', async () => {
    expect((await set(['a=1', 'b=x=y', 'c='])).unit).toEqual({ a: '1', b: 'x=y', c: '' });
  });

  test('relation-set --app by the leader sets the application’s databag', async () => {
    const { bags } = await set(['--app', 'a=1'], {}, asLeader);
    expect(bags.get(7)).toEqual({ unit: new Map(), app: new Map([['a', '1']]) });
  });

  test('relation-set -r sets values of another relation', async () => {
    expect((await set(['-r', 'peers:1', 'a=1'])).bags.get(1)?.unit).toEqual(new Map([['a', '1']]));
  });

  test.each([
    ['JSON', '{"a": "", "b": "1", "c": "é\\n"}', { a: '', b: '1', c: 'é\n' }],
    ['YAML', 'a: \'\'\nb: "1"\nc: |\n  two\n  lines\n', { a: '', b: '1', c: 'two\nlines\n' }],
    [
      'YAML whose scalars are no strings',
      'mode: 0644\nversion: 1.50\non: yes\nflag: True\ntime: 12:30:00\nnone: null\ntilde: ~\nempty:\nquoted: "null"\n',
      {
        mode: '0644',
        version: '1.50',
        on: 'yes',
        flag: 'True',
        time: '12:30:00',
        none: '',
        tilde: '',
        empty: '',
        quoted: 'null',
      },
    ],
    ['JSON with numbers', '{"n": 1.0, "t": true, "z": null}', { n: '1.0', t: 'true', z: '' }],
    ['nothing', '', {}],
    ['an empty map', '{}\n', {}],
  ])('reads %s from standard input', async (_, text, expected) => {
    expect((await set(['--file', '-'], { '-': text })).unit).toEqual(expected);
  });

  test('relation-set prefers arguments to the values of --file', async () => {
    expect((await set(['--file', '/tmp/f', 'a=2'], { '/tmp/f': 'a: 1\nb: 1\n' })).unit).toEqual({
      a: '2',
      b: '1',
    });
  });

  test.each([
    ['- a\n- b\n', 'expected a map'],
    ['a: {b: c}\n', 'the value of "a" is not text'],
    ['a: "unfinished\n', 'cannot parse settings'],
  ])('refuses %j', async (text, message) => {
    const context = fakeHookContext(inRelation);
    const result = await call(context, ['relation-set', '--file', '-'], { '-': text });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(message);
    expect(context.changes.relationSettings.size).toBe(0);
  });

  test('values of relation-set are seen by the hook itself and by no other', async () => {
    const { context } = await set(['a=1', 'ingress-address=']);
    expect((await call(context, ['relation-get', '--format=json', '-', 'web/0'])).stdout).toBe('{"a":"1"}\n');
    expect((await call(context, ['relation-get', '--format=json', '-', 'mysql/0'])).stdout).not.toContain(
      '"a"',
    );
    expect(context.bags.get('7 web/0')).toEqual({ 'ingress-address': '10.0.0.9' });
  });
});

describe('ports', () => {
  async function ports(given: Record<string, string[]>, ...calls: string[]) {
    const context = fakeHookContext({ ports: given });
    for (const words of calls)
      expect(await call(context, words.split(' '))).toMatchObject({ stderr: '', code: 0 });
    const shown = (list: { endpoint: string; range: string }[]): string[] =>
      list.map(({ endpoint, range }) => `${endpoint}:${range}`);
    return { open: shown(context.changes.openPorts), close: shown(context.changes.closePorts) };
  }

  test('port ranges are normalised, however the charm writes them', async () => {
    expect(
      await ports({}, 'open-port 80', 'open-port 53/UDP', 'open-port 9000-9010/tcp', 'open-port ICMP'),
    ).toEqual({
      open: [':80/tcp', ':53/udp', ':9000-9010/tcp', ':icmp'],
      close: [],
    });
  });

  test('opening an open port or closing a closed one changes nothing', async () => {
    expect(await ports({ '': ['80/tcp'] }, 'open-port 80', 'close-port 81')).toEqual({ open: [], close: [] });
  });

  test('opening and closing a port in one hook leaves no change', async () => {
    expect(await ports({}, 'open-port 80', 'close-port 80/TCP')).toEqual({ open: [], close: [] });
    expect(await ports({ '': ['80/tcp'] }, 'close-port 80', 'open-port 80')).toEqual({ open: [], close: [] });
  });

  test('ports can be opened for single endpoints', async () => {
    expect(await ports({}, 'open-port 80 --endpoints db,website')).toMatchObject({
      open: ['db:80/tcp', 'website:80/tcp'],
    });
    expect(await ports({ db: ['80/tcp'], website: ['80/tcp'] }, 'close-port 80')).toMatchObject({
      close: ['db:80/tcp', 'website:80/tcp'],
    });
  });

  test('a port that is open for all endpoints and closed for one stays open for the others', async () => {
    expect(await ports({ '': ['80/tcp'] }, 'close-port --endpoints db 80')).toEqual({
      open: ['peers:80/tcp', 'website:80/tcp', 'juju-info:80/tcp'],
      close: [':80/tcp'],
    });
  });

  test('ports of different protocols do not conflict', async () => {
    expect(await ports({ '': ['80/tcp'] }, 'open-port 70-90/udp')).toMatchObject({ open: [':70-90/udp'] });
  });
});

test('status-set takes Python’s booleans and an empty message', async () => {
  const context = fakeHookContext(asLeader);
  await call(context, ['status-set', '--application=False', 'active', '--', '']);
  await call(context, ['status-set', '--application=True', 'blocked', 'need db']);
  expect(context.done.statuses).toEqual([
    { kind: 'workload', status: 'active', message: '' },
    { kind: 'application', status: 'blocked', message: 'need db' },
  ]);
});

test('juju-log accepts a level in upper or lower case, and logs the relation', async () => {
  const context = fakeHookContext(inRelation);
  await call(context, ['juju-log', '--log-level', 'debug', '--', '-v is', 'set']);
  await call(context, ['juju-log', '-l', 'WARN', 'w']);
  await call(context, ['juju-log', '--debug', 'd']);
  await call(context, ['juju-log', '-l', 'loud', 'l']);
  expect(context.done.logs).toEqual([
    { level: 'DEBUG', message: 'db:7: -v is set' },
    { level: 'WARNING', message: 'db:7: w' },
    { level: 'DEBUG', message: 'db:7: d' },
    { level: 'WARNING', message: 'juju-log: unknown level "loud", taken as INFO' },
    { level: 'INFO', message: 'db:7: l' },
  ]);
});

test('changes of state-set wait for the hook’s success and are visible in the hook', async () => {
  const context = fakeHookContext({ state: { old: '1', kept: '2' } });
  await call(context, ['state-set', 'a=x', '--file', '-'], { '-': 'b: 5\n' });
  await call(context, ['state-delete', 'old']);
  expect((await call(context, ['state-get', '--format=json'])).stdout).toBe('{"a":"x","b":"5","kept":"2"}\n');
  expect(context.changes.charmState).toEqual({
    set: new Map([
      ['b', '5'],
      ['a', 'x'],
    ]),
    delete: new Set(['old']),
  });
});

test('an action sets its results, progress and failure', async () => {
  const context = fakeHookContext(inAction);
  await call(context, ['action-set', 'out.a=1', 'out.b=2', 'p=q']);
  await call(context, ['action-set', 'p.deeper=r']);
  await call(context, ['action-log', '--', 'half', 'way']);
  await call(context, ['action-fail', '--', 'no disk']);
  expect(context.changes.action).toEqual({
    results: { out: { a: '1', b: '2' }, p: { deeper: 'r' } },
    failed: true,
    message: 'no disk',
  });
  expect(context.done.actionLogs).toEqual(['half way']);
  await call(context, ['action-fail']);
  expect(context.changes.action.message).toBe('action failed without reason given, check action for errors');
});

test('leader-set and application-version-set take effect at once', async () => {
  const context = fakeHookContext(asLeader);
  await call(context, ['leader-set', 'a=b', 'token=']);
  await call(context, ['application-version-set', '--', '1.2']);
  expect(context.done.leaderSettings).toEqual({ a: 'b', token: '' });
  expect(context.done.workloadVersion).toBe('1.2');
});

test('YAML is quoted for YAML 1.1 parsers', async () => {
  const values = { yes: 'no', time: '12:30:00', octal: '010', n: 'y', text: 'a: b\nc', empty: '' };
  const context = fakeHookContext({ config: () => ({ values, options: {} }) });
  const { stdout } = await call(context, ['config-get', '--format', 'yaml']);
  expect(parse(stdout, { version: '1.1' })).toEqual(values);
});

test('an error of the controller is shown; an internal error is logged too', async () => {
  const records: LogRecord[] = [];
  const failing = async (error: Error): Promise<ToolResult> =>
    await runTool({
      context: fakeHookContext({ status: async () => await Promise.reject(error) }),
      name: 'status-get',
      args: [],
      signal: new AbortController().signal,
      readFile: async () => Buffer.from(''),
      inTurn: async (run) => await run(),
      log: createLog(
        '',
        (record) => records.push(record),
        () => 0,
      ),
    });
  expect(await failing(new JujuError('not found', 'unit "web/0" not found'))).toMatchObject({
    code: 1,
    stderr: 'ERROR unit "web/0" not found\n',
  });
  expect(records).toEqual([]);
  expect((await failing(new TypeError('oops'))).code).toBe(1);
  expect(records.map((record) => record.level)).toEqual(['ERROR']);
});

test('--output writes a file as the caller of the tool', async () => {
  expect(await call(fakeHookContext(), ['config-get', '-o', 'sub/f', 'port'])).toEqual({
    stdout: '',
    stderr: '',
    file: { path: 'sub/f', content: '80\n' },
    code: 0,
  });
});

test('a tool that waits for standard input does not block the tool that feeds it', async () => {
  const order: string[] = [];
  const result = await runTool({
    context: fakeHookContext(inRelation),
    name: 'relation-set',
    args: ['--file', '-'],
    signal: new AbortController().signal,
    readFile: async () => {
      order.push('read');
      return Buffer.from('a: b\n');
    },
    inTurn: async (run) => {
      order.push('turn');
      return await run();
    },
    log: silentLog,
  });
  expect(result.code).toBe(0);
  expect(order).toEqual(['read', 'turn']);
});
