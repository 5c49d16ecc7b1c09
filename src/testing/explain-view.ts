/** Small models to explain, written as literals, and explanations as lines. */
import { scopeId } from '../core/scope/document.ts';
import type { Entities, Kind } from '../core/kinds.ts';
import type { MachineDoc } from '../core/machine/document.ts';
import type { UnitDoc } from '../core/unit/document.ts';
import { indexes } from '../core/documents.ts';
import type { EntityRef } from '../core/entity-ref.ts';
import { actorsOf, explain } from '../core/explain/explain.ts';
import type { Actor, Explanation, ExplainView } from '../core/explain/explanation.ts';
import { statusId, type StatusKind } from '../core/status.ts';
import { defined } from '../core/defined.ts';

type Documents = { readonly [K in Kind]?: Readonly<Record<string, Partial<Entities[K]>>> };

export const now = '2026-01-01T01:00:00.000Z';
/** Returns the time this many minutes before `now`. */
export const ago = (minutes: number): string => new Date(Date.parse(now) - minutes * 60_000).toISOString();
export const dying = (minutes: number) => ({ life: 'dying', dyingSince: ago(minutes) }) as const;

export const machine = (id: string, more: Partial<MachineDoc> = {}): Record<string, Partial<MachineDoc>> => ({
  [id]: {
    id,
    life: 'alive',
    createdAt: ago(60),
    removeWhenEmpty: true,
    instance: { id: `i-${id}`, displayName: '', hardware: {}, isolation: '' },
    ...more,
  },
});

/** Returns a deployed unit. */
export const unit = (
  name: string,
  on: string,
  more: Partial<UnitDoc> = {},
): Record<string, Partial<UnitDoc>> => ({
  [name]: {
    name,
    application: name.split('/')[0]!,
    charmUrl: name.split('/')[0]!,
    life: 'alive',
    machine: on,
    deployed: true,
    resolved: '',
    createdAt: ago(60),
    ...more,
  },
});

export const application = (
  name: string,
  more: Partial<Entities['application']> = {},
): Record<string, Partial<Entities['application']>> => ({
  [name]: { name, life: 'alive', charmUrl: name, subordinate: false, createdAt: ago(60), ...more },
});

/** Returns a relation between two applications, `wordpress:db mysql:server`, or of peers. */
export const relation = (
  id: number,
  key: string,
  more: Partial<Entities['relation']> = {},
  scope: 'global' | 'container' = 'global',
): Record<string, Partial<Entities['relation']>> => ({
  [id]: {
    id,
    key,
    life: 'alive',
    endpoints: key.split(' ').map((end) => ({
      application: end.split(':')[0]!,
      name: end.split(':')[1]!,
      scope,
    })) as unknown as Entities['relation']['endpoints'],
    createdAt: ago(60),
    ...more,
  },
});

export const inScope = (id: number, ...units: readonly string[]): Record<string, Entities['scope']> =>
  Object.fromEntries(
    units.map((name) => [
      scopeId({ relation: id, unit: name }),
      {
        relation: String(id),
        unit: name,
        application: name.split('/')[0]!,
        role: 'provider',
        container: '',
        departing: false,
      },
    ]),
  );

export const status = (
  kind: StatusKind,
  entity: string,
  text: string,
  message = '',
  more: { readonly data?: Record<string, unknown>; readonly minutes?: number } = {},
): Record<string, Entities['status']> => ({
  [statusId(kind, entity)]: {
    kind,
    entity,
    status: text,
    message,
    data: more.data ?? {},
    since: ago(more.minutes ?? 1),
  },
});

/** Returns the status of a unit whose hook has failed. */
export const hookFailed = (name: string, hook = 'stop', minutes = 3): Record<string, Entities['status']> =>
  status('unit-agent', name, 'error', `hook failed: "${hook}"`, { data: { hook }, minutes });

export interface ViewOptions {
  readonly model?: Partial<Entities['model']>;
  /** Machines whose agent is not connected → minutes since it was lost. */
  readonly absent?: Readonly<Record<string, number>>;
  /** Machines whose agent is connected and reports nothing → minutes since its last report. */
  readonly frozen?: Readonly<Record<string, number>>;
  readonly storeProblem?: string;
  /** Called for each document that is read by its id. */
  readonly onGet?: () => void;
}

/** Returns a view in which machines are up and their agents connected, unless options say otherwise. */
export function explainView(documents: Documents, options: ViewOptions = {}): ExplainView {
  const { model = {}, absent = {}, frozen = {}, storeProblem, onGet } = options;
  const docs = <P extends Kind>(kind: P): Entities[P][] =>
    Object.values(documents[kind] ?? {}) as unknown as Entities[P][];
  const found = new Map<string, Map<unknown, object[]>>();
  const find: ExplainView['find'] = (kind, index, value) => {
    const key = `${kind} ${index}`;
    let byValue = found.get(key);
    if (!byValue) {
      const of = (indexes as unknown as Record<string, Record<string, (doc: object) => unknown>>)[kind]![
        index
      ]!;
      found.set(key, (byValue = new Map()));
      for (const doc of docs(kind))
        for (const one of [of(doc)].flat()) {
          const list = byValue.get(one);
          if (list) list.push(doc);
          else byValue.set(one, [doc]);
        }
    }
    return (byValue.get(value) ?? []) as never;
  };
  const started = (id: string) => status('machine-agent', id, 'started')[`machine-agent:${id}`];
  return {
    get(kind, id) {
      onGet?.();
      const found: unknown =
        documents[kind]?.[id] ??
        (kind === 'status' && id.startsWith('machine-agent:') && documents.machine?.[id.slice(14)]?.instance
          ? started(id.slice(14))
          : undefined);
      return found as never;
    },
    ...defined({ storeProblem }),
    list: docs,
    find,
    count: (kind, index, value) => (index === undefined ? docs(kind) : [...find(kind, index, value!)]).length,
    now,
    model: { uuid: 'u', name: 'default', owner: 'admin', life: 'alive', config: {}, ...model } as never,
    present: (id) => !(id in absent) && documents.machine?.[id]?.instance !== undefined,
    heardAt: (id) => (id in frozen ? ago(frozen[id]!) : undefined),
    absentSince: (id) => (id in absent ? ago(absent[id]!) : undefined),
  };
}

/** Returns the tree of an explanation, its actors and commands, one line each. */
export function lines(entity: EntityRef, view: ExplainView): string[] {
  return linesOf(explain(entity, view));
}

export function linesOf(explanation: Explanation): string[] {
  return [
    ...tree(explanation, ''),
    ...actorsOf(explanation).flatMap((actor) => [actorLine(actor), ...commands(actor.commands)]),
    ...(explanation.removal
      ? [`remove ${explanation.removal.refused}`.trim(), ...commands(explanation.removal.commands)]
      : []),
  ];
}

function tree(one: Explanation, indent: string): string[] {
  const life = one.life === undefined ? '' : `${one.life}, `;
  const own = one.above ? `${one.name}: above` : `${one.name}: ${life}${one.text}`;
  const more = one.more > 0 ? [`${indent}  and ${one.more} more`] : [];
  return [`${indent}${own}`, ...one.waitsFor.flatMap((next) => tree(next, `${indent}  `)), ...more];
}

function actorLine({ kind, name, task, since }: Actor): string {
  const minutes =
    since === undefined ? '' : ` ${Math.round((Date.parse(now) - Date.parse(since)) / 60_000)}m`;
  return `> ${kind} ${name}${minutes}: ${task}`;
}

function commands(list: Actor['commands']): string[] {
  return list.map(({ line }) => `$ ${line}`);
}
