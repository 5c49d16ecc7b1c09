/** A command's clean-up is done whatever becomes of its terminal, its readers, and whoever signals it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { interruptSignal, standardOutput } from './cli-process.ts';

describe('signals', () => {
  function signals() {
    const events = new EventEmitter();
    const exits: number[] = [];
    const signal = interruptSignal(events, (code) => exits.push(code));
    return { events, exits, signal };
  }

  test('the first ^C interrupts the command, and the second ends the process', () => {
    const { events, exits, signal } = signals();
    events.emit('SIGINT');
    expect([signal.aborted, exits]).toEqual([true, []]);
    events.emit('SIGINT');
    expect(exits).toEqual([130]);
  });

  test.each(['SIGTERM', 'SIGHUP'])(
    'the signal %s interrupts the command, and ends nothing however often it comes',
    (name) => {
      const { events, exits, signal } = signals();
      expect(signal.aborted).toBe(false);
      for (let times = 0; times < 5; times++) expect(events.emit(name)).toBe(true);
      expect([signal.aborted, exits]).toEqual([true, []]);
      events.emit('SIGINT');
      expect(exits).toEqual([]);
    },
  );
});

describe('a stream', () => {
  class Stream extends EventEmitter {
    readonly isTTY = true;
    readonly written: string[] = [];
    write = (text: string): boolean => this.written.push(text) > 0;
  }

  test.each([
    ['EPIPE', false],
    ['EIO', true],
    ['ENOSPC', true],
  ])('that fails with %s is closed, which counts as a failure: %s', (code, isFailure) => {
    const stream = new Stream();
    const output = standardOutput(() => stream as unknown as NodeJS.WriteStream);
    output.write('one\x07');
    expect(output.isClosed).toBe(false);
    stream.emit('error', Object.assign(new Error('first'), { code }));
    stream.emit('error', Object.assign(new Error('second'), { code: 'EBADF' }));
    output.writeRaw('two');
    expect(stream.written).toEqual(['one\\u0007']);
    expect(output.isClosed).toBe(true);
    expect(output.failure?.message).toBe(isFailure ? 'first' : undefined);
  });

  test('is opened only when it is first used', () => {
    let opened = 0;
    const output = standardOutput(() => {
      opened++;
      return new Stream() as unknown as NodeJS.WriteStream;
    });
    expect([output.isClosed, output.failure, opened]).toEqual([false, undefined, 0]);
    expect(output.isTTY).toBe(true);
    output.write('');
    expect(opened).toBe(1);
  });
});

describe('a process', () => {
  let folder = '';
  let child: ChildProcess | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'grigri-process-'));
  });
  afterEach(() => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  test('whose readers went away cleans up in spite of repeated signals', async () => {
    const [script, enough, done] = ['command.ts', 'enough', 'done'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(
      script,
      `
import { existsSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { interruptSignal, standardOutput } from ${JSON.stringify(join(import.meta.dirname, 'cli-process.ts'))};
const [stdout, stderr] = [standardOutput(() => process.stdout), standardOutput(() => process.stderr)];
const signal = interruptSignal();
const busy = setInterval(() => undefined, 1000);
stdout.write('begins\\n');
await once(signal, 'abort');
// The clean-up, in steps, each of which says something.
for (let step = 0; step < 10 || !existsSync(${JSON.stringify(enough)}); step++) {
  stderr.write('step ' + step + '\\n');
  stdout.write('step ' + step + '\\n');
  await new Promise((resolve) => setTimeout(resolve, 20));
}
clearInterval(busy);
writeFileSync(${JSON.stringify(done)}, String([stdout.isClosed, stderr.isClosed]));
process.exitCode = 130;
`,
    );
    child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'exit');
    await once(child.stdout!, 'data');
    child.stdout!.destroy();
    child.stderr!.destroy();
    for (let times = 0; times < 10; times++) {
      child.kill('SIGTERM');
      child.kill('SIGHUP');
      await sleep(20);
    }
    writeFileSync(enough, '');
    expect(await ended).toEqual([130, null]);
    expect(readFileSync(done, 'utf8')).toBe('true,true');
  });

  test.each([
    [['help', 'commands'], 0],
    [['deploi'], 2],
  ])('of the command line ends with its exit code when nobody reads its output: %j', async (args, code) => {
    child = spawn(process.execPath, [join(import.meta.dirname, 'cli.ts'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, JUJU_DATA: folder },
    });
    child.stdout!.destroy();
    child.stderr!.destroy();
    expect(await once(child, 'exit')).toEqual([code, null]);
  });
});
