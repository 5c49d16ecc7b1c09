import type { TimeStyle } from './format/time.ts';
import type { CliIo } from './io.ts';

/** Returns the style of times from --utc or JUJU_STATUS_ISO_TIME. */
export function timeStyle(io: CliIo, utc: boolean): TimeStyle {
  const iso = utc || /^(1|t|T|true|TRUE|True)$/.test(io.env['JUJU_STATUS_ISO_TIME'] ?? '');
  return { iso, nowMs: io.clock.now() };
}
