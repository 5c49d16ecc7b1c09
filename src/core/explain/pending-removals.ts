import type { Force, Life } from '../life.ts';
import type { EntityRef, LivingKind } from '../entity-ref.ts';
import type { ExplainView } from './explanation.ts';
import { specs } from '../specs.ts';
import { shortReason } from './short-form.ts';
import { defined } from '../defined.ts';

interface PendingRemoval {
  readonly entity: EntityRef;
  readonly life: Life;
  /** RFC 3339: when the removal was requested. */
  readonly since?: string;
  readonly force?: Force;
  readonly waitsFor: string;
}

/** Display order of the kinds; the compiler reports a missing kind. */
const order = {
  application: true,
  unit: true,
  relation: true,
  machine: true,
} satisfies Record<Exclude<LivingKind, 'model'>, true>;
const kinds = Object.keys(order) as (keyof typeof order)[];

/**
 * Removals that are not complete: all forced ones that are not done, and dead machines that still have an instance.
 * `shown` has the first `shownMax` of them, `total` counts all.
 */
export function pendingRemovals(
  view: ExplainView,
  shownMax: number,
): { removals: PendingRemoval[]; total: number } {
  const { model } = view;
  const removals: PendingRemoval[] = [];
  let total = 0;
  const add = (
    entity: EntityRef,
    doc: { readonly life: Life; readonly dyingSince?: string; readonly force?: Force },
  ): void => {
    total++;
    if (removals.length >= shownMax) return;
    const { life, dyingSince, force } = doc;
    removals.push({
      entity,
      life,
      ...defined({ since: dyingSince, force }),
      waitsFor: shortReason(entity, view),
    });
  };
  const addForced = <P extends keyof typeof order>(kind: P): void => {
    const { idOf } = specs[kind];
    for (const doc of view.find(kind, 'force', 'forced')) add({ kind, id: idOf(doc) }, doc);
  };
  if (model?.force) add({ kind: 'model', id: model.uuid }, model);
  kinds.forEach(addForced);
  for (const machine of view.find('machine', 'life', 'dead'))
    if (!machine.force && machine.instance) add({ kind: 'machine', id: machine.id }, machine);
  return { removals, total };
}
