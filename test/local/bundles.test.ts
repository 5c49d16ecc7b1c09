/**
 * Bundles on real machines: deployed once, repeatedly and partially, by clients that are killed, and exported from a
 * model.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { root, startWorld, type World } from '../world.ts';

let world: World;
let models = 0;

beforeAll(async () => {
  world = await startWorld('bundles');
});
// Each test has a model, because names of units and machines are never reused in one.
beforeEach(async () => {
  const model = `work-${++models}`;
  await world.addModel(model);
  await world.grigri('switch', model);
});
afterEach(() => world.grigri('destroy-model', `work-${models}`, '--no-prompt', '--timeout', '140s'));
afterAll(async () => {
  expect((await world?.end()) ?? []).toEqual([]);
});

const examples = join(root, 'examples');
const blog = join(examples, 'bundle.yaml');

/** Returns the messages of a command, without its result. */
async function tells(...args: string[]): Promise<string> {
  const { code, stderr } = await world.attempt(...args);
  expect(code, `${args.join(' ')}: ${stderr}`).toBe(0);
  return stderr;
}

/** Writes a file to the folder of this test. */
function file(name: string, content: string): string {
  mkdirSync(join(world.dir, 'bundles'), { recursive: true });
  const path = join(world.dir, 'bundles', name);
  writeFileSync(path, content);
  return path;
}

async function untilActive(...units: string[]): Promise<void> {
  for (const unit of units) await world.untilUnit(unit, { workload: 'active' });
}

/** Returns the machine of each unit; '' for units without one. */
async function places(): Promise<Record<string, string>> {
  const { applications } = await world.status();
  return Object.fromEntries(
    Object.values(applications)
      .flatMap(({ units = {} }) => Object.entries(units))
      .map(([unit, { machine = '' }]) => [unit, machine]),
  );
}

test('the example bundle works, can be deployed twice without changes, and takes overlays', async () => {
  const output = await tells('deploy', blog);
  expect(output).toMatch(/^Executing changes:\n- upload charm /m);
  expect(output).toMatch(/\nDeploy of bundle completed\.$/m);
  expect(output).not.toMatch(/wait/);
  await untilActive('mysql/0', 'rsyslog/0', 'wordpress/0');
  expect(await places()).toEqual({ 'mysql/0': '0', 'rsyslog/0': '0', 'wordpress/0': '1' });
  const { units = {} } = (await world.status()).applications['wordpress'] ?? {};
  const address = units['wordpress/0']?.['public-address'] ?? '';
  const messages = '/var/lib/juju/agents/unit-rsyslog-0/charm/var/messages';
  await world.until('the logs of a visit to arrive', async () => {
    expect(await (await fetch(`http://${address}:8080/`)).text()).toContain('Deployed as a whole');
    return (await world.grigri('ssh', 'rsyslog/0', `cat ${messages}`)).includes('wordpress');
  });
  expect(await tells('deploy', blog)).toBe('No changes to apply.\n');

  file('title.txt', 'From a file');
  const overlay = file(
    'more.yaml',
    `applications:
  wordpress:
    num_units: 3
    to: [new, "lxd:mysql/0", "0"]
    options: {title: "include-file://title.txt", port: 8081}
    annotations: {place: here}
`,
  );
  const changes = [
    'set application options for wordpress: port, title',
    'set annotations for wordpress',
    'add unit wordpress/1 to lxd on machine 0',
    'add unit wordpress/2 to machine 0',
  ];
  const lines = changes.map((line) => `- ${line}\n`).join('');
  expect(await tells('deploy', blog, '--overlay', overlay, '--dry-run')).toBe(
    `Changes to deploy bundle:\n${lines}`,
  );
  expect(JSON.parse(await world.grigri('deploy', blog, '--overlay', overlay, '--format', 'json'))).toEqual({
    changes,
    warnings: [],
    requirements: { deployable: [], running: [], circles: [], pending: [] },
  });
  expect(await world.grigri('config', 'wordpress', 'title')).toBe('From a file\n');
  expect(await places()).toMatchObject({ 'wordpress/1': '0/lxd/0', 'wordpress/2': '0' });
  expect(await tells('deploy', blog, '--overlay', overlay)).toBe('No changes to apply.\n');
  // Units beyond the bundle's number stay.
  expect(await tells('deploy', blog)).toMatch(/wordpress keeps its units: 3, the bundle has 1/);
});

test('a bundle reports applications that would wait before it changes anything, and deploys them when they can start', async () => {
  const bundle = file(
    'waits.yaml',
    `applications:
  wordpress: {charm: "${examples}/wordpress", num_units: 2, to: [new, "0"]}
  rsyslog: {charm: "${examples}/rsyslog", num_units: 1, to: [wordpress/0]}
machines: {"0": {}}
`,
  );
  const warning = 'WARNING wordpress would wait for relations: db (mysql)\n';
  expect(await tells('deploy', bundle, '--dry-run')).toMatch(
    new RegExp(`^${escaped(warning)}Changes to deploy`),
  );
  expect((await world.status()).applications).toEqual({});
  const output = await tells('deploy', bundle);
  expect(output.startsWith(`${warning}Executing changes:\n`)).toBe(true);
  expect(output.endsWith('\nwordpress waits for relations: db (mysql)\n')).toBe(true);
  // The machine is created because other units are placed on it.
  await untilActive('rsyslog/0');
  expect(await places()).toEqual({ 'wordpress/0': '', 'wordpress/1': '', 'rsyslog/0': '1' });
  expect(await tells('deploy', bundle)).toMatch(/No changes to apply/);

  const whole = file(
    'db.yaml',
    `applications: {mysql: {charm: "${examples}/mysql", num_units: 1, to: ["0"]}}\nrelations: [[wordpress, mysql]]\n`,
  );
  expect(await tells('deploy', bundle, '--overlay', whole)).not.toMatch(/wait/);
  await untilActive('wordpress/0', 'wordpress/1', 'mysql/0');
  expect(await places()).toEqual({
    'wordpress/0': '1',
    'wordpress/1': '0',
    'rsyslog/0': '1',
    'mysql/0': '0',
  });
});

test('a deploy whose client was killed is continued by the same command', async () => {
  for (const line of ['- add relation', '- add new machine', '- add unit'])
    await killedAfter(line, 'deploy', blog);
  await tells('deploy', blog);
  expect(await tells('deploy', blog)).toBe('No changes to apply.\n');
  await untilActive('mysql/0', 'rsyslog/0', 'wordpress/0');
  expect(await places()).toEqual({ 'mysql/0': '0', 'rsyslog/0': '0', 'wordpress/0': '1' });
  expect(Object.keys((await world.status()).machines)).toEqual(['0', '1']);
});

test('an invalid bundle is refused before anything is changed', async () => {
  const refused = async (content: string, ...flags: string[]): Promise<string> => {
    const { code, stderr } = await world.attempt('deploy', file('wrong.yaml', content), ...flags);
    expect(code).not.toBe(0);
    return stderr;
  };
  const mysql = `{charm: "${examples}/mysql", num_units: 1`;
  expect(await refused('applications: {mysql: {charm: mysql}}')).toMatch(/Charmhub .* mysql \(mysql\)/);
  expect(await refused(`applications: {mysql: ${mysql}, options: {port: x}}}`)).toMatch(
    /option "port" expected int/,
  );
  expect(await refused(`applications: {mysql: ${mysql}, trust: true}}`)).toMatch(
    /gives mysql access to the cloud.s credentials/,
  );
  expect(await refused(`applications: {mysql: ${mysql}}}`, '-n', '2', '--to', '0')).toMatch(
    /options provided but not supported when deploying a bundle: --num-units, --to/,
  );
  expect(
    await refused(`applications: {mysql: ${mysql}}, other: ${mysql}}}\nrelations: [[mysql, other]]`),
  ).toMatch(/no relations found/);
  const { applications, machines } = await world.status();
  expect({ applications, machines }).toEqual({ applications: {}, machines: {} });
});

test('existing machines of the model are used as the user says', async () => {
  await tells('add-machine', '-n', '2', '--base', 'ubuntu@24.04');
  const bundle = file(
    'mapped.yaml',
    `applications:
  mysql: {charm: "${examples}/mysql", num_units: 1, to: ["0"]}
  rsyslog: {charm: "${examples}/rsyslog", num_units: 1, to: ["1"]}
machines: {"0": {}, "1": {}}
`,
  );
  const map = ['--map-machines', 'existing,0=1'];
  await tells('deploy', bundle, ...map);
  expect(await places()).toEqual({ 'mysql/0': '1', 'rsyslog/0': '1' });
  expect(await tells('deploy', bundle, ...map)).toBe('No changes to apply.\n');
});

test('a bundle that is exported with its charms makes an equal model elsewhere', async () => {
  await tells('deploy', blog);
  const folder = join(world.dir, 'exported');
  await tells('export-bundle', '--include-charms', folder);
  const exported = await world.grigri('export-bundle');
  expect((await world.grigri('diff-bundle', blog)).trim()).toBe('{}');

  const model = `again-${models}`;
  await world.addModel(model);
  try {
    const { code, stderr } = await world.run(['deploy', folder], { model });
    expect(code, stderr).toBe(0);
    expect((await world.run(['deploy', folder], { model })).stderr).toBe('No changes to apply.\n');
    expect((await world.run(['export-bundle'], { model })).stdout).toBe(exported);
    expect((await world.run(['diff-bundle', join(folder, 'bundle.yaml')], { model })).stdout.trim()).toBe(
      '{}',
    );
  } finally {
    await world.grigri('destroy-model', model, '--no-prompt', '--timeout', '140s');
  }
});

/** Runs the command and kills it when it has printed the line, or waits for its end. */
function killedAfter(line: string, ...args: string[]): Promise<void> {
  return new Promise((resolve) => {
    const client = spawn(join(root, 'bin/grigri'), args, {
      cwd: world.dir,
      env: { ...process.env, JUJU_DATA: join(world.dir, 'client') },
    });
    let output = '';
    client.stderr.on('data', (data: Buffer) => {
      output += data.toString();
      if (output.includes(line)) client.kill('SIGKILL');
    });
    client.on('close', () => resolve());
  });
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
