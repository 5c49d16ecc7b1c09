import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, prepareCli, writeCharm } from '../../testing/cli-world.ts';

prepareCli(() => {
  writeCharm('web');
  writeCharm('odd', 'requires: [db]\n');
  writeCharm('list', '', { 'metadata.yaml': '- name: list\n' });
  mkdirSync(join(cli.folder, 'stories'));
  mkdirSync(join(cli.folder, 'empty'));
  execFileSync('mkfifo', [join(cli.folder, 'pipe')]);
  writeFileSync(join(cli.folder, 'notes.txt'), '# A page is served\ndeploy $CHARM\n');
  return Promise.resolve();
});

/** Errors that end the command before a controller is made. */
test.each([
  ['', 2, 'no charm specified'],
  ['./nope', 1, 'no charm was found at '],
  ['./empty', 1, 'is not a charm: it has neither metadata.yaml nor charmcraft.yaml'],
  ['./notes.txt', 1, 'notes.txt" is not a charm archive, and no folder of a charm: '],
  ['./web/metadata.yaml', 1, 'metadata.yaml" is not a charm archive, and no folder of a charm: '],
  ['./odd', 1, '/odd: metadata: requires: expected a map'],
  ['./list', 1, '/list: metadata: expected a map'],
  ['./web --scenario nope.txt', 2, 'no scenario can be read: '],
  ['./pipe', 1, 'pipe" is not a charm: it is neither a file nor a folder'],
  ['./web --scenario pipe', 2, 'pipe is no file: a scenario is a text file'],
  ['./web --scenario /dev/zero', 2, '/dev/zero is no file: a scenario is a text file'],
  ['./web --scenario stories', 2, 'stories is a folder: a scenario is a text file'],
  [
    './web --scenario notes.txt',
    2,
    '/notes.txt:2: "deploy $CHARM" is nothing that a scenario can say: a command begins with "$ "',
  ],
  ['./web --junit nope/results.xml', 2, '--junit nope/results.xml: there is no folder '],
  ['./web --local-image noble=noble.tar.xz', 2, '--local-image noble=noble.tar.xz: '],
])('test %s is refused', async (args, code, message) => {
  const run = await cli.run(`test ${args}`);
  expect(run).toMatchObject({ code, stderr: expect.stringContaining(message) as string });
  expect(run.stderr).not.toContain('Creating a controller');
});
