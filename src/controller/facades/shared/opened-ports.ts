import { compareNames } from '../../../core/names.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';

/** The unit's port ranges, of all endpoints, each once and in order. */
export function openedPorts(unit: UnitDoc): string[] {
  return [...new Set(Object.values(unit.ports).flat())].sort(compareNames);
}
