import { formatBase } from '../base.ts';
import type { MachineDoc } from './document.ts';

/**
 * One short line about machines that run on another base than requested, however many there are; '' when none does: `3
 * machines of ubuntu@24.04 run on debian@12: see "help local-image"`.
 */
export function otherBases(machines: Iterable<Pick<MachineDoc, 'base' | 'instance'>>): string {
  let count = 0;
  const asked = new Set<string>();
  const actual = new Set<string>();
  for (const { base, instance } of machines) {
    if (!instance?.base) continue;
    count++;
    asked.add(formatBase(base));
    actual.add(formatBase(instance.base));
  }
  if (count === 0) return '';
  const [machine, run] = count === 1 ? ['machine', 'runs'] : ['machines', 'run'];
  const list = (bases: ReadonlySet<string>): string => [...bases].sort().join(', ');
  return `${count} ${machine} of ${list(asked)} ${run} on ${list(actual)}: see "help local-image"`;
}
