import { expect, test } from 'vitest';
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
])('"$config" sends $module at $level: $sent', ({ config, module, level, sent }) => {
  expect(levelFilter(config)(module, level)).toBe(sent);
});

test('a log line that is longer than the controller accepts is truncated', async () => {
  const sent: string[] = [];
  const api: AgentApi = {
    call: (_method, params) => {
      for (const { message } of (params as { records: { message: string }[] }).records) sent.push(message);
      return Promise.resolve({} as never);
    },
  };
  const shipper = new LogShipper({ api, connected: () => true, clock: new ManualClock(), random: () => 0.5 });
  const { max } = limits.logMessage;
  for (const length of [max, max + 1])
    shipper.add('unit-a-0', { time: '', level: 'INFO', module: 'x', message: 'y'.repeat(length) });
  await shipper.stop();
  expect(sent).toEqual(['y'.repeat(max), `${'y'.repeat(max - 1)}…`]);
});
