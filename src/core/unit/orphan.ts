import type { UnitDoc } from './document.ts';
import type { Refs } from '../impediments.ts';

/**
 * Whether the unit is a subordinate without an alive container relation between its application and its principal's
 * (relations.md#orphans).
 */
export function isOrphan(refs: Refs, unit: UnitDoc): boolean {
  if (unit.principal === undefined) return false;
  const principal = refs.get('unit', unit.principal)?.application;
  return principal === undefined || !principalsOf(refs, unit.application).has(principal);
}

/** Applications whose units may have a subordinate of this application. */
export function principalsOf(refs: Refs, subordinate: string): Set<string> {
  const principals = new Set<string>();
  for (const { life, endpoints } of refs.find('relation', 'application', subordinate))
    if (life === 'alive' && endpoints[0]?.scope === 'container')
      for (const { application } of endpoints) if (application !== subordinate) principals.add(application);
  return principals;
}

/** The application's alive units that are orphans. */
export function orphansOf(refs: Refs, subordinate: string): UnitDoc[] {
  const principals = principalsOf(refs, subordinate);
  return [...refs.find('unit', 'application', subordinate)].filter((unit) => {
    if (unit.life !== 'alive' || unit.principal === undefined) return false;
    const principal = refs.get('unit', unit.principal)?.application;
    return principal === undefined || !principals.has(principal);
  });
}
