import type { Entities } from '../../core/entities.ts';
import { JujuError } from '../../core/errors.ts';
import { isImpeded } from '../../core/impediments.ts';
import { ending, type ForceRequest } from './force.ts';
import { mustGet, setStatus, type Tx } from './tx.ts';

/** In the controller's space: the model is dying; the undertaker takes everything in it down, the record last. */
export function destroyModel(tx: Tx, args: { uuid: string; force?: ForceRequest }): { warnings: string[] } {
  const model = mustGet(tx, 'model', args.uuid);
  if (tx.get('controller', 'self')?.modelUuid === args.uuid)
    throw new JujuError('', 'cannot destroy the controller model: use destroy-controller');
  tx.put('model', args.uuid, {
    ...model,
    life: 'dying',
    ...ending(tx, model, args.force),
  });
  setStatus(tx.in(args.uuid), 'model', '', 'destroying');
  return { warnings: [] };
}

/** Everything that a model's space can hold. */
const modelKinds = [
  'annotation',
  'application',
  'charm',
  'leader-settings',
  'lease',
  'machine',
  'operation',
  'relation',
  'scope',
  'sequence',
  'settings',
  'status',
  'task',
  'unit',
  'unit-state',
] as const satisfies readonly (keyof Entities)[];

/** Removes what is left of an emptied model. Errors: `model not empty`. */
export function removeModel(tx: Tx, uuid: string): void {
  const space = tx.in(uuid);
  if (isImpeded({ kind: 'model', id: uuid }, space))
    throw new JujuError('model not empty', 'model not empty');
  for (const kind of modelKinds) for (const id of idsOf(space, kind)) space.remove(kind, id);
  for (const access of tx.find('access', 'model', uuid)) {
    tx.remove('access', `${access.user} ${uuid}`);
    tx.remove('last-login', `${access.user} ${uuid}`);
  }
  tx.remove('model', uuid);
}

function idsOf(tx: Tx, kind: (typeof modelKinds)[number]): string[] {
  switch (kind) {
    case 'annotation':
      return [...tx.list(kind)].map((doc) => doc.tag);
    case 'application':
    case 'unit':
    case 'sequence':
      return [...tx.list(kind)].map((doc) => doc.name);
    case 'charm':
      return [...tx.list(kind)].map((doc) => doc.url);
    case 'leader-settings':
    case 'lease':
      return [...tx.list(kind)].map((doc) => doc.application);
    case 'machine':
    case 'operation':
    case 'task':
      return [...tx.list(kind)].map((doc) => doc.id);
    case 'relation':
      return [...tx.list(kind)].map((doc) => String(doc.id));
    case 'scope':
      return [...tx.list(kind)].map((doc) => `${doc.relation}#${doc.unit}`);
    case 'settings':
      return [...tx.list(kind)].map((doc) => `${doc.relation}#${doc.owner}`);
    case 'status':
      return [...tx.list(kind)].map((doc) => `${doc.kind}:${doc.entity}`);
    case 'unit-state':
      return [...tx.list(kind)].map((doc) => doc.unit);
  }
}
