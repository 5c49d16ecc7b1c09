import { expect, test } from 'vitest';
import { JujuError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import type { AgentApi } from '../uplink.ts';
import { levelFilter, LogShipper } from './log-shipper.ts';

test.each([
  { config: '', module: 'grigri.machine', level: 'INFO' as const, sent: true },
  { config: '', module: 'unit.web/0.install', level: 'DEBUG' as const, sent: false },
  { config: '<root>=WARNING', module: 'grigri', level: 'INFO' as const, sent: false },
  { config: '<root>=WARNING; unit=debug', module: 'unit.web/0.install', level: 'DEBUG' as const, sent: true },
  { config: 'unit=DEBUG', module: 'units.web', level: 'DEBUG' as const, sent: false },
  {
    config: 'unit=DEBUG;unit.web/0=ERROR',
    module: 'unit.web/0.start',
    level: 'WARNING' as const,
    sent: false,
  },
  { config: 'nonsense;<root>=LOUD', module: 'grigri', level: 'INFO' as const, sent: true },
])('the logging-config "$config" sends $module at $level: $sent', ({ config, module, level, sent }) => {
  expect(levelFilter(config)(module, level)).toBe(sent);
});

/** Starts a shipper and records its calls: their messages, and how long each call is as JSON. */
function started(refuses: () => boolean = () => false): {
  readonly add: (message: string) => void;
  readonly stop: () => Promise<void>;
  readonly sent: string[];
  readonly sizes: number[];
} {
  const sent: string[] = [];
  const sizes: number[] = [];
  const api: AgentApi = {
    call: (_method, params) => {
      sizes.push(JSON.stringify(params).length);
      if (refuses()) return Promise.reject(new JujuError('bad request', 'refused'));
      for (const { message } of (params as { records: { message: string }[] }).records) sent.push(message);
      return Promise.resolve({} as never);
    },
  };
  const shipper = new LogShipper({ api, connected: () => true, clock: new ManualClock(), random: () => 0.5 });
  const add = (message: string): void =>
    shipper.add('unit-a-0', { time: '', level: 'INFO', module: 'x', message });
  return { add, stop: () => shipper.stop(), sent, sizes };
}

test('a log line that is longer than the controller accepts is truncated', async () => {
  const { add, stop, sent } = started();
  const { max } = limits.logMessage;
  for (const length of [max, max + 1]) add('y'.repeat(length));
  await stop();
  expect(sent).toEqual(['y'.repeat(max), `${'y'.repeat(max - 1)}…`]);
});

test('long log lines of control characters are sent in requests that the controller accepts', async () => {
  const { add, stop, sent, sizes } = started();
  for (let n = 0; n < 50; n++) add('\0'.repeat(limits.logMessage.max));
  await stop();
  expect(sent).toHaveLength(50);
  expect(Math.max(...sizes)).toBeLessThan(limits.request.max);
});

test('long log lines that wait take no more memory than many short ones, and the loss is reported', async () => {
  const { add, stop, sent } = started();
  for (let n = 0; n < 1000; n++) add(String(n).padEnd(limits.logMessage.max));
  await stop();
  const [told, ...kept] = sent;
  expect(told).toBe(`${1000 - kept.length} log lines were lost`);
  expect(kept.length).toBeGreaterThan(100);
  expect(kept.length * limits.logMessage.max).toBeLessThan(20_000_000);
  expect(kept.at(-1)!.trim()).toBe('999');
});

test('short log lines beyond a number are dropped, the oldest first', async () => {
  const { add, stop, sent } = started();
  for (let n = 0; n < 20_001; n++) add(String(n));
  await stop();
  expect(sent.slice(0, 2)).toEqual(['10001 log lines were lost', '10001']);
  expect(sent.at(-1)).toBe('20000');
});

test('log lines that the controller refuses are reported as lost', async () => {
  let calls = 0;
  const { add, stop, sent } = started(() => ++calls === 1);
  for (let n = 0; n < 501; n++) add(String(n));
  await stop();
  expect(sent).toEqual(['500 log lines were lost', '500']);
});
