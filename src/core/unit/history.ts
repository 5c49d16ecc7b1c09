/** Descriptions of changes of a unit, for the history. */
import { formatBase } from '../base.ts';
import type { EntityRef } from '../entity-ref.ts';
import type { HistoryEvent } from '../history/event.ts';
import { describeLiving, moved } from '../history/living.ts';
import { openRanges } from '../ports.ts';
import type { UnitDoc } from './document.ts';

export function describeUnit(before: UnitDoc | undefined, after: UnitDoc | undefined): HistoryEvent[] {
  const unit = (after ?? before)!;
  const { name, application, machine, principal } = unit;
  const self: EntityRef = { kind: 'unit', id: name };
  const others: EntityRef[] = [{ kind: 'application', id: application }];
  if (machine !== undefined) others.push({ kind: 'machine', id: machine });
  if (principal !== undefined) others.push({ kind: 'unit', id: principal });
  return describeLiving(`unit ${name}`, [self, ...others], before, after, {
    describeNew: (now) =>
      [
        ...(now.principal === undefined ? [] : [`beside unit ${now.principal}`]),
        ...(now.machine === undefined ? [] : [`on machine ${now.machine}`]),
      ].join(' '),
    changed: (old, now) => [
      ...moved('charm', old.charmUrl, now.charmUrl),
      ...(now.released !== undefined && now.released !== old.released
        ? [`released to ${now.released === now.charmUrl ? 'other resources of ' : ''}charm ${now.released}`]
        : []),
      ...moved('base', formatBase(old.base), formatBase(now.base)),
      ...(old.resolved === now.resolved ? [] : [resolutions[now.resolved]]),
      ...ranges(old, now),
      ...moved('workload version', old.workloadVersion, now.workloadVersion),
      ...(now.deployed && !old.deployed ? ['agent started'] : []),
      ...(now.unplaced?.problem === undefined || now.unplaced.problem === old.unplaced?.problem
        ? []
        : [`cannot be placed: ${now.unplaced.problem}`]),
    ],
    describeMore: (old, now) =>
      old.machine === now.machine || now.machine === undefined
        ? []
        : [['placed', `on machine ${now.machine}`]],
  });
}
const resolutions: Readonly<Record<UnitDoc['resolved'], string>> = {
  'retry-hooks': 'resolved, the failed hook is to be run again',
  'no-hooks': 'resolved, the failed hook is not to be run again',
  '': 'resolution applied by the agent',
};

function ranges(old: UnitDoc, now: UnitDoc): string[] {
  const openBefore = new Set(openRanges(old.ports));
  const openNow = new Set(openRanges(now.ports));
  return [
    ...[...openNow].filter((range) => !openBefore.has(range)).map((range) => `opened ${range}`),
    ...[...openBefore].filter((range) => !openNow.has(range)).map((range) => `closed ${range}`),
  ];
}
