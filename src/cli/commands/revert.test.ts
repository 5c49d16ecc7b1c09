/** Command revert, against a controller with a simulated cloud. */
import { expect, test } from 'vitest';
import { planSchema } from '../../testing/model-file/plan-schema.ts';
import { cli, outputOf, prepareCli, succeed as ok, writeCharm } from '../../testing/cli-world.ts';

prepareCli(() => writeCharm('web', '', { 'config.yaml': 'options: {motto: {type: string}}\n' }));

async function newest(): Promise<number> {
  const commits = JSON.parse(await outputOf('history -n 1 --format json')) as { revision: number }[];
  return commits.at(-1)!.revision;
}

test('revert shows the plan, asks, and returns the model to the revision; --only, --dry-run and the exit codes', async () => {
  await ok('add-model shop');
  await ok('deploy ./web --config motto=hello');
  await ok('deploy ./web other');
  const then = await newest();
  await ok('config web motto=bye');
  await ok('config other motto=new');
  await ok('deploy ./web third -n 0');

  const dry = await cli.run(`revert --to ${then} --dry-run --detailed-exitcode`);
  expect(dry.code).toBe(2);
  expect(dry.stdout).toMatch(
    new RegExp(
      `^Plan to revert model admin/shop to revision ${then} of \\d{4}-.*Z, revision \\d+:\n\n` +
        '~ application web\n    options.motto: bye → hello\n~ application other\n    options.motto: new → \\(none\\)\n',
    ),
  );
  expect(dry.stdout).toContain('\n- application third\n');
  const document: unknown = JSON.parse(await outputOf(`revert --to ${then} --dry-run --format json`));
  expect(planSchema.parse(document)).toEqual(document);

  const refused = await cli.run(`revert --to ${then}`, { input: 'n\n' });
  expect([refused.code, await outputOf('config web motto')]).toEqual([1, 'bye\n']);
  const part = await ok(`revert --to ${then} --only web`, 'y\n');
  expect(part.stderr).toContain('- set application options for web: motto\nRevert completed.\n');
  expect([await outputOf('config web motto'), await outputOf('config other motto')]).toEqual([
    'hello\n',
    'new\n',
  ]);
  await ok(`revert --to ${then} --no-prompt`);
  expect(await outputOf(`revert --to ${then} --dry-run --detailed-exitcode`)).toBe(
    `Nothing to change: model admin/shop is as it was at revision ${then}.\n`,
  );
  expect(await outputOf('history -n 50')).toContain(`revert to revision ${then} by admin is done`);
});

test('revert --rolling gives units the charm of then in batches', async () => {
  await ok('add-model rolled');
  await ok('deploy ./web -n 2');
  const then = await newest();
  writeCharm('web', '', { 'config.yaml': 'options: {other: {type: string}}\n' });
  await ok('refresh web --path ./web');
  await ok(`revert --to ${then} --rolling --max-unavailable 50% --no-prompt`);
  const { applications } = JSON.parse(await outputOf('status --format json')) as {
    applications: { web: { 'charm-rev': number } };
  };
  expect(applications.web['charm-rev']).toBe(0);
  expect(await outputOf('history -n 50')).toContain('rolling refresh began: 50% at a time');
});

test.each([
  ['revert --to 5 --max-unavailable 2', 2, '--max-unavailable is for --rolling'],
  ['revert', 2, 'specify what to return to: --to <revision or time>'],
  [
    'revert --to never',
    2,
    '--to "never": expected a revision, a time (2026-11-21 10:00), or a duration (10m)',
  ],
  ['revert --to 5 --detailed-exitcode', 2, '--detailed-exitcode requires --dry-run'],
  ['revert --to 99999999', 1, 'revision 99999999 not found'],
  ['revert --to 100d', 1, 'there was no model'],
])('%s ends with %i and says why', async (line, code, why) => {
  const run = await cli.run(line);
  expect(run.code).toBe(code);
  expect(run.stderr).toContain(why);
});
