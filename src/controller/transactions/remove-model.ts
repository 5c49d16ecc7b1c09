import type { Entities } from '../../core/entities.ts';
import { JujuError } from '../../core/errors.ts';
import { isImpeded } from '../../core/impediments.ts';
import type { Tx, View } from './tx.ts';

/** Everything that a model's space can hold. */
const modelKinds = [
  'annotation',
  'application',
  'charm',
  'leader-settings',
  'lease',
  'machine',
  'offer',
  'operation',
  'relation',
  'scope',
  'sequence',
  'settings',
  'status',
  'storage-attachment',
  'stray',
  'task',
  'unit',
  'unit-state',
] as const satisfies readonly (keyof Entities)[];

/** All that is in the model's space. */
export function documentsOf(view: View): { kind: (typeof modelKinds)[number]; id: string }[] {
  return modelKinds.flatMap((kind) => idsOf(view, kind).map((id) => ({ kind, id })));
}

/** Removes an emptied model, with what its space still holds. Errors: `model not empty`. */
export function removeModel(tx: Tx, uuid: string): void {
  const space = tx.in(uuid);
  if (isImpeded({ kind: 'model', id: uuid }, space))
    throw new JujuError('model not empty', 'model not empty');
  for (const { kind, id } of documentsOf(space)) space.remove(kind, id);
  for (const access of tx.find('access', 'model', uuid)) {
    tx.remove('access', `${access.user} ${uuid}`);
    tx.remove('last-login', `${access.user} ${uuid}`);
  }
  tx.remove('model', uuid);
}

function idsOf(view: View, kind: (typeof modelKinds)[number]): string[] {
  switch (kind) {
    case 'annotation':
      return [...view.list(kind)].map((doc) => doc.tag);
    case 'application':
    case 'offer':
    case 'sequence':
    case 'unit':
      return [...view.list(kind)].map((doc) => doc.name);
    case 'charm':
      return [...view.list(kind)].map((doc) => doc.url);
    case 'leader-settings':
    case 'lease':
      return [...view.list(kind)].map((doc) => doc.application);
    case 'machine':
    case 'operation':
    case 'task':
      return [...view.list(kind)].map((doc) => doc.id);
    case 'relation':
      return [...view.list(kind)].map((doc) => String(doc.id));
    case 'scope':
      return [...view.list(kind)].map((doc) => `${doc.relation}#${doc.unit}`);
    case 'settings':
      return [...view.list(kind)].map((doc) => `${doc.relation}#${doc.owner}`);
    case 'status':
      return [...view.list(kind)].map((doc) => `${doc.kind}:${doc.entity}`);
    case 'storage-attachment':
      return [...view.list(kind)].map((doc) => `${doc.storage}#${doc.unit}`);
    case 'stray':
      return [...view.list(kind)].map((doc) => doc.instanceId);
    case 'unit-state':
      return [...view.list(kind)].map((doc) => doc.unit);
  }
}
