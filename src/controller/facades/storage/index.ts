import { notFound } from '../../../core/errors.ts';
import type { storage as spec } from '../../../wire/facades/storage.ts';
import { formatTag, parseTagOf } from '../../../wire/tags.ts';
import type { Call, FacadeTable } from '../../facade.ts';
import { addStorage, attachStorage, mustGetStorage, poolsOf } from '../../transactions/begin/add-storage.ts';
import { destroyStorage, detachStorage } from '../../transactions/end/detach-storage.ts';
import type { Tx } from '../../transactions/tx.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';
import { storageDetails } from '../shared/storage-view.ts';
import { directiveOf, storageRules } from '../shared/storage.ts';
import { importVolumes } from './import.ts';
import { listFilesystems, listStorage, listVolumes } from './list.ts';
import { createPools, listPools, removePools, updatePools } from './pools.ts';

const needs = 'model-write';

export const storage: FacadeTable<typeof spec> = {
  AddToUnit: {
    needs,
    blockable: 'change',
    run: async (call, { storages }) => ({
      results: await bulk(call, storages, async ({ unit: tag, name, storage: wanted }) => {
        const unit = parseTagOf('unit', tag);
        const { providers, preferred } = storageRules(call);
        const added = await changeModel(call, (tx) =>
          addStorage(tx, {
            unit,
            name,
            directive: directiveOf(wanted),
            pools: poolsOf(tx, providers, preferred),
          }),
        );
        return { result: { 'storage-tags': added.map((id) => formatTag({ kind: 'storage', id })) } };
      }),
    }),
  },
  Attach: {
    needs,
    blockable: 'change',
    run: (call, { ids }) =>
      change(call, ids, (tx, { 'storage-tag': storageTag, 'unit-tag': unit }) =>
        attachStorage(tx, { storage: parseTagOf('storage', storageTag), unit: parseTagOf('unit', unit) }),
      ),
  },
  CreatePool: { needs, blockable: 'never', run: createPools },
  DetachStorage: {
    needs,
    blockable: 'change',
    run: (call, { ids: { ids }, force = false }) =>
      change(call, ids, (tx, { 'storage-tag': storageTag, 'unit-tag': unit }) =>
        detachStorage(tx, {
          storage: parseTagOf('storage', storageTag),
          ...(unit && { unit: parseTagOf('unit', unit) }),
          force,
        }),
      ),
  },
  Import: { needs, blockable: 'change', run: importVolumes },
  ListFilesystems: { needs: 'model-read', run: listFilesystems },
  ListPools: { needs: 'model-read', run: listPools },
  ListStorageDetails: { needs: 'model-read', run: listStorage },
  ListVolumes: { needs: 'model-read', run: listVolumes },
  Remove: {
    needs,
    blockable: 'remove',
    run: (call, params) =>
      change(call, params.storage, (tx, one) => {
        const doc = mustGetStorage(tx, parseTagOf('storage', one.tag));
        const force = one.force ?? false;
        destroyStorage(tx, {
          storage: doc.id,
          detach: force || (one['destroy-attachments'] ?? false),
          force,
          release: !(one['destroy-storage'] ?? false),
          provider: storageRules(call).providers.find(({ type }) => type === doc.provider),
        });
      }),
  },
  RemovePool: { needs, blockable: 'never', run: removePools },
  StorageDetails: {
    needs: 'model-read',
    run: async (call, { entities }) => ({
      results: await bulk(call, entities, ({ tag }) => {
        const id = parseTagOf('storage', tag);
        const doc = call.read().get('storage', id);
        if (!doc) throw notFound('storage', id);
        return { result: storageDetails(doc) };
      }),
    }),
  },
  UpdatePool: { needs, blockable: 'never', run: updatePools },
};

async function change<T>(call: Call, items: readonly T[], run: (tx: Tx, item: T) => void) {
  return {
    results: await bulk(call, items, async (item) => {
      await changeModel(call, (tx) => run(tx, item));
      return {};
    }),
  };
}
