/** Tests of ssh, scp and debug-hooks against a controller with canned answers. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Environ, Provider } from '../../providers/contract/provider.ts';
import { answering, cannedCli, type Calls } from '../../testing/canned-controller.ts';
import type { TestCli } from '../../testing/cli.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import type { CliIo } from '../io.ts';

let cli: TestCli;
let terminal: (readonly string[])[];
beforeEach(async () => {
  terminal = [];
  cli = await cannedCli();
});
afterEach(() => cli[Symbol.dispose]());

describe('ssh', () => {
  const machine = (id: string, members: object = {}) => ({
    id,
    'instance-id': `i-${id}`,
    'dns-name': `10.0.0.${id}`,
    'agent-status': { status: 'started' },
    containers: {},
    ...members,
  });
  const status = () => ({
    model: { 'cloud-tag': 'cloud-local' },
    machines: { '0': machine('0'), '1': machine('1', { 'instance-id': 'pending' }) },
    applications: {
      web: {
        units: {
          'web/0': {
            machine: '0',
            leader: true,
            subordinates: {
              'log/0': { machine: '', leader: true },
              'log/1': { machine: '', unplaced: true, 'workload-status': { info: '' } },
            },
          },

          'web/1': { machine: '' },
          'web/2': {
            machine: '',
            unplaced: true,
            'workload-status': { info: 'missing relation: db (mysql)' },
          },
        },
      },
      log: { units: {} },
    },
  });
  /** Makes a CLI that enters instances of a controller whose data is in the test's folder. */
  const local = (): Omit<Partial<CliIo>, 'env'> => ({
    providers: () => {
      const provider: Partial<Provider> = {
        controllerOn: 'this host',
        validate: (config) => config,
        open: ({ modelUuid }) =>
          ({
            enter: (id, { tty }) => Promise.resolve(['enter', modelUuid, id, String(tty)]),
          }) as Partial<Environ> as Environ,
      };
      return Promise.resolve(new Map([['local', provider as Provider]]));
    },
  });
  const bootstrapped = () =>
    cli.store.setBootstrapConfig('ctrl', {
      'controller-config': { 'data-dir': cli.folder },
      'model-config': {},
      'controller-model-uuid': 'x',
      cloud: 'local',
      type: 'local',
    });

  test.each([
    ['ssh 0 ls -la /', ['enter', 'm', 'i-0', 'false', 'sh', '-c', 'ls -la /']],
    [
      'ssh ubuntu@web/leader id',
      ['enter', 'm', 'i-0', 'false', 'runuser', '-u', 'ubuntu', '--', 'sh', '-c', 'id'],
    ],
    ['ssh log/0 id', ['enter', 'm', 'i-0', 'false', 'sh', '-c', 'id']],
  ])("%s enters the machine, on its controller's host", async (line, argv) => {
    await bootstrapped();
    const result = await cli.run(line, {
      ...answering({ 'Client.FullStatus': status }, terminal),
      ...local(),
    });
    expect(result).toEqual({ code: 7, stdout: '', stderr: '' });
    expect(terminal).toEqual([argv]);
  });

  test.each([
    ['its uuid', 'elsewhere', 'c', { code: 7, stderr: '' }],
    ['its name alone', 'ctrl', 'another', { code: 1, stderr: 'ERROR no answer to SSHClient.Proxy\n' }],
  ])(
    'a client that did not bootstrap the controller knows its folder by %s',
    async (_, name, uuid, result) => {
      const folder = join(cli.folder, '.local', 'share', 'grigri', name);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'controller.json'), JSON.stringify({ uuid }));
      const { ctrl } = await cli.store.controllers();
      await cli.store.updateController('ctrl', { ...ctrl!, cloud: '', type: '' });
      const run = await cli.run('ssh 0', {
        ...answering({ 'Client.FullStatus': status }, terminal),
        ...local(),
      });
      expect(run).toMatchObject(result);
    },
  );

  const lxd = () => ({ ...status(), model: { 'cloud-tag': 'cloud-localhost' } });
  const keys = ['ssh-ed25519 AAAA'];
  const network = (calls: Calls = {}): Omit<Partial<CliIo>, 'env'> => ({
    ...answering({
      'Client.FullStatus': status,
      'SSHClient.Proxy': () => ({ 'use-proxy': false }),
      'SSHClient.PublicKeys': () => ({ results: [{ 'public-keys': keys }] }),
      'SSHClient.AllAddresses': () => ({ results: [{ addresses: ['10.0.0.1', '10.0.0.2'] }] }),
      'SSHClient.PrivateAddress': () => ({ results: [{ address: '10.0.0.2' }] }),
      ...calls,
    }),
    // Another host near the client has the first address.
    hostKeysAt: ({ address }) => Promise.resolve(address === '10.0.0.2' ? keys : ['ssh-ed25519 BBBB']),
    runOnTerminal: async (argv) => {
      const file = argv.includes('-F') ? argv[argv.indexOf('-F') + 1]! : '';
      if (file) configs.push(await readFile(file, 'utf8'));
      terminal.push(argv.map((word) => (word === file ? 'CONFIG' : word)));
      return 7;
    },
  });
  let configs: string[] = [];
  beforeEach(() => (configs = []));

  test("ssh connects over the network to machines of another cloud than the controller's", async () => {
    await bootstrapped();
    const result = await cli.run('ssh web/0 id', { ...network({ 'Client.FullStatus': lxd }), ...local() });
    expect(result).toEqual({ code: 7, stdout: '', stderr: '' });
    expect(terminal).toEqual([['ssh', '-F', 'CONFIG', 'machine-0', '--', 'id']]);
  });

  test('ssh connects where the expected host key is, and accepts no other', async () => {
    await cli.run('ssh me@web/leader -L 80:h:80 -- id -u', network());
    expect(terminal).toEqual([['ssh', '-F', 'CONFIG', '-L', '80:h:80', 'machine-0', '--', 'id', '-u']]);
    expect(configs[0]).toContain('Host machine-0\n  HostName 10.0.0.2\n  Port 22\n  User "me"\n');
    expect(configs[0]).toContain('StrictHostKeyChecking yes');
    expect(configs[0]).toContain('ProxyJump none');
  });

  test('ssh goes through the host of a controller elsewhere', async () => {
    await cli.run('ssh --proxy --pty 0', network());
    expect(terminal).toEqual([['ssh', '-F', 'CONFIG', '-t', '-t', 'machine-0']]);
    expect(configs[0]).toContain('ProxyJump controller\nHost controller\n  HostName 127.0.0.1\n');
    await cli.run('ssh --proxy=false 0', network({ 'SSHClient.Proxy': () => ({ 'use-proxy': true }) }));
    expect(configs[1]).not.toContain('Host controller');
    await cli.run('ssh 0', network({ 'SSHClient.Proxy': () => ({ 'use-proxy': true }) }));
    expect(configs[2]).toContain('Host controller');
  });

  test('ssh reaches a container through its host', async () => {
    const containers = { '0/lxd/1': machine('0/lxd/1') };
    const nested = () => ({ ...status(), machines: { '0': machine('0', { containers }) } });
    await cli.run('ssh 0/lxd/1', network({ 'Client.FullStatus': nested }));
    expect(terminal).toEqual([['ssh', '-F', 'CONFIG', 'machine-0-lxd-1']]);
    expect(configs[0]).toMatch(/Host machine-0-lxd-1\n[^]*ProxyJump machine-0\nHost machine-0\n/);
  });

  test('ssh says why it has no host keys, or waits for those of a machine that starts', async () => {
    const none = () => ({ results: [{ error: { code: 'not found', message: 'keys not found' } }] });
    const missing = await cli.run('ssh 0', network({ 'SSHClient.PublicKeys': none }));
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('machine "0" has reported no SSH host keys');
    await cli.run('ssh --no-host-key-checks 0', network({ 'SSHClient.PublicKeys': none }));
    expect(configs[0]).toContain('StrictHostKeyChecking no');
    const starting = () => ({
      ...status(),
      machines: { '0': machine('0', { 'agent-status': { status: 'pending' } }) },
    });
    const clock = new ManualClock();
    let asked = 0;
    const run = cli.run('ssh 0', {
      ...network({
        'Client.FullStatus': starting,
        'SSHClient.PublicKeys': () => (++asked < 3 ? none() : { results: [{ 'public-keys': keys }] }),
      }),
      clock,
    });
    while (terminal.length < 2) {
      clock.advance(8000);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect((await run).stderr).toContain('retrieving SSH host keys for "0": keys not found\n');
    expect(asked).toBe(3);
  });

  test('ssh connects to a host that is no machine of the model with the options that it is given', async () => {
    await cli.run('ssh me@host.example -v id', network());
    expect(terminal).toEqual([
      ['ssh', '-i', `${cli.folder}/juju/ssh/juju_id_rsa`, '-v', '--', 'me@host.example', 'id'],
    ]);
  });

  test('ssh refuses to forward ports where it enters', async () => {
    await bootstrapped();
    const result = await cli.run('ssh 0 -L 80:h:80', { ...network(), ...local() });
    expect(result).toMatchObject({ code: 2 });
    expect(result.stderr).toContain('machines of this host are entered without ssh, which -L needs');
  });

  test('scp names machines by their aliases, and copies between them through this host', async () => {
    await cli.run('scp -- -r ./a me@web/0:b', network());
    await cli.run('scp 0:a web/0:b', network());
    expect(terminal).toEqual([
      ['scp', '-F', 'CONFIG', '-r', '--', './a', 'me@machine-0:b'],
      ['scp', '-F', 'CONFIG', '-3', '--', 'machine-0:a', 'machine-0:b'],
    ]);
    const mixed = await cli.run('scp 0:a host.example:b', network());
    expect(mixed.stderr).toContain("can't determine host keys for all targets");
    expect(await cli.run('scp a b', network())).toMatchObject({ code: 2 });
  });

  test('scp enters machines of this host', async () => {
    await bootstrapped();
    await cli.run('scp a ubuntu@web/0:b', { ...network(), ...local() });
    const [argv = []] = terminal;
    expect(argv.join(' ')).toContain('enter m i-0 false runuser -u ubuntu -- sh -c');
    expect(argv.slice(-4, -1)).toEqual(['~ubuntu', 'b', 'a']);
    expect(argv.at(-1)).not.toBe('yes');
    terminal.length = 0;
    await cli.run('scp a b ubuntu@web/0:', { ...network(), ...local() });
    expect(terminal[0]?.slice(-4, -1)).toEqual(['~ubuntu', './', 'a']);
    terminal.length = 0;
    await cli.run('scp web/0:/etc/hosts .', { ...network(), ...local() });
    expect(terminal[0]?.slice(-3)).toEqual(['.', 'hosts', 'yes']);
  });

  test.each([
    ['ssh 7', 'ERROR machine 7 not found'],
    ['ssh 1', 'ERROR machine "1" is not started yet: see \'grigri status 1\''],
    ['ssh web/9', 'ERROR unit "web/9" not found'],
    ['ssh web/1', 'ERROR unit "web/1" has no machine yet'],
    ['ssh web/2', 'ERROR unit "web/2" is not on a machine yet: missing relation: db (mysql)\n'],
    ['ssh log/1', 'ERROR unit "log/1" is not on a machine yet\n'],
    ['ssh nope/0', 'ERROR application "nope" not found'],
    [
      'ssh controller/0',
      'ERROR application "controller" not found: no charm runs this controller',
      'controller',
    ],
  ])('%s fails: %s', async (line, message, name = 'default') => {
    const of = () => ({ ...status(), model: { name, 'cloud-tag': 'cloud-local' } });
    const result = await cli.run(line, answering({ 'Client.FullStatus': of }, terminal));
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(message);
    expect(terminal).toEqual([]);
  });

  const charm = () => ({ meta: { name: 'web' }, actions: { specs: { backup: {} } } });
  const withCharm = (): object => {
    const { applications, ...others } = status();
    return {
      ...others,
      applications: { ...applications, web: { ...applications.web, charm: 'local:web-0' } },
    };
  };

  test('debug-hooks and debug-code open a session on the unit', async () => {
    const calls = { 'Client.FullStatus': withCharm, 'Charms.CharmInfo': charm };
    await cli.run('debug-hooks web/leader install backup', network(calls));
    await cli.run('debug-code --at=hook web/0', network(calls));
    const scripts = terminal.map((argv) => {
      expect(argv.slice(0, 7)).toEqual(['ssh', '-F', 'CONFIG', '-t', '-t', 'machine-0', '--']);
      const [, encoded = ''] = /^sudo \/bin\/bash -c "\$\(echo (\S+) \| base64 -d\)"$/.exec(argv[7]!)!;
      const script = Buffer.from(encoded, 'base64').toString();
      const [, wishes = ''] = /^wishes='(.*)'$/m.exec(script)!;
      return [/^unit='(.*)'$/m.exec(script)![1], Buffer.from(wishes, 'base64').toString()];
    });
    expect(scripts).toEqual([
      ['web/0', 'hooks: ["install","backup"]\n'],
      ['web/0', 'hooks: []\ndebug-at: "hook"\n'],
    ]);
    await bootstrapped();
    await cli.run('debug-hooks web/0', { ...network(calls), ...local() });
    expect(terminal[2]!.slice(0, 6)).toEqual(['enter', 'm', 'i-0', 'false', 'sh', '-c']);
  });

  test.each([
    ['debug-hooks', 2, 'no unit name specified'],
    ['debug-hooks 0', 2, '"0" is not a valid unit name'],
    ['debug-hooks web/0 nope', 2, 'unit "web/0" contains neither hook nor action "nope"'],
    ['debug-code web/9', 1, 'unit "web/9" not found'],
  ])('%s fails with %i: %s', async (line, code, message) => {
    const calls = { 'Client.FullStatus': withCharm, 'Charms.CharmInfo': charm };
    const result = await cli.run(line, network(calls));
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
    expect(terminal).toEqual([]);
  });
});
