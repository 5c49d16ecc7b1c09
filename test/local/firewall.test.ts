/** Effects of `expose` are measured by packets from outside the machine, from several addresses. */
import { execFile } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld('firewall');
});
afterAll(async () => expect(await world.end()).toEqual([]));

/** Result of a packet: an answer, an ICMP rejection or reset by the machine, or no reply. */
type Outcome = 'answered' | 'nobody listens' | 'held';
interface Probe {
  readonly protocol?: 'tcp' | 'udp' | 'icmp';
  readonly port?: number;
  /** Source address of the host. */
  readonly from?: string;
}

/**
 * Program with the arguments protocol, address, port, source. Node has no raw sockets, and cannot read the ICMP
 * answer to a datagram.
 */
const prober = `
import os, socket, struct, sys
protocol, address, port, source = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
kinds = {'tcp': (socket.SOCK_STREAM, 0), 'udp': (socket.SOCK_DGRAM, 0), 'icmp': (socket.SOCK_RAW, socket.IPPROTO_ICMP)}
s = socket.socket(socket.AF_INET, *kinds[protocol])
s.settimeout(1)
if source: s.bind((source, 0))
try:
    s.connect((address, port))
    if protocol == 'udp':
        s.send(b'hello')
        s.recv(100)
    if protocol == 'icmp':
        # Of its own: what goes on of an earlier echo is not held.
        id = os.getpid() & 0xffff
        total = sum(struct.unpack('!4H', struct.pack('!BBHHH', 8, 0, 0, id, 1)))
        s.send(struct.pack('!BBHHH', 8, 0, ~((total >> 16) + (total & 0xffff)) & 0xffff, id, 1))
        while s.recv(100)[20] != 0: pass
    print('answered')
except ConnectionRefusedError: print('nobody listens')
except socket.timeout: print('held')
`;

function probe(address: string, { protocol = 'tcp', port = 0, from = '' }: Probe): Promise<Outcome> {
  return new Promise((resolve, reject) =>
    execFile('/usr/bin/python3', ['-c', prober, protocol, address, String(port), from], (error, stdout) =>
      error ? reject(error) : resolve(stdout.trim() as Outcome),
    ),
  );
}

/**
 * Waits for the outcome: rules are applied soon after they are requested, and an answer may be late on a busy host.
 */
async function becomes(address: string, what: Probe, outcome: Outcome): Promise<void> {
  await world.until(`${JSON.stringify(what)} to be ${outcome}`, async () => {
    return (await probe(address, what)) === outcome;
  });
}

/** Writes a charm that answers on its ports; its `start` opens the given ones. */
function listener(name: string, start: string): string {
  return world.charm(name, {
    metadata: 'provides: {website: {interface: http}, admin: {interface: http}}\n',
    hooks: {
      start: `setsid /usr/bin/python3 "$CHARM_DIR/listen.py" </dev/null >/dev/null 2>&1 9>&- &
for try in $(seq 600); do [ -e /run/listens ] && break; sleep 0.1; done
[ -e /run/listens ]
${start}
status-set active`,
    },
    files: {
      'listen.py': `
import selectors, socket
all = selectors.DefaultSelector()
for port in (8080, 8081, 8090, 8095, 9000):
    s = socket.create_server(('', port))
    all.register(s, selectors.EVENT_READ, lambda s: s.accept()[0].close())
for port in (5300, 5301):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(('', port))
    all.register(s, selectors.EVENT_READ, lambda s: s.sendto(*s.recvfrom(100)))
open('/run/listens', 'w').close()
while True:
    for key, _ in all.select(): key.data(key.fileobj)
`,
    },
  });
}

async function inModel(model: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await world.run(args, { model });
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Returns the address of the unit's machine, once the unit is active. */
async function addressOf(model: string, unit: string): Promise<string> {
  let address: string | undefined;
  await world.until(`${unit} to be active`, async () => {
    const status = await world.status(model);
    const found = status.applications[unit.split('/')[0]!]?.units?.[unit];
    address = found?.['public-address'];
    return found?.['workload-status'].current === 'active' && found['juju-status'].current === 'idle';
  });
  return address!;
}

/** Returns an address of this host other than the one on the machines' bridge, which is the default source. */
function anotherSource(): string {
  const all = Object.entries(networkInterfaces()).filter(([name]) => !/^(lo|gri-)/.test(name));
  const found = all.flatMap(([, each]) => each ?? []).find(({ family }) => family === 'IPv4');
  if (!found) throw new Error('this host has no address but those of its machines');
  return found.address;
}

test('an open port can be reached from outside only while the application is exposed, and other ports never', async () => {
  const start = 'open-port 8080/tcp; open-port 8090-8095/tcp; open-port 5300/udp; open-port icmp';
  await world.grigri('deploy', listener('all', start));
  const address = await addressOf('work', 'all/0');
  const opened: Probe[] = [
    { port: 8080 },
    { port: 8090 },
    { port: 8095 },
    { protocol: 'udp', port: 5300 },
    { protocol: 'icmp' },
  ];
  const closed: Probe[] = [{ port: 8081 }, { port: 9000 }, { protocol: 'udp', port: 5301 }];
  const outcomes = (all: readonly Probe[]): Promise<Outcome[]> =>
    Promise.all(all.map((each) => probe(address, each)));
  const each = (all: readonly Probe[], outcome: Outcome): Outcome[] => all.map(() => outcome);

  expect(await outcomes([...opened, ...closed])).toEqual(each([...opened, ...closed], 'held'));
  await world.grigri('expose', 'all');
  for (const what of opened) await becomes(address, what, 'answered');
  // Ports of the range without a listener: the machine itself rejects the connection.
  await becomes(address, { port: 8093 }, 'nobody listens');
  expect(await outcomes(closed)).toEqual(each(closed, 'held'));

  await world.grigri('exec', '--unit', 'all/0', '--', 'close-port 5300/udp; open-port 5301/udp');
  await becomes(address, { protocol: 'udp', port: 5301 }, 'answered');
  expect(await probe(address, { protocol: 'udp', port: 5300 })).toBe('held');

  await world.grigri('unexpose', 'all');
  await becomes(address, opened[0]!, 'held');
  expect(await outcomes([...opened, ...closed])).toEqual(each([...opened, ...closed], 'held'));
});

test('expose can be limited to source addresses and endpoints', async () => {
  await world.grigri(
    'deploy',
    listener('some', 'open-port 8080/tcp --endpoints website; open-port 9000/tcp --endpoints admin'),
  );
  const address = await addressOf('work', 'some/0');
  const friend = anotherSource();
  const web: Probe = { port: 8080 };
  const admin: Probe = { port: 9000 };

  await world.grigri('expose', 'some', '--to-cidrs', `${friend}/32`);
  await becomes(address, { ...web, from: friend }, 'answered');
  await becomes(address, { ...admin, from: friend }, 'answered');
  expect(await probe(address, web)).toBe('held');
  await world.grigri('unexpose', 'some');
  await becomes(address, { ...web, from: friend }, 'held');

  await world.grigri('expose', 'some', '--endpoints', 'website');
  await becomes(address, web, 'answered');
  expect(await probe(address, admin)).toBe('held');
  await world.grigri('expose', 'some', '--endpoints', 'admin', '--to-cidrs', `${friend}/32`);
  await becomes(address, { ...admin, from: friend }, 'answered');
  expect(await probe(address, admin)).toBe('held');
  await becomes(address, web, 'answered');
  await world.grigri('unexpose', 'some', '--endpoints', 'website');
  await becomes(address, web, 'held');
  await becomes(address, { ...admin, from: friend }, 'answered');
});

test('SSH is let in from the networks of ssh-allow, and changes with the setting', async () => {
  const sshd = `setsid /usr/bin/python3 -c 'import socket
s = socket.create_server(("", 22))
while True: s.accept()[0].close()' </dev/null >/dev/null 2>&1 9>&- &`;
  await world.grigri('deploy', listener('ssh', sshd));
  const address = await addressOf('work', 'ssh/0');
  const friend = anotherSource();
  const ssh: Probe = { port: 22 };
  await becomes(address, ssh, 'answered');
  await world.grigri('model-config', `ssh-allow=${friend}/32`);
  await becomes(address, ssh, 'held');
  await becomes(address, { ...ssh, from: friend }, 'answered');
  await world.grigri('model-config', 'ssh-allow=');
  await becomes(address, { ...ssh, from: friend }, 'held');
  await world.grigri('model-config', '--reset', 'ssh-allow');
  await becomes(address, ssh, 'answered');
});

test('invalid uses of expose are refused with the reason', async () => {
  await world.grigri('deploy', listener('wrong', ''));
  for (const [flags, message] of [
    [['--to-cidrs', '192.0.2.0/33'], 'unable to parse "192.0.2.0/33" as a CIDR'],
    [['--to-spaces', 'dmz'], 'space "dmz" not found'],
    [['--endpoints', 'nothing'], 'endpoint "nothing" not found'],
  ] as const) {
    const { code, stderr } = await world.attempt('expose', 'wrong', ...flags);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message) as string]);
  }
});

test('a global firewall opens an application’s ports on every machine, later ones included', async () => {
  await world.addModel('all-for-one', '--config', 'firewall-mode=global');
  const run = (...args: string[]): Promise<string> => inModel('all-for-one', ...args);
  await run('deploy', listener('opens', 'open-port 8080/tcp'));
  await run('deploy', listener('other', ''));
  const opens = await addressOf('all-for-one', 'opens/0');
  const other = await addressOf('all-for-one', 'other/0');
  const web: Probe = { port: 8080 };
  expect([await probe(opens, web), await probe(other, web)]).toEqual(['held', 'held']);
  await run('expose', 'opens');
  await becomes(opens, web, 'answered');
  await becomes(other, web, 'answered');
  expect(await probe(other, { port: 9000 })).toBe('held');
  // The listener is in place before the machine, since the machine's agent is not asked.
  await run('add-machine');
  let third: string | undefined;
  await world.until('a third machine to be there', async () => {
    const { machines } = await world.status('all-for-one');
    third = machines['2']?.['dns-name'];
    return third !== undefined;
  });
  await becomes(third!, web, 'nobody listens');
  await run('unexpose', 'opens');
  for (const address of [opens, other, third!]) await becomes(address, web, 'held');
});

test('every port can be reached without a firewall', async () => {
  await world.addModel('open', '--config', 'firewall-mode=none');
  await inModel('open', 'deploy', listener('bare', ''));
  const address = await addressOf('open', 'bare/0');
  await becomes(address, { port: 8080 }, 'answered');
  await becomes(address, { port: 1 }, 'nobody listens');
  await expect(inModel('open', 'model-config', 'ssh-allow=192.0.2.0/24')).rejects.toThrow(
    'ssh-allow has no effect on machines without a firewall',
  );
  await becomes(address, { protocol: 'udp', port: 5300 }, 'answered');
  await becomes(address, { protocol: 'icmp' }, 'answered');
});
