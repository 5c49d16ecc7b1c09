/** The state that one side of a relation tells the other side, in another model (offers.md#what-is-told). */
import type { Refs } from '../impediments.ts';
import type { Entities } from '../kinds.ts';
import type { Life } from '../life.ts';
import { parseCidrs } from '../network/network-info.ts';
import { scopeId } from '../scope/document.ts';
import { settingsId, type SettingsDoc } from '../settings/document.ts';
import { defined } from '../defined.ts';
import type { RelationDoc } from './document.ts';
import { localEnd } from './ends.ts';

/**
 * The state of one side of a relation, with that of some of its units. A state that is told again changes nothing, and
 * a newer one makes up for any that was lost.
 */
export interface SideState {
  readonly life: Life;
  /** Whether the relation's removal was forced. */
  readonly forced: boolean;
  /** Set while the relation is suspended; only the offering side suspends. */
  readonly suspended?: { readonly reason: string };
  /** The application's own settings; absent when it never had any. */
  readonly settings?: SettingsDoc['values'];
  /** Units in scope, by their numbers. */
  readonly units: readonly { readonly number: number; readonly settings: SettingsDoc['values'] }[];
  /** Units that are not in scope any more, or that leave it. */
  readonly departed: readonly number[];
  /** CIDRs that the side's units come from; of the consuming side only. */
  readonly networks: readonly string[];
}

/** A part of a side's state that is told: absent members are as they were. */
export interface SideChange extends Omit<SideState, 'networks' | 'units'> {
  readonly networks?: SideState['networks'];
  readonly units: readonly { readonly number: number; readonly settings?: SettingsDoc['values'] }[];
  /**
   * Set when another controller tells the change, of whose units there may be so many (limits.remoteUnitsOfRelation).
   */
  readonly isForeign?: true;
}

type View = Refs<Pick<Entities, 'relation' | 'scope' | 'settings'>>;

/** Maximum number of a side's networks that are told one by one; more are told as any network (offers.md#ingress). */
const networksMax = 20;
export const anyNetwork: readonly string[] = ['0.0.0.0/0', '::/0'];

/**
 * Names of the units that the side has, or had: settings stay until the relation is gone, so they tell of departures,
 * too.
 */
export function* unitsOfSide(view: View, relation: RelationDoc): Generator<string> {
  for (const { owner } of view.find('settings', 'side', sideKey(relation)))
    if (owner.includes('/')) yield owner;
}

/** State of the side that is in this model, with that of these units. `egress`: the model's egress-subnets. */
export function readSide(
  view: View,
  relation: RelationDoc,
  { units, egress }: { readonly units: Iterable<string>; readonly egress: readonly string[] },
): SideState {
  const id = String(relation.id);
  const there: SideState['units'][number][] = [];
  const departed: number[] = [];
  for (const unit of units) {
    const number = Number(unit.slice(unit.lastIndexOf('/') + 1));
    const scope = view.get('scope', scopeId({ relation: id, unit }));
    if (!scope || scope.departing) departed.push(number);
    else there.push({ number, settings: valuesOf(view, id, unit) ?? {} });
  }
  const settings = valuesOf(view, id, localEnd(relation).application);
  return {
    life: relation.life,
    forced: relation.force !== undefined,
    ...defined({ suspended: relation.suspended, settings }),
    units: there,
    departed,
    networks: networksOf(view, relation, egress),
  };
}

function valuesOf(view: View, relation: string, owner: string): SettingsDoc['values'] | undefined {
  return view.get('settings', settingsId({ relation, owner }))?.values;
}

function sideKey(relation: RelationDoc): string {
  return `${relation.id} ${localEnd(relation).application}`;
}

function networksOf(view: View, relation: RelationDoc, egress: readonly string[]): readonly string[] {
  const { consumed } = relation.remote ?? {};
  return consumed ? networksOfSide(view, relation, egress) : [];
}

/** CIDRs that the units come from: the operator's, the model's, or those that the units announce. */
export function networksOfSide(
  view: View,
  relation: RelationDoc,
  egress: readonly string[],
): readonly string[] {
  const { via = [] } = relation.remote?.consumed ?? {};
  if (relation.life !== 'alive') return [];
  if (via.length > 0) return via;
  if (egress.length > 0) return egress;
  const found = new Set<string>();
  for (const { unit, departing } of view.find('scope', 'side', sideKey(relation))) {
    if (departing) continue;
    for (const cidr of parseCidrs(valuesOf(view, String(relation.id), unit)?.['egress-subnets']))
      found.add(cidr);
    if (found.size > networksMax) return anyNetwork;
  }
  return [...found].sort();
}
