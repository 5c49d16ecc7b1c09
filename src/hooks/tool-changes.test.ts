/** Changes by hook tools: relation-set, ports, states and results. */
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { limits } from '../core/limits.ts';
import { JujuError } from '../core/errors.ts';
import { createLog, silentLog, type LogRecord } from '../kit/log.ts';
import { fakeHookContext, type FakeHookContextOverrides } from '../testing/hook-context.ts';
import { runTool, type ToolResult } from './run-tool.ts';
import { inRelation, asLeader, inAction, call } from '../testing/tool-call.ts';

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
  ])('relation-set reads %s from standard input', async (_, text, expected) => {
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
  ])('relation-set refuses %j', async (text, message) => {
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
