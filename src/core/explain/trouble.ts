import type { UnitDoc } from '../unit/document.ts';
import { workloadStatus } from '../unit/workload-status.ts';
import type { ExplainView } from './explanation.ts';
import { agentKind } from './unit-agent.ts';
import { lookMax } from './walk.ts';

/** The units that need attention among the first thousand, most urgent first, with the number of units examined. */
export function troubled(
  units: Iterable<UnitDoc>,
  view: ExplainView,
): { units: UnitDoc[]; total: number; looked: number } {
  let looked = 0;
  const found: { unit: UnitDoc; trouble: number }[] = [];
  for (const unit of units) {
    if (++looked > lookMax) break;
    const trouble = troubleOf(unit, view);
    if (trouble > 0) found.push({ unit, trouble });
  }
  found.sort((a, b) => b.trouble - a.trouble);
  return { units: found.map(({ unit }) => unit), total: found.length, looked: Math.min(looked, lookMax) };
}

/** The urgency of a unit: 0 when it is healthy or will be without help; a higher number needs attention more. */
export function troubleOf(unit: UnitDoc, view: ExplainView): number {
  // The application's explanation says what an unplaced unit waits for.
  if (unit.unplaced) return unit.unplaced.problem === undefined ? 0 : 4;
  switch (agentKind(unit, view)) {
    case 'failed':
      return 6;
    case 'lost':
    case 'frozen':
      return 5;
    case 'absent':
      return 4;
    case 'undeployed':
      return 3;
    case 'busy':
    case 'idle':
      break;
  }
  if (unit.life !== 'alive') return 2;
  return ['blocked', 'error'].includes(workloadStatus(unit, view).status) ? 1 : 0;
}
