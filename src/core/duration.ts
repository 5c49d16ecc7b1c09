import { JujuError } from './errors.ts';

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Parses a duration as Go programs write it, to milliseconds: `5m`, `1h30m`, `1.5s`, `0`. Errors: `not valid`. */
export function parseDuration(text: string): number {
  const match = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+|0)$/.exec(text);
  if (!match) throw new JujuError('not valid', `invalid duration "${text}"`);
  let total = 0;
  for (const [, count, unit] of match[2]!.matchAll(/([\d.]+)([a-zµ]+)/gy))
    total += Number(count) * units[unit!]!;
  return match[1] === '-' ? -total : total;
}

/** Milliseconds as text that `parseDuration` reads: `1h`, `1m30s`, `1.5s`, `0s`. */
export function formatDuration(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1000;
  const parts = [hours > 0 && `${hours}h`, minutes > 0 && `${minutes}m`, seconds > 0 && `${seconds}s`];
  return parts.filter((part) => part !== false).join('') || '0s';
}
