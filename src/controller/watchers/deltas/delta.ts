/** Deltas of AllWatcher (wire.md#all-watcher), with one function for each kind of entity. */
import type { Entities, Kind } from '../../../core/kinds.ts';
import type { Reader } from '../../../store/store.ts';
import type { Delta } from '../../../wire/facades/all-watcher.ts';
import type { Services } from '../../services.ts';
import {
  annotationBody,
  actionBody,
  applicationOfferBody,
  blockBody,
  charmBody,
  relationBody,
  remoteApplicationBody,
} from './others.ts';
import { applicationBody } from './application.ts';
import { machineBody } from './machine.ts';
import { modelBody } from './model.ts';
import { unitBody } from './unit.ts';

export type DeltaKind =
  | 'model'
  | 'machine'
  | 'application'
  | 'remoteApplication'
  | 'applicationOffer'
  | 'unit'
  | 'relation'
  | 'charm'
  | 'annotation'
  | 'block'
  | 'action';

export interface DeltaScope {
  /** Reader of the model's space. */
  readonly reader: Reader<Entities>;
  readonly modelUuid: string;
  readonly services: Pick<Services, 'presence' | 'providers' | 'version'>;
}

/** Kinds of documents that are shown, with the kind of their delta; each after the kinds that its entities name. */
export const shownKinds: ReadonlyMap<Kind, DeltaKind> = new Map<Kind, DeltaKind>([
  ['model', 'model'],
  ['machine', 'machine'],
  ['charm', 'charm'],
  ['application', 'application'],
  ['remote-application', 'remoteApplication'],
  ['offer', 'applicationOffer'],
  ['relation', 'relation'],
  ['unit', 'unit'],
  ['annotation', 'annotation'],
  ['block', 'block'],
  ['task', 'action'],
]);

type Body = Record<string, unknown>;

/** Delta of the entity in its present state, or undefined when it does not exist. */
export function changeDelta(scope: DeltaScope, kind: DeltaKind, id: string): Delta | undefined {
  const body = bodies[kind](scope, id);
  return body && [kind, 'change', { 'model-uuid': scope.modelUuid, ...body }];
}

/**
 * Delta of a removed entity, with the members that identify it; `label`: a relation's key, a block's number, or the
 * application of an offer.
 */
export function removeDelta({ modelUuid }: DeltaScope, kind: DeltaKind, id: string, label: string): Delta {
  return [kind, 'remove', { 'model-uuid': modelUuid, ...names(kind, id, label) }];
}

const bodies: Readonly<Record<DeltaKind, (scope: DeltaScope, id: string) => Body | undefined>> = {
  model: modelBody,
  machine: machineBody,
  application: applicationBody,
  remoteApplication: remoteApplicationBody,
  applicationOffer: applicationOfferBody,
  unit: unitBody,
  relation: relationBody,
  charm: charmBody,
  annotation: annotationBody,
  block: blockBody,
  action: actionBody,
};

function names(kind: DeltaKind, id: string, label: string): Body {
  switch (kind) {
    case 'model':
      return {};
    case 'application':
    case 'remoteApplication':
    case 'unit':
      return { name: id };
    case 'machine':
    case 'action':
      return { id };
    case 'applicationOffer':
      return { 'offer-name': id, 'application-name': label };
    case 'relation':
      return { key: label, id: Number(id) };
    case 'charm':
      return { 'charm-url': id };
    case 'annotation':
      return { tag: id };
    case 'block':
      return { id: label };
  }
}
