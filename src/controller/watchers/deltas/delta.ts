/** Entities as AllWatcher shows them (wire.md#all-watcher), one function for each kind. */
import type { Entities, Kind } from '../../../core/kinds.ts';
import type { Reader } from '../../../store/store.ts';
import type { Delta } from '../../../wire/facades/all-watcher.ts';
import type { Services } from '../../services.ts';
import { annotationBody, actionBody, charmBody, relationBody } from './others.ts';
import { applicationBody } from './application.ts';
import { machineBody } from './machine.ts';
import { modelBody } from './model.ts';
import { unitBody } from './unit.ts';

export type DeltaKind =
  'model' | 'machine' | 'application' | 'unit' | 'relation' | 'charm' | 'annotation' | 'action';

export interface DeltaScope {
  /** In the model's space. */
  readonly reader: Reader<Entities>;
  readonly modelUuid: string;
  readonly services: Pick<Services, 'presence' | 'providers' | 'version'>;
}

/** Which documents are shown, and as what; each kind after those that its entities name. */
export const shownKinds: ReadonlyMap<Kind, DeltaKind> = new Map<Kind, DeltaKind>([
  ['model', 'model'],
  ['machine', 'machine'],
  ['charm', 'charm'],
  ['application', 'application'],
  ['relation', 'relation'],
  ['unit', 'unit'],
  ['annotation', 'annotation'],
  ['task', 'action'],
]);

type Body = Record<string, unknown>;

/** The entity as it is, or undefined when there is none. */
export function changeDelta(scope: DeltaScope, kind: DeltaKind, id: string): Delta | undefined {
  const body = bodies[kind](scope, id);
  return body && [kind, 'change', { 'model-uuid': scope.modelUuid, ...body }];
}

/** What names an entity that is gone; `label`: a relation's key. */
export function removeDelta({ modelUuid }: DeltaScope, kind: DeltaKind, id: string, label: string): Delta {
  return [kind, 'remove', { 'model-uuid': modelUuid, ...names(kind, id, label) }];
}

const bodies: Readonly<Record<DeltaKind, (scope: DeltaScope, id: string) => Body | undefined>> = {
  model: modelBody,
  machine: machineBody,
  application: applicationBody,
  unit: unitBody,
  relation: relationBody,
  charm: charmBody,
  annotation: annotationBody,
  action: actionBody,
};

function names(kind: DeltaKind, id: string, label: string): Body {
  switch (kind) {
    case 'model':
      return {};
    case 'application':
    case 'unit':
      return { name: id };
    case 'machine':
    case 'action':
      return { id };
    case 'relation':
      return { key: label, id: Number(id) };
    case 'charm':
      return { 'charm-url': id };
    case 'annotation':
      return { tag: id };
  }
}
