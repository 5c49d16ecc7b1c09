/** CLI in this process that knows a controller of a simulated cloud; tests of a file share it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { createSimulatedProvider } from '../providers/clouds/simulated/index.ts';
import { knowController, testCli, type CliRun, type TestCli } from './cli.ts';
import { testController, type TestController } from './controller.ts';

export let controller: TestController;
export let cli: TestCli;

/**
 * Registers the start of the controller, `setUp`, and the end of both; for the start of a file or of a block of tests.
 */
export function prepareCli(setUp: () => Promise<void> | void): void {
  beforeAll(async () => {
    controller = await testController(createSimulatedProvider());
    cli = testCli();
    await knowController(cli, controller);
    await setUp();
  });
  afterAll(async () => {
    cli[Symbol.dispose]();
    await controller[Symbol.asyncDispose]();
  });
}

/** Runs a command that must succeed. */
export async function succeed(line: string | readonly string[], input?: string): Promise<CliRun> {
  const run = await cli.run(line, input === undefined ? {} : { input });
  expect(run, run.stderr).toMatchObject({ code: 0 });
  return run;
}

/** Runs a command that must succeed, and returns its stdout. */
export async function outputOf(line: string | readonly string[], input?: string): Promise<string> {
  return (await succeed(line, input)).stdout;
}

/** Writes a charm into the CLI's folder. `files`: further files by their path. */
export function writeCharm(name: string, metadata = '', files: Readonly<Record<string, string>> = {}): void {
  const path = join(cli.folder, name);
  mkdirSync(join(path, 'hooks'), { recursive: true });
  writeFileSync(join(path, 'hooks/install'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(path, 'metadata.yaml'), `name: ${name}\nsummary: s\ndescription: d\n${metadata}`);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
}
