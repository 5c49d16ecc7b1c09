import { expect, test } from 'vitest';
import { limits } from '../core/limits.ts';
import { statusId } from '../core/status.ts';
import { createCallers } from '../testing/call.ts';
import { Timeline } from './timeline.ts';

test('a timeline keeps its first lines, and counts all', async () => {
  await using callers = await createCallers();
  let now = 0;
  const timeline = new Timeline(
    () => now++,
    () => callers.view(),
  );
  const { max } = limits.forecastLines;
  for (let n = 0; n <= max; n++) timeline.add('event', `event ${n}`);
  expect(timeline.count).toBe(max + 1);
  expect(timeline.lines).toHaveLength(max);
  expect(timeline.lines.at(-1)).toEqual({ atMs: max - 1, entity: 'event', what: `event ${max - 1}` });
});

test('a line of a timeline is cut at its limit', async () => {
  await using callers = await createCallers();
  const timeline = new Timeline(
    () => 0,
    () => callers.view(),
  );
  const { max } = limits.forecastLine;
  timeline.add('event', 'x'.repeat(max));
  timeline.add('event', 'x'.repeat(max + 1));
  expect(timeline.lines.map(({ what }) => what)).toEqual(['x'.repeat(max), `${'x'.repeat(max - 1)}…`]);
});

test('a timeline leaves out what the simulated cloud makes up, and attempts of suspended starts', async () => {
  await using callers = await createCallers();
  const timeline = new Timeline(
    () => 0,
    () => callers.view(),
  );
  await callers.call('MachineManager', 'AddMachines', { params: [{ jobs: ['JobHostUnits'] }] });
  using _watch = { [Symbol.dispose]: callers.store.watch((commit) => timeline.see(commit)) };
  const status = (
    kind: 'instance' | 'model',
    entity: string,
    text: string,
    message: string,
  ): Promise<unknown> =>
    callers.change((tx) =>
      tx.put('status', statusId(kind, entity), { kind, entity, status: text, message, since: tx.now }),
    );
  const attempt = async (nonce: string): Promise<void> => {
    await callers.change((tx) => tx.put('machine', '0', { ...tx.get('machine', '0')!, nonce }));
    await status('instance', '0', 'allocating', 'starting');
    await status('instance', '0', 'pending', '');
  };
  await attempt('first');
  await status('model', '', 'suspended', 'quota; next try at 10:00:00Z');
  await attempt('second');
  await callers.change((tx) => {
    const machine = tx.get('machine', '0')!;
    const instance = { id: 'i-0', displayName: '', hardware: {}, isolation: '' };
    const addresses = [{ value: '10.0.0.1', type: 'ipv4', scope: 'local-cloud' } as const];
    tx.put('machine', '0', { ...machine, instance, hostname: 'made-up', addresses });
    tx.put('subnet', '10.0.0.0/8', { id: '0', cidr: '10.0.0.0/8', space: 'alpha', zones: [] });
  });
  expect(timeline.lines.map(({ what }) => what)).toEqual([
    'an instance is requested',
    'instance status allocating: starting',
    'instance status pending',
    'starts of machines suspended: quota; next try at 10:00:00Z',
    'instance i-0 started',
  ]);
});
