import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SimulatedCloud, createSimulatedProvider } from '../../providers/clouds/simulated/index.ts';
import { knowController, testCli } from '../../testing/cli.ts';
import { testController } from '../../testing/controller.ts';

test('spaces are added, listed, shown, filled, renamed and removed, with the output of Juju', async () => {
  using cli = testCli();
  await using controller = await testController(createSimulatedProvider());
  await knowController(cli, controller);
  const model = await controller.addModel('work');
  await cli.run('switch work');
  await controller.running().store.change((tx) => {
    // The cloud's own subnet, with which the model began.
    tx.in(model).remove('subnet', '10.0.0.0/8');
    for (const [n, cidr] of ['10.0.8.0/24', '10.0.9.0/24', 'fd00::/64'].entries())
      tx.in(model).put('subnet', cidr, { id: String(n + 1), cidr, space: 'alpha', zones: ['a'] });
  }, 'test');
  const run = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await cli.run(line);
    return `${code === 0 ? '' : `${code}: `}${stderr}${stdout}`;
  };

  expect(await run('add-space db 10.0.8.0/24')).toBe('added space "db" with subnets 10.0.8.0/24\n');
  expect(await run('add-space web')).toBe('added space "web" with no subnets\n');
  expect(await run('add-space db')).toBe('1: ERROR cannot add space "db": space "db" already exists\n');
  expect(await run('add-space D')).toMatch('"D" is not a valid space name');
  expect(await run('spaces')).toBe(
    [
      'Name   Space ID  Subnets',
      'alpha  0         10.0.9.0/24',
      '                 fd00::/64',
      'db     1         10.0.8.0/24',
      'web    2         ',
      '',
    ].join('\n'),
  );
  expect(await run('spaces --short')).toBe('Space\nalpha\ndb\nweb\n');
  expect(JSON.parse(await run('spaces --format json'))).toEqual({
    spaces: [
      {
        id: '0',
        name: 'alpha',
        subnets: {
          '10.0.9.0/24': { type: 'ipv4', status: 'in-use', zones: ['a'] },
          'fd00::/64': { type: 'ipv6', status: 'in-use', zones: ['a'] },
        },
      },
      { id: '1', name: 'db', subnets: { '10.0.8.0/24': { type: 'ipv4', status: 'in-use', zones: ['a'] } } },
      { id: '2', name: 'web', subnets: {} },
    ],
  });
  expect(await run('subnets --space db')).toBe(
    'subnets:\n  10.0.8.0/24:\n    type: ipv4\n    status: in-use\n    space: db\n    zones:\n    - a\n',
  );
  expect(await run('subnets --zone b')).toBe('No subnets found matching requested criteria.\n');
  expect(await run('move-to-space web 10.0.9.0/24')).toBe('Subnet 10.0.9.0/24 moved from alpha to web\n');
  expect(JSON.parse(await run('move-to-space db 10.0.9.0/24 --format json'))).toEqual([
    { from: 'web', to: 'db', cidr: '10.0.9.0/24' },
  ]);
  expect(await run('move-to-space db 10.9.9.0/24')).toBe('1: ERROR subnet "10.9.9.0/24" not found\n');
  expect(JSON.parse(await run('show-space db --format json'))).toEqual({
    space: {
      id: '1',
      name: 'db',
      subnets: ['10.0.8.0/24', '10.0.9.0/24'].map((cidr) => ({
        cidr,
        'vlan-tag': 0,
        zones: ['a'],
        'space-id': '1',
        'space-name': 'db',
      })),
    },
    applications: [],
    'machine-count': 0,
  });
  expect(await run('rename-space db data')).toBe('renamed space "db" to "data"\n');
  expect(await run('rename-space alpha x')).toBe(
    '1: ERROR cannot rename space "alpha": the "alpha" space cannot be renamed\n',
  );
  expect(await run('reload-spaces')).toBe('');
  await run('set-model-constraints spaces=data');
  expect(await run('remove-space data')).toBe(
    '1: ERROR Cannot remove space "data"\n\n- "data" is used as a model constraint: admin/work\n\n' +
      'Use --force to remove space\n\n',
  );
  expect(await run('remove-space data --force -y')).toBe('removed space "data"\n');
  expect(await run('remove-space web')).toBe('removed space "web"\n');
  expect(await run('spaces --short')).toBe('Space\nalpha\n');
});

test('bind reports which endpoints moved, and what it cannot bind', async () => {
  using cli = testCli();
  await using controller = await testController(createSimulatedProvider());
  await knowController(cli, controller);
  const model = await controller.addModel('bound');
  await cli.run('switch bound');
  await controller.running().store.change((tx) => {
    tx.in(model).put('space', 'db', { id: '1', name: 'db', createdAt: '' });
  }, 'test');
  mkdirSync(join(cli.folder, 'app/hooks'), { recursive: true });
  writeFileSync(
    join(cli.folder, 'app/metadata.yaml'),
    'name: app\nsummary: s\ndescription: d\nrequires: {data: {interface: x}, web: {interface: http}}\nseries: [noble]\n',
  );
  expect(await cli.run('deploy ./app -n 0 --bind data=db')).toMatchObject({ code: 0 });
  const run = async (line: string): Promise<string> => {
    const { stdout, stderr } = await cli.run(line);
    return stderr + stdout;
  };
  expect(await run('bind app db data=alpha')).toBe(
    [
      'moving endpoint "" from space "alpha" to "db"\n',
      'moving endpoint "data" from space "db" to "alpha"\n',
      'moving endpoint "web" from space "alpha" to "db"\n',
    ].join(''),
  );
  expect(await run('bind app nope=db')).toBe('ERROR endpoint "nope" not found\n');
  expect(await run('bind app web=db=alpha')).toMatch(
    /^ERROR --bind must be in the form .* Found multiple = in binding\. Did you forget/,
  );
  expect(await run('bind app =db')).toMatch(/^ERROR --bind must be .* Found = without endpoint name\. Use a/);
  expect(await run('bind app web=nope')).toBe('ERROR space "nope" not found\n');
  expect(await run('bind app')).toMatch('no bindings specified');
  expect(await run('show-application app')).toContain(
    'endpoint-bindings:\n    "": db\n    data: alpha\n    web: db\n',
  );
  expect(await run('export-bundle')).toContain('bindings:\n      "": db\n      data: alpha\n');
  expect(await run('remove-space db')).toBe(
    'ERROR Cannot remove space "db"\n\n- "db" is used as a binding on: app\n\nUse --force to remove space\n\n',
  );
});

test('machines are started on the networks of the spaces that bindings and constraints ask for', async () => {
  using cli = testCli();
  const cloud = new SimulatedCloud({ latencyMs: 0, networks: ['172.20.0.0/16', '172.21.0.0/16'] });
  await using controller = await testController(createSimulatedProvider(cloud));
  await knowController(cli, controller);
  const model = await controller.addModel('nets');
  await cli.run('switch nets');
  mkdirSync(join(cli.folder, 'app/hooks'), { recursive: true });
  writeFileSync(
    join(cli.folder, 'app/metadata.yaml'),
    'name: app\nsummary: s\ndescription: d\nrequires: {data: {interface: x}}\nseries: [noble]\n',
  );
  const ok = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await cli.run(line);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const subnetsOf = async (machine: string): Promise<string[]> => {
    const view = () => controller.running().store.read().in(model).get('machine', machine);
    await expect.poll(() => view()?.addresses.length).toBeGreaterThan(0);
    return view()!.addresses.map(({ cidr }) => cidr!);
  };

  await ok('reload-spaces');
  expect(await ok('subnets')).toMatch(/10\.0\.0\.0\/8[^]*172\.20\.0\.0\/16[^]*172\.21\.0\.0\/16/);
  await ok('add-space dmz 172.20.0.0/16');
  await ok('add-space back 172.21.0.0/16');
  await ok('add-space empty');
  await ok('deploy ./app --bind data=dmz');
  expect(await subnetsOf('0')).toEqual(['10.0.0.0/8', '172.20.0.0/16']);
  await ok('add-machine --constraints spaces=back,dmz');
  expect(await subnetsOf('1')).toEqual(['172.21.0.0/16', '172.20.0.0/16']);
  await ok('add-machine --constraints spaces=^alpha,^dmz');
  expect(await subnetsOf('2')).toEqual(['172.21.0.0/16']);
  await ok('deploy ./app plain');
  expect(await subnetsOf('3')).toEqual(['10.0.0.0/8']);

  await ok('deploy ./app nowhere --bind data=empty');
  await expect.poll(() => ok('show-machine 4')).toContain('space "empty" has no subnets');
  await ok('move-to-space empty 172.21.0.0/16 --force');
  await ok('retry-provisioning 4');
  expect(await subnetsOf('4')).toEqual(['10.0.0.0/8', '172.21.0.0/16']);
});
