/** Cases of explain: each an entity of a small model, and the lines that explain shows. */
import type { EntityRef } from '../core/entity-ref.ts';
import type { ExplainView } from '../core/explain/explanation.ts';

export type Case = readonly [name: string, entity: string, view: ExplainView, expected: readonly string[]];

export const ref = (text: string): EntityRef => {
  const [kind, id] = text.split(' ');
  return { kind: kind as EntityRef['kind'], id: id! };
};
export const forced = { force: { deadline: '2026-01-01T01:00:40.000Z', by: 'user-admin' } };
export const noRetry = { model: { config: { 'automatically-retry-hooks': false } } };
