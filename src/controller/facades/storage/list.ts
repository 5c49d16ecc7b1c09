import type { StorageDoc } from '../../../core/storage/document.ts';
import type { storage as spec } from '../../../wire/facades/storage.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { AnswerSize } from '../shared/answer-size.ts';
import { bulk } from '../shared/bulk.ts';
import { sortedStorage } from '../shared/sorted-storage.ts';
import { filesystemDetails, storageDetails, volumeDetails } from '../shared/storage-view.ts';

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

type Machines = ParamsOf<typeof spec, 'ListFilesystems'>;

export async function listFilesystems(
  call: Call,
  params: Machines,
): Promise<ResultOf<typeof spec, 'ListFilesystems'>> {
  return { results: await onMachines(call, params, filesystemDetails) };
}

export async function listVolumes(
  call: Call,
  params: Machines,
): Promise<ResultOf<typeof spec, 'ListVolumes'>> {
  return { results: await onMachines(call, params, volumeDetails) };
}

/** Lists what holds storage, of some machines or of all. */
function onMachines<T>(call: Call, { filters }: Machines, show: (doc: StorageDoc) => T | undefined) {
  const view = call.read();
  const size = new AnswerSize();
  let all: StorageDoc[] | undefined;
  return bulk(call, orAll(filters), ({ machines = [] }) => {
    const wanted = [...new Set(machines.map((tag) => parseTagOf('machine', tag)))];
    const docs =
      wanted.length === 0
        ? (all ??= sortedStorage(view))
        : sortedStorage(
            view,
            wanted.flatMap((id) => [...view.find('storage', 'machine', id)]),
          );
    size.add(docs.length);
    return { result: docs.flatMap((doc) => show(doc) ?? []) };
  });
}
