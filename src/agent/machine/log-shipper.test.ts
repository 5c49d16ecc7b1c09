import { expect, test } from 'vitest';
import { levelFilter } from './log-shipper.ts';

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
