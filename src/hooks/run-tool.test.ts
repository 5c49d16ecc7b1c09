/** Output and errors of hook tools; changes by tools are tested in a file of their own. */
import type { PayloadChange } from '../core/payloads/payloads.ts';
import { describe, expect, test } from 'vitest';
import { fakeHookContext, type FakeHookContextOverrides } from '../testing/hook-context.ts';
import { inRelation, ofApplication, trusted, asLeader, inAction, call } from '../testing/tool-call.ts';

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
      ['open-port', '75-85'],
      1,
      'cannot open 75-85/tcp (unit "web/0"): port range conflicts with 85/tcp (unit "db/0")',
      { neighbourPorts: () => [{ unit: 'db/0', range: { protocol: 'tcp', fromPort: 85, toPort: 85 } }] },
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
    [['network-get', ''], 2, 'no binding name specified'],
    [
      ['network-get', 'db', '--primary-address', '--bind-address'],
      1,
      '--primary-address must be the only flag specified',
    ],
    [
      ['goal-state', '--format=smart'],
      2,
      'invalid value "smart" for option --format: unknown format "smart"',
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

describe('payloads', () => {
  const files = { 'metadata.yaml': 'payloads: {web: {type: docker}}' };
  const register = (words: string, of: Record<string, string> = files) =>
    call(fakeHookContext(), ['payload-register', ...words.split(' ')], of);

  test('payload-register accepts what the charm declares', async () => {
    expect(await register('docker web c1 blue')).toEqual({ stdout: '', stderr: '', code: 0 });
  });

  test.each<[string, PayloadChange]>([
    [
      'payload-register docker web c1 blue big',
      { kind: 'register', type: 'docker', labels: ['blue', 'big'] },
    ],
    ['payload-status-set web c1 stopping', { kind: 'set status', status: 'stopping' }],
    ['payload-unregister web c1', { kind: 'unregister' }],
  ])('%s changes the payload at once', async (words, change) => {
    const context = fakeHookContext();
    await call(context, words.split(' '), files);
    expect(context.done.payloads).toEqual([{ name: 'web', id: 'c1', change }]);
  });

  test.each<[string, Record<string, string>, string]>([
    ['docker nope c1', files, 'payload "nope" not found in metadata.yaml'],
    ['docker constructor c1', files, 'payload "constructor" not found in metadata.yaml'],
    ['kvm web c1', files, 'incorrect type "kvm" for payload "web", expected "docker"'],
    ['docker web c1', { 'metadata.yaml': 'name: x' }, 'payload "web" not found in metadata.yaml'],
    ['docker web c1', {}, 'cannot read metadata.yaml: No such file or directory'],
  ])('payload-register %s of %j is refused', async (words, of, why) => {
    expect(await register(words, of)).toEqual({ stdout: '', stderr: `ERROR ${why}\n`, code: 1 });
  });
});
