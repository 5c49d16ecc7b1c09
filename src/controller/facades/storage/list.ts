import type { storage as spec } from '../../../wire/facades/storage.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { bulk } from '../shared/bulk.ts';
import { sortedStorage } from '../shared/sorted-storage.ts';
import { filesystemDetails, storageDetails } from '../shared/storage-view.ts';

/** A request without filters asks for all. */
function orAll<T>(filters: readonly T[]): readonly (T | Record<string, never>)[] {
  return filters.length > 0 ? filters : [{}];
}

export async function listStorage(
  call: Call,
  { filters }: ParamsOf<typeof spec, 'ListStorageDetails'>,
): Promise<ResultOf<typeof spec, 'ListStorageDetails'>> {
  return {
    results: await bulk(call, orAll(filters), () => ({
      result: sortedStorage(call.read()).map(storageDetails),
    })),
  };
}

export async function listFilesystems(
  call: Call,
  { filters }: ParamsOf<typeof spec, 'ListFilesystems'>,
): Promise<ResultOf<typeof spec, 'ListFilesystems'>> {
  return {
    results: await bulk(call, orAll(filters), ({ machines = [] }) => {
      const wanted = machines.map((tag) => parseTagOf('machine', tag));
      const docs = sortedStorage(call.read()).filter(
        ({ machine }) => wanted.length === 0 || (machine !== undefined && wanted.includes(machine)),
      );
      return { result: docs.flatMap((doc) => filesystemDetails(doc) ?? []) };
    }),
  };
}

/** No provider here makes volumes that are not file systems. */
export async function listVolumes(
  call: Call,
  { filters }: ParamsOf<typeof spec, 'ListVolumes'>,
): Promise<ResultOf<typeof spec, 'ListVolumes'>> {
  return { results: await bulk(call, orAll(filters), () => ({ result: [] })) };
}
