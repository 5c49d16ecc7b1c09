import { defineKind } from '../kind.ts';
import { limits } from '../limits.ts';
import { ofModel } from '../quota.ts';
import type { Made } from '../model-file/ownership.ts';

/** A named configuration of a storage provider. Model space; id = its name. */
export interface StoragePoolDoc extends Made {
  readonly name: string;
  readonly provider: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export const storagePool = defineKind<StoragePoolDoc>()({
  space: 'model',
  idOf: ({ name }) => name,
  quota: {
    measures: [{ limit: limits.storageAttributes, members: ['attributes'] }],
    counts: [{ limit: limits.storagePools, ...ofModel }],
  },
});
