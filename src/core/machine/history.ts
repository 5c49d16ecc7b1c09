/** Descriptions of changes of a machine, for the history. */
import { formatBase } from '../base.ts';
import { formatConstraints } from '../constraints.ts';
import type { EntityRef } from '../entity-ref.ts';
import type { HistoryEvent } from '../history/event.ts';
import { constraintsOf, describeLiving, inBrackets, moved } from '../history/living.ts';
import { same } from '../history/values.ts';
import { placedOn } from '../placement.ts';
import type { MachineDoc } from './document.ts';
import { shortBuild } from './program.ts';

export function describeMachine(
  before: MachineDoc | undefined,
  after: MachineDoc | undefined,
): HistoryEvent[] {
  const { id, parent } = (after ?? before)!;
  const refs: EntityRef[] = [{ kind: 'machine', id }];
  if (parent !== undefined) refs.push({ kind: 'machine', id: parent });
  return describeLiving(`machine ${id}`, refs, before, after, {
    describeNew: (now) =>
      inBrackets([
        formatBase(now.base),
        ...(now.parent === undefined ? [] : [`in machine ${now.parent}`]),
        ...constraintsOf(now.constraints),
        ...(now.placement && placedOn(now.placement) === undefined && now.placement.directive !== ''
          ? [`placement ${now.placement.directive}`]
          : []),
      ]),
    changed: (old, now) => [
      ...starts(old, now),
      ...(now.keepInstance && !old.keepInstance ? ['its instance is to be kept'] : []),
      ...(old.clean && !now.clean && now.life === 'alive'
        ? ['in use: it has its first unit or container']
        : []),
      ...programs(old, now),
      ...moved('base', formatBase(old.base), formatBase(now.base)),
      ...moved('constraints', formatConstraints(old.constraints), formatConstraints(now.constraints)),
      ...(old.removeWhenEmpty === now.removeWhenEmpty
        ? []
        : [now.removeWhenEmpty ? 'is removed with its last unit' : 'stays without units']),
    ],
    describeMore: (old, now) => [
      ...(now.instance && now.instance.id !== old.instance?.id
        ? [['instance', `${now.instance.displayName || now.instance.id} started`] as const]
        : []),
      ...(now.hostname === old.hostname ? [] : [['hostname', now.hostname || 'none'] as const]),
      ...(same(old.hostKeys ?? [], now.hostKeys ?? []) ? [] : [['host keys', hostKeyTypes(now)] as const]),
      ...(same(old.addresses, now.addresses)
        ? []
        : [['addresses', now.addresses.map((address) => address.value).join(', ') || 'none'] as const]),
    ],
  });
}

/** Describes the changes of the agent's program, and those that did not come up. */
function programs({ program: old }: MachineDoc, { program: now }: MachineDoc): string[] {
  if (!now) return [];
  const { build, failed } = now;
  if (failed && !same(old?.failed, failed))
    return [
      `its agent keeps program ${shortBuild(build)}: ${shortBuild(failed.build)} did not come up: ${failed.message}`,
    ];
  return old ? moved('program of its agent', shortBuild(old.build), shortBuild(build)) : [];
}

/** Kinds of the host keys: a machine that suddenly has others is worth a look. */
function hostKeyTypes({ hostKeys = [] }: MachineDoc): string {
  return hostKeys.map((line) => line.split(' ')[0]).join(', ') || 'none';
}

/**
 * Describes starts: each attempt that changes the record, and the fate of an instance that the record no longer has.
 */
function starts(old: MachineDoc, now: MachineDoc): string[] {
  const failed = (now.failedZones ?? []).filter((zone) => !old.failedZones?.includes(zone));
  const allZonesAgain =
    (old.failedZones ?? []).length > 0 && (now.failedZones ?? []).length === 0 && !now.instance;
  const isRequested = now.nonce !== undefined && now.nonce !== old.nonce && !now.instance;
  const ending = now.life === 'alive' ? 'abandoned: the machine gets another' : 'released';
  const zone = isRequested
    ? [now.zone === undefined ? 'an instance is requested' : `an instance is requested in zone ${now.zone}`]
    : // A failed attempt that leaves no instance clears the zone too.
      now.zone === undefined
      ? []
      : moved('zone', old.zone ?? '', now.zone);
  return [
    ...failed.map((failedZone) => `could not be started in zone ${failedZone}`),
    ...(allZonesAgain ? ['all zones may be tried again'] : []),
    ...(old.instance && !now.instance ? [`instance ${old.instance.id} ${ending}`] : zone),
  ];
}
