import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ProgramFile } from '../../../core/controller/program.ts';
import { programFileNames } from '../../../core/controller/program.ts';
import { JujuError } from '../../../core/errors.ts';
import { statusId } from '../../../core/status.ts';
import type { Programs } from '../../programs.ts';
import { noteFailedProgram } from '../../transactions/agent/controller-started.ts';
import { createCallers, type Callers } from '../../../testing/call.ts';

const files = programFileNames.map((name) => ({ name, sha256: 'a'.repeat(64), size: 10 }));
const taken: (readonly ProgramFile[])[] = [];
const programs: Programs = {
  arch: 'amd64',
  failed: { build: 'c'.repeat(64), message: 'it ended' },
  build: () => Promise.resolve('b'.repeat(64)),
  plan: () => Promise.resolve({ build: 'd'.repeat(64), missing: ['a'.repeat(64)] }),
  receive: () => Promise.resolve(),
  upgrade: (list) => Promise.resolve(void taken.push(list)),
};
let callers: Callers;
beforeEach(async () => {
  taken.length = 0;
  callers = await createCallers({ programs });
});
afterEach(() => callers[Symbol.asyncDispose]());

const upgrade = (list: readonly object[] = files): Promise<unknown> =>
  callers.call('ControllerPrograms', 'Upgrade', { files: list });

test('a plan tells the running program, the one that did not come up, and what is to be sent', async () => {
  const present = {
    version: '3.6.28',
    arch: 'amd64',
    build: 'b'.repeat(64),
    failed: { build: 'c'.repeat(64), message: 'it ended' },
  };
  expect(await callers.call('ControllerPrograms', 'Plan', { files: [] })).toEqual({
    ...present,
    missing: [],
  });
  expect(await callers.call('ControllerPrograms', 'Plan', { files })).toEqual({
    ...present,
    planned: 'd'.repeat(64),
    missing: ['a'.repeat(64)],
  });
  await expect(callers.call('ControllerPrograms', 'Plan', { files: files.slice(1) })).rejects.toMatchObject({
    code: 'not valid',
    message: 'program without the file node',
  });
});

test('an upgrade takes whole programs only, and none while a block or a migration forbids it, before files are sent', async () => {
  await expect(upgrade([])).rejects.toMatchObject({ message: 'program without the file node' });
  await callers.change((tx) =>
    tx
      .in(callers.controllerModel)
      .put('block', 'BlockChange', { type: 'BlockChange', number: 1, message: 'not now' }),
  );
  const plan = (list: readonly object[]): Promise<unknown> =>
    callers.call('ControllerPrograms', 'Plan', { files: list });
  await expect(plan(files)).rejects.toMatchObject({ code: 'operation is blocked' });
  expect(await plan([])).toMatchObject({ arch: 'amd64' });
  await expect(upgrade()).rejects.toMatchObject({ code: 'operation is blocked' });
  await callers.change((tx) => tx.in(callers.controllerModel).remove('block', 'BlockChange'));
  const migration = { model: callers.model, attempt: 1, phase: 'IMPORT' };
  await callers.change((tx) => tx.in('').put('migration', callers.model, migration as never));
  await expect(upgrade()).rejects.toMatchObject({
    message: 'model "default" is being migrated: upgrade the controller when that has ended',
  });
  expect(taken).toEqual([]);
});

test('an upgrade is handed on', async () => {
  expect(await upgrade()).toEqual({});
  expect(taken).toEqual([files]);
});

test('a program that did not come up leaves the status of machine 0 when the running one is asked for', async () => {
  const failed = { build: 'c'.repeat(64), message: 'it ended' };
  const running = new JujuError('already exists', 'no upgrades available');
  await using same = await createCallers({
    programs: { ...programs, failed: undefined, upgrade: () => Promise.reject(running) },
  });
  await same.call('MachineManager', 'AddMachines', { params: [{ jobs: ['JobHostUnits'] }] });
  // The model of the test stands for the controller's.
  await same.change((tx) => {
    const root = tx.in('');
    root.put('controller', 'self', { ...root.get('controller', 'self')!, modelUuid: same.model });
    tx.put('machine', '0', { ...tx.get('machine', '0')!, isController: true });
    noteFailedProgram(root, failed);
  });
  const message = (): string | undefined =>
    same.view().get('status', statusId('machine-agent', '0'))?.message;
  expect(message()).toContain('it ended');
  await expect(same.call('ControllerPrograms', 'Upgrade', { files })).rejects.toMatchObject({
    code: 'already exists',
  });
  expect(message()).toBe('');
});

test('a controller without files cannot be given a program', async () => {
  await using without = await createCallers();
  for (const method of ['Plan', 'Upgrade'])
    await expect(without.call('ControllerPrograms', method, { files })).rejects.toMatchObject({
      code: 'not supported',
    });
});
