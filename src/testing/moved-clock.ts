/**
 * Module for `--import` that moves a process's clock: Date.now differs from the host's clock by the milliseconds in
 * the file named by MOVED_CLOCK, and timers of a minute and more follow it.
 */
import { readFileSync } from 'node:fs';

const realNow = Date.now;
const realTimeout = globalThis.setTimeout;
const moved = (): number => Number(readFileSync(process.env['MOVED_CLOCK']!, 'utf8'));
Date.now = () => realNow() + moved();
globalThis.setTimeout = ((fn: () => void, ms = 0, ...args: []) => {
  if (ms < 60_000) return realTimeout(fn, ms, ...args);
  const due = Date.now() + ms;
  const look = setInterval(() => {
    if (Date.now() < due) return;
    clearInterval(look);
    fn();
  }, 50);
  return look;
}) as typeof setTimeout;
