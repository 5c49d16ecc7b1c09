/** The example of a repository with environments: planned and applied as CI does, against a simulated cloud. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { cli, prepareCli, succeed as ok } from '../../testing/cli-world.ts';

prepareCli(() => undefined);

const root = join(import.meta.dirname, '../../..');
const shop = join(root, 'examples/shop');
const file = (environment: string): string =>
  `${shop}/model.yaml --overlay ${shop}/environments/${environment}.yaml --var-file ${shop}/environments/${environment}.vars.yaml`;
const env = { env: { SHOP_PAYMENT_KEY: 'k-123' } };

test.each([
  ['staging', { proxy: 1, store: 1, web: 1 }, 'Shop (staging)', undefined],
  ['production', { proxy: 1, store: 2, web: 3 }, 'Shop', true],
])(
  'the environment %s is planned, applied, exported, and planned again without a change',
  async (name, units, title, exposed) => {
    await ok(`add-model ${name}`);
    const plan = `plan ${file(name)} --prune --detailed-exitcode`;
    expect(await cli.run(plan, env)).toMatchObject({ code: 2 });
    const applied = await cli.run(`apply ${file(name)} --no-prompt --parallel 8`, env);
    expect(applied, applied.stderr).toMatchObject({ code: 0 });
    expect(await cli.run(plan, env)).toMatchObject({ code: 0 });
    await ok('export --as model.yaml');
    expect(await cli.run('plan model.yaml --detailed-exitcode')).toMatchObject({ code: 0 });
    const { stdout } = await ok('export');
    const { applications } = parse(stdout) as { applications: Record<string, Record<string, unknown>> };
    const has = (key: string): object =>
      Object.fromEntries(Object.entries(applications).map(([one, values]) => [one, values[key]]));
    expect(has('num_units')).toEqual(units);
    expect(applications['web']).toMatchObject({ options: { title } });
    expect(has('expose')).toEqual({ proxy: exposed, store: undefined, web: undefined });
    expect(stdout + applied.stderr + applied.stdout).not.toContain('k-123');
  },
);

test.each([
  ['jq says that a person decides', 0, {}, 3, ''],
  ['somebody has decided', 0, { FORCE: '1' }, 0, 'applied\n'],
  ['jq finds nothing to decide', 4, {}, 0, 'applied\n'],
  ['jq is missing', 127, {}, 1, ''],
  ['jq does not understand the plan', 5, { FORCE: '1' }, 1, ''],
])('the job applies nothing that was not judged: %s', (_, jq, more, code, stdout) => {
  const bin = mkdtempSync(join(tmpdir(), 'grigri-shop-'));
  const program = (name: string, script: string): void =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  program('grigri', 'case $* in apply*) echo applied ;; *--detailed-exitcode*) exit 2 ;; esac');
  program('jq', `exit ${jq}`);
  cpSync(join(shop, 'ci'), join(bin, 'shop/ci'), { recursive: true });
  const run = spawnSync('sh', [join(bin, 'shop/ci/deploy.sh'), 'apply', 'production'], {
    env: { PATH: `${bin}:${process.env['PATH']}`, ...more },
    encoding: 'utf8',
  });
  rmSync(bin, { recursive: true });
  expect([run.status, run.stdout], run.stderr).toEqual([code, stdout]);
});

/** Jobs of a file for GitHub, or for GitLab. */
type Jobs = Readonly<Record<string, { readonly steps?: { run?: string }[]; readonly script?: string[] }>>;

/** Returns the commands of all jobs of a file that run when somebody is logged in. */
function commandsOf(path: string): string[] {
  const file = parse(readFileSync(path, 'utf8')) as { readonly jobs?: Jobs };
  return Object.values(file.jobs ?? (file as Jobs))
    .flatMap(({ steps = [], script = [] }) => [...steps.map(({ run = '' }) => run), ...script])
    .filter((command) => command !== '' && !command.includes('grigri login'));
}

test('a repository that is made as docs/ci.md says has what its jobs run, and the charms of its plans', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'grigri-ci-'));
  const run = (command: string, more: object = {}): void => {
    const ran = spawnSync('sh', ['-euc', command], { cwd: folder, encoding: 'utf8', ...more });
    expect([ran.status, ran.stderr], command).toEqual([0, '']);
  };
  const layout = /^( {4}git init [^]*?)\n\n/m.exec(readFileSync(join(root, 'docs/ci.md'), 'utf8'))?.[1] ?? '';
  run(layout.replaceAll('$GRIGRI', root));
  const repository = join(folder, 'deployments');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/grigri'), '#!/bin/sh\n[ -e "$2" ]\n', { mode: 0o700 });
  const jobs = ['.github/workflows/shop.yml', '.gitlab-ci.yml'].map((path) =>
    commandsOf(join(repository, path)),
  );
  expect(jobs.map((commands) => commands.length)).toEqual([3, 2]);
  const jobEnv = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}` };
  for (const command of jobs.flat()) run(command, { cwd: repository, env: jobEnv });
  await ok('add-model repository');
  const plan = `plan ${file('production').replaceAll(shop, join(repository, 'shop'))}`;
  expect(await cli.run(plan, env)).toMatchObject({ code: 0, stderr: '' });
  rmSync(folder, { recursive: true });
});

test('without a value of a variable or of a secret the plan is an error that names it', async () => {
  await ok('add-model empty');
  expect(await cli.run(`plan ${shop}/model.yaml`, env)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the variable TITLE has no value') as string,
  });
  expect(await cli.run(`plan ${file('staging')}`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the environment has no SHOP_PAYMENT_KEY') as string,
  });
});
