import type { StorageDoc } from '../../../core/storage/document.ts';
import type { storage as spec } from '../../../wire/facades/storage.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { AnswerSize } from '../shared/answer-size.ts';
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
  const docs = sortedStorage(call.read());
  const size = new AnswerSize();
  return {
    results: await bulk(call, orAll(filters), () => {
      size.add(docs.length);
      return { result: docs.map(storageDetails) };
    }),
  };
}

export async function listFilesystems(
  call: Call,
  { filters }: ParamsOf<typeof spec, 'ListFilesystems'>,
): Promise<ResultOf<typeof spec, 'ListFilesystems'>> {
  const view = call.read();
  const size = new AnswerSize();
  let all: StorageDoc[] | undefined;
  return {
    results: await bulk(call, orAll(filters), ({ machines = [] }) => {
      const wanted = [...new Set(machines.map((tag) => parseTagOf('machine', tag)))];
      const docs =
        wanted.length === 0
          ? (all ??= sortedStorage(view))
          : sortedStorage(
              view,
              wanted.flatMap((id) => [...view.find('storage', 'machine', id)]),
            );
      size.add(docs.length);
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
