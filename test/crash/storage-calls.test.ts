/**
 * kill -9 between any two calls that change files, mounts or devices, of the machine's agent and of the local provider:
 * repeating the step loses no data, and in the end nothing is left.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { drawPart, partOf, sayPart } from '../part.ts';
import type { Kind } from './storage-child.ts';

const child = join(import.meta.dirname, 'storage-child.ts');
/** Table of file systems with a line of the machine's own. */
const fstab = '# own\n';

/** A storage of each kind has a folder and a mount namespace of its own. */
class Stage implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'grigri-storage-calls-'));
  readonly #kind: Kind;
  readonly #cache: string;
  /** Process whose mounts all children share, and end with it. */
  readonly #holder = spawn('unshare', ['--mount', 'sh', '-c', 'echo ready; exec sleep infinity'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  readonly #ready = once(this.#holder.stdout, 'data');

  constructor(kind: Kind, cache: string) {
    this.#kind = kind;
    this.#cache = cache;
    writeFileSync(join(this.folder, 'fstab'), fstab);
  }

  /** Does the steps, the last one up to its nth call. True = the last step has fewer calls, and all were made. */
  async run(steps: string, killAt: number | '' = ''): Promise<boolean> {
    await this.#ready;
    const node = [process.execPath, child, this.folder, this.#kind, steps, String(killAt)];
    const ran = spawn('nsenter', ['-t', String(this.#holder.pid), '-m', ...node], {
      stdio: ['ignore', 'ignore', 'pipe'],
      // Without a cache, most of the time would go to compiling the same source some 250 times.
      env: { ...process.env, NODE_COMPILE_CACHE: this.#cache },
    });
    const [stderr, [status]] = await Promise.all([text(ran.stderr), once(ran, 'close')]);
    // Exit codes that report a signal, as shells have them, are also those of nsenter.
    const isKilled = status === null || status === 128 + 9;
    if (!isKilled && status !== 0) throw new Error(`${this.#kind}: ${steps} ${killAt}: ${stderr}`);
    return !isKilled;
  }

  devices(): string[] {
    const list = ['--list', '--noheadings', '--output', 'NAME,BACK-FILE'];
    const lines = execFileSync('losetup', list, { encoding: 'utf8' }).split('\n');
    return lines.filter((line) => line.includes(this.folder)).map((line) => line.split(' ')[0]!);
  }

  /** Lists everything that the storage can have left, except for folders that stay. */
  leftovers(): string[] {
    const mounts = readFileSync(`/proc/${this.#holder.pid}/mountinfo`, 'utf8').split('\n');
    const files = readdirSync(this.folder, { recursive: true, withFileTypes: true }).filter(
      (one) => !one.isDirectory() && one.name !== 'fstab',
    );
    return [
      ...mounts.filter((line) => line.includes(this.folder)),
      ...files.map(({ parentPath, name }) => join(parentPath, name)),
      ...this.devices(),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#holder, 'exit');
    this.#holder.kill('SIGKILL');
    await ended;
    for (const device of this.devices()) execFileSync('losetup', ['--detach', device]);
    rmSync(this.folder, { recursive: true });
  }
}

/** Kinds of storage with the least number of calls that a whole life of one makes. */
const kinds: readonly [kind: Kind, calls: number][] = [
  ['folder', 8],
  ['disk', 10],
  ['filesystem', 15],
  ['volume', 10],
];
const part = partOf();
const drawn = drawPart(part, kinds, { count: 2, nameOf: ([kind]) => kind });
if (part !== undefined) console.log(sayPart(part, drawn, kinds, 'kinds of storage'));

describe.skipIf(!existsSync('/dev/loop-control'))('storage (skipped without /dev/loop-control)', () => {
  const cache = mkdtempSync(join(tmpdir(), 'grigri-compiled-'));
  afterAll(() => rmSync(cache, { recursive: true }));

  test.concurrent.each(drawn)('a %s that is killed at each call', async (kind, calls) => {
    await using stage = new Stage(kind, cache);
    let killAt = 0;
    let up = false;
    for (let isOver = false; !isOver;) {
      killAt++;
      up ||= await stage.run('up', killAt);
      const down = await stage.run('up,mark,down', killAt);
      const end = await stage.run('down,up,check,end', killAt);
      if (!end) await stage.run('end');
      expect(stage.leftovers(), `killed at call ${killAt}`).toEqual([]);
      expect(readFileSync(join(stage.folder, 'fstab'), 'utf8')).toBe(fstab);
      isOver = up && down && end;
    }
    expect(killAt).toBeGreaterThan(calls);
  });
});
