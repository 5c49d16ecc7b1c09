/** How much of its limits an entity uses, shown by `explain` before a limit refuses anything. */
import { settingsId } from '../settings/document.ts';
import type { Kind } from '../kinds.ts';
import type { EntityRef } from '../entity-ref.ts';
import type { Refs } from '../impediments.ts';
import { limits, type Limit } from '../limits.ts';
import { limitOfSum, modelMax, usesOf } from '../quotas.ts';
import { allTellers, shareOfTeller, shareOfTellers, tellerOf } from '../relation/told-by.ts';
import type { ExplainView } from './explanation.ts';

interface Usage {
  /** The limit's name in docs/reference/limits.md. */
  readonly limit: keyof typeof limits;
  /** The limited thing: `charm state`, `settings in relation 3`. */
  readonly of: string;
  readonly used: number;
  readonly max: number;
  readonly unit: Limit['unit'];
}

type Sums = Readonly<Record<'settings' | 'secret-consumer', keyof typeof limits>>;
const sumsOfTeller: Sums = { settings: 'settingsOfConsumer', 'secret-consumer': 'readingsOfConsumer' };
const sumsOfTellers: Sums = { settings: 'settingsOfConsumers', 'secret-consumer': 'readingsOfConsumers' };

/**
 * Usage of every limit that applies to an entity. `controller` reads the controller's own space; `held` says how many
 * bytes the model's documents count for, or those of a kind that a teller of another model fills. The cost is
 * proportional to the entity's own documents: its units, relations and tasks are counted by index.
 */
export function usageOf(
  { kind, id }: EntityRef,
  view: ExplainView,
  controller: Refs,
  held: (of?: { readonly kind: 'settings' | 'secret-consumer'; readonly toldBy: string }) => number,
): Usage[] {
  const used: Usage[] = [];
  const count = counter(used);
  const tell = (toldBy: string, names: Sums, share: number, where = ''): void => {
    for (const [kindOf, name] of Object.entries(names)) {
      const { max } = limitOfSum({ limit: limits[name], share }, peek);
      count(name, held({ kind: kindOf as keyof Sums, toldBy }), `${limits[name].of}${where}`, max);
    }
  };
  const peek: Parameters<typeof modelMax>[0] = (kindOf, name) => controller.get(kindOf, name);
  const measure = (kindOfDoc: Kind, documentId: string, where = ''): void => {
    const doc = kindOfDoc === 'model' ? view.model : view.get(kindOfDoc, documentId);
    if (!doc) return;
    for (const { limit, max, size } of usesOf(kindOfDoc, doc, peek)) {
      const { of, unit } = limits[limit];
      used.push({ limit, of: `${of}${where}`, used: size, max, unit });
    }
  };
  measure(kind, id);
  switch (kind) {
    case 'unit':
      measure('unit-state', id);
      for (const { relation } of view.find('scope', 'unit', id))
        measure('settings', settingsId({ relation, owner: id }), ` in relation ${relation}`);
      count('queuedTasksOfReceiver', view.count('task', 'queue', id));
      break;
    case 'machine':
      count('queuedTasksOfReceiver', view.count('task', 'queue', id));
      break;
    case 'application':
      count('relationsOfApplication', view.count('relation', 'application', id));
      break;
    case 'relation': {
      const toldBy = tellerOf(view.get('relation', id) ?? {});
      if (toldBy !== undefined) tell(toldBy, sumsOfTeller, shareOfTeller, ` (${toldBy})`);
      break;
    }
    case 'model': {
      count('modelBytes', held(), limits.modelBytes.of, modelMax(peek));
      const owner = view.model?.owner ?? '';
      count('applications', view.count('application'));
      count('units', view.count('unit'));
      count('machines', view.count('machine'));
      count('charms', view.count('charm'));
      count('queuedTasks', view.count('task', 'pending', 'pending'));
      tell(allTellers, sumsOfTellers, shareOfTellers);
      used.push(
        ...usageOfUser(owner, controller).map((usage) => ({ ...usage, of: `${usage.of} of user ${owner}` })),
      );
    }
  }
  return used;
}

/** Usage of the limits per user, across all models. */
export function usageOfUser(user: string, controller: Refs): Usage[] {
  const used: Usage[] = [];
  const count = counter(used);
  count('modelsOfUser', controller.count('model', 'owner', user));
  count('credentialsOfUser', controller.count('credential', 'owner', user));
  return used;
}

function counter(
  used: Usage[],
): (limit: keyof typeof limits, number: number, of?: string, max?: number) => void {
  return (limit, number, of, max) => {
    const { unit, ...other } = limits[limit];
    used.push({ limit, of: of ?? other.of, used: number, max: max ?? other.max, unit });
  };
}
