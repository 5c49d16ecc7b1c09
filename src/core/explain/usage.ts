/** How much of its limits an entity uses, for `explain`: to be known before something is refused. */
import { settingsId } from '../settings/document.ts';
import type { Kind } from '../kinds.ts';
import type { EntityRef } from '../entity-ref.ts';
import type { Refs } from '../impediments.ts';
import { limits, type Limit } from '../limits.ts';
import { modelMax, usesOf } from '../quotas.ts';
import type { ExplainView } from './explanation.ts';

export interface Usage {
  /** The limit's name in docs/reference/limits.md. */
  readonly limit: keyof typeof limits;
  /** What is limited: `charm state`, `settings in relation 3`. */
  readonly of: string;
  readonly used: number;
  readonly max: number;
  readonly unit: Limit['unit'];
}

/**
 * `controller`: what is in the controller's own space; `held`: what the model's documents count for. Costs what there is of the entity itself: what it has many of
 * is counted, not looked at.
 */
export function usageOf({ kind, id }: EntityRef, view: ExplainView, controller: Refs, held: number): Usage[] {
  const used: Usage[] = [];
  const count = counter(used);
  const peek: Parameters<typeof modelMax>[0] = (kindOf, name) => controller.get(kindOf, name);
  const measure = (one: Kind, documentId: string, where = ''): void => {
    const doc = one === 'model' ? view.model : view.get(one, documentId);
    if (!doc) return;
    for (const { limit, max, size } of usesOf(one, doc, peek)) {
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
    case 'relation':
      break;
    case 'model': {
      count('modelBytes', held, limits.modelBytes.of, modelMax(peek));
      const owner = view.model?.owner ?? '';
      count('applications', view.count('application'));
      count('units', view.count('unit'));
      count('machines', view.count('machine'));
      count('charms', view.count('charm'));
      count('queuedTasks', view.count('task', 'pending', 'pending'));
      used.push(
        ...usageOfUser(owner, controller).map((one) => ({ ...one, of: `${one.of} of user ${owner}` })),
      );
    }
  }
  return used;
}

/** What a user has of what is limited, whatever model it is in. */
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
