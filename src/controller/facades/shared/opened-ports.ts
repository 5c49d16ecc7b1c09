import { compareNames } from '../../../core/names.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';

/** Port ranges of the unit, of all endpoints, each once and sorted. */
export function openedPorts(unit: UnitDoc): string[] {
  return [...new Set(Object.values(unit.ports).flat())].sort(compareNames);
}
