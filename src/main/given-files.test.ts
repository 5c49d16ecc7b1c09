/** An interrupt ends a command that reads what may never end: a pipe without a writer, or its input. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';

let folder: string;
let child: ChildProcess | undefined;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'grigri-given-'));
  execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
  writeFileSync(join(folder, 'model.yaml'), 'applications: {}\n');
});
afterEach(() => child?.kill('SIGKILL'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts the command; its input has no end. */
function start(line: string): ChildProcess {
  const program = join(import.meta.dirname, 'cli.ts');
  child = spawn(process.execPath, [program, ...line.split(' ')], {
    cwd: folder,
    env: { ...process.env, JUJU_DATA: folder, HOME: folder },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  return child;
}

/** What files the process has open. */
function openFiles(pid: number): string[] {
  const links = `/proc/${pid}/fd`;
  return readdirSync(links).map((fd) => readlinkSync(join(links, fd)));
}

test.each([
  ['plan model.yaml --var-file pipe.yaml', 'SIGINT'],
  ['plan pipe.yaml', 'SIGTERM'],
  ['plan model.yaml --overlay pipe.yaml', 'SIGINT'],
  ['create-backup --passphrase-file pipe.yaml', 'SIGTERM'],
  ['add-cloud mine -f pipe.yaml', 'SIGINT'],
] as const)('%s ends with %s while the pipe has no writer', async (line, signal) => {
  const process = start(line);
  const ended = once(process, 'exit');
  await eventually(() => expect(openFiles(process.pid!)).toContain(join(folder, 'pipe.yaml')));
  process.kill(signal);
  expect(await ended).toEqual([130, null]);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends a command while its input has no end', async (signal) => {
  const process = start('plan model.yaml --var-file -');
  const ended = once(process, 'exit');
  // More than its pipe holds: it has been read once it is written.
  await new Promise((resolve) => process.stdin!.write('#'.repeat(4 * 1024 * 1024), resolve));
  process.stdin!.on('error', () => undefined);
  process.kill(signal);
  expect(await ended).toEqual([130, null]);
});
