/** Actions and commands on a machine: turns, groups, cancelling, and agents that end meanwhile. */
import { afterEach, describe, expect, test } from 'vitest';
import { bench, stopBenches } from '../../testing/machine-bench.ts';

afterEach(stopBenches);

describe('tasks of a machine and its units', () => {
  test('commands on a machine run side by side when they are parallel, and those of a group one after the other', async () => {
    const b = bench();
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    b.runCommand = async (command) => {
      begun.push(command);
      await new Promise<void>((resolve) => ends.set(command, resolve));
      return { kind: 'done', code: 0, reboot: '' };
    };
    const add = (id: string, turn: { parallel?: true; executionGroup?: string }): void =>
      b.controller.addTask({
        id,
        receiver: '0',
        name: 'juju-exec',
        parameters: { command: id },
        ...turn,
      });
    add('1', { parallel: true });
    add('2', { parallel: true });
    add('3', {});
    add('4', {});
    add('5', { parallel: true, executionGroup: 'g' });
    add('6', { executionGroup: 'g' });
    b.start();
    await b.advanceUntil(() => begun.length === 4, 1);
    expect(begun).toEqual(['1', '2', '3', '5']);
    ends.get('3')!();
    ends.get('5')!();
    await b.advanceUntil(() => begun.length === 6, 1);
    for (const end of ends.values()) end();
    await b.controller.until(() => b.controller.finished.length === 6);
    expect(b.controller.finished.every(({ status }) => status === 'completed')).toBe(true);
  });

  test('tasks are refused a reboot; a command of juju-exec on the machine is killed for its reboot, and answered', async () => {
    const b = bench(({ name, context }) => {
      if (name !== 'boot') return undefined;
      if (context.event.ofTask) return { kind: 'failed', code: 1, output: { stderr: 'refused' } };
      context.changes.reboot = 'now';
      return { kind: 'failed', message: 'ended for a reboot', reboot: 'now', output: { stdout: 'hi' } };
    });
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    const agent = b.start();
    await b.idle('web/0');
    b.controller.addTask({ id: '1', receiver: 'web/0', name: 'juju-exec', parameters: { command: 'boot' } });
    b.controller.addTask({ id: '2', receiver: 'web/0', name: 'boot', parameters: {} });
    await b.controller.until(() => b.controller.finished.length === 2);
    expect(b.controller.finished.map(({ output }) => output)).toEqual([
      { stderr: 'refused', 'return-code': 1 },
      { stderr: 'refused', 'return-code': 1 },
    ]);
    const { signal } = new AbortController();
    expect(await agent.exec({ unit: 'web/0', command: 'boot' }, signal)).toMatchObject({
      output: { stdout: 'hi' },
    });
    expect(b.agentStatus('web/0')).toBe('rebooting');
    expect(await agent.done).toBe('reboot');
  });

  test('an action waits for other work on its machine unless it is parallel', async () => {
    const { promise: until, resolve: go } = Promise.withResolvers<void>();
    const b = bench(({ name }) => (name === 'long' ? until : undefined));
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.controller.addUnit('web');
    b.controller.addUnit('web');
    b.start();
    await b.idle('web/0');
    await b.idle('web/1');
    await b.idle('web/2');
    b.controller.addTask({ id: '1', receiver: 'web/0', name: 'long', parameters: {} });
    await b.advanceUntil(() => b.hooks('web/0').includes('long'), 1);
    b.controller.addTask({ id: '2', receiver: 'web/1', name: 'short', parameters: {} });
    b.controller.addTask({ id: '3', receiver: 'web/2', name: 'short', parameters: {}, parallel: true });
    await b.controller.until(() => b.controller.finished.length === 1);
    expect(b.controller.finished).toMatchObject([{ id: '3' }]);
    expect(b.hooks('web/1')).not.toContain('short');
    go();
    await b.controller.until(() => b.controller.finished.length === 3);
  });

  test('a task that waits for its turn is cancelled at once', async () => {
    const { promise: until, resolve: go } = Promise.withResolvers<void>();
    const b = bench(({ name }) => (name === 'long' ? until : undefined));
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.controller.addUnit('web');
    b.start();
    await b.idle('web/0');
    await b.idle('web/1');
    b.controller.addTask({ id: '1', receiver: 'web/0', name: 'long', parameters: {} });
    await b.advanceUntil(() => b.hooks('web/0').includes('long'), 1);
    b.controller.addTask({ id: '2', receiver: 'web/1', name: 'short', parameters: {} });
    await b.advanceUntil(() => b.controller.tasks.get('2')?.status === 'running', 1);
    b.controller.tasks.set('2', { ...b.controller.tasks.get('2')!, status: 'aborting' });
    b.controller.changed();
    await b.controller.until(() => b.controller.finished.length === 1);
    expect(b.controller.finished).toMatchObject([{ id: '2', status: 'aborted' }]);
    expect(b.hooks('web/1')).not.toContain('short');
    go();
    await b.controller.until(() => b.controller.finished.length === 2);
  });

  test('the charm’s actions run even while a hook is in error', async () => {
    const b = bench(async ({ name, context }) => {
      if (name === 'start') return { kind: 'failed', code: 1, message: 'exit status 1' };
      if (name === 'backup') {
        context.changes.action.results['file'] = 'b.tar';
        await context.actionLog('half way');
      }
      if (name === 'absent') return { kind: 'missing' };
      return undefined;
    });
    b.controller.model.retryHooks = false;
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.start();
    await b.controller.until(() => b.agentStatus('web/0') === 'error hook failed');
    b.controller.addTask({ id: '1', receiver: 'web/0', name: 'backup', parameters: {} });
    b.controller.addTask({ id: '2', receiver: 'web/0', name: 'absent', parameters: {} });
    await b.controller.until(() => b.controller.finished.length === 2);
    expect(b.controller.finished).toEqual([
      { id: '1', status: 'completed', message: '', output: { file: 'b.tar', 'return-code': 0 } },
      { id: '2', status: 'failed', message: 'action not implemented on unit', output: {} },
    ]);
    expect(b.controller.progress).toEqual(['1: half way']);
    await b.controller.until(() => b.agentStatus('web/0') === 'error hook failed');
  });

  test('exec and actions run while the install hook has failed', async () => {
    const b = bench(({ name }) =>
      name === 'install' ? { kind: 'failed', code: 1, message: 'exit status 1' } : undefined,
    );
    b.controller.model.retryHooks = false;
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.start();
    await b.controller.until(() => b.agentStatus('web/0') === 'error hook failed');
    b.controller.addTask({ id: '1', receiver: 'web/0', name: 'juju-exec', parameters: { command: 'id' } });
    b.controller.addTask({ id: '2', receiver: 'web/0', name: 'backup', parameters: {} });
    await b.controller.until(() => b.controller.finished.length === 2);
    expect(b.controller.finished).toMatchObject([
      { id: '1', status: 'completed' },
      { id: '2', status: 'completed' },
    ]);
    expect(b.hooks('web/0')).toEqual(['install', 'id', 'backup']);
    await b.controller.until(() => b.agentStatus('web/0') === 'error hook failed');
  });

  test('a running task ends when it is cancelled', async () => {
    const b = bench(async ({ name, signal }) => {
      if (name !== 'backup') return;
      const task = b.controller.tasks.get('1')!;
      b.controller.tasks.set('1', { ...task, status: 'aborting' });
      b.controller.changed();
      await new Promise<void>((resolve) => {
        if (signal?.aborted) resolve();
        signal?.addEventListener('abort', () => resolve(), { once: true });
      });
    });
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.controller.addTask({ id: '1', receiver: 'web/0', name: 'backup', parameters: {} });
    b.start();
    await b.controller.until(() => b.controller.finished.length === 1);
    expect(b.controller.finished).toEqual([
      { id: '1', status: 'aborted', message: 'action terminated', output: { 'return-code': 0 } },
    ]);
    await b.idle('web/0');
  });

  test('a task of a unit that is removed by force is cancelled, and no other begins', async () => {
    const b = bench(async ({ name, signal }) => {
      if (name !== 'backup') return;
      const unit = b.controller.units.get('web/0')!;
      b.controller.units.set('web/0', { ...unit, life: 'dying', forced: true });
      b.controller.changed();
      await new Promise<void>((resolve) => {
        if (signal?.aborted) resolve();
        signal?.addEventListener('abort', () => resolve(), { once: true });
      });
    });
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.controller.addTask({ id: '1', receiver: 'web/0', name: 'backup', parameters: {} });
    b.controller.addTask({ id: '2', receiver: 'web/0', name: 'never', parameters: {} });
    b.start();
    await b.controller.until(() => b.controller.finished.length === 1);
    expect(b.controller.finished).toMatchObject([{ id: '1', status: 'aborted' }]);
    await b.controller.until(() => b.hooks('web/0').includes('remove'));
    expect(b.hooks('web/0')).not.toContain('never');
  });

  test('a task that was being cancelled when the previous agent ended is reported as cancelled', async () => {
    const b = bench();
    b.controller.addApplication('web');
    b.controller.addUnit('web');
    b.controller.addTask({ id: '1', receiver: 'web/0', name: 'backup', parameters: {} });
    b.controller.tasks.set('1', { ...b.controller.tasks.get('1')!, status: 'aborting' });
    b.start();
    await b.controller.until(() => b.controller.finished.length === 1);
    expect(b.controller.finished[0]).toMatchObject({ id: '1', status: 'aborted' });
    expect(b.hooks('web/0')).not.toContain('backup');
  });
});
