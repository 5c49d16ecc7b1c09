import { JujuError, notFound, notValid } from '../../../core/errors.ts';
import { isPoolName } from '../../../core/storage/directive.ts';
import type { StorageDoc } from '../../../core/storage/document.ts';
import { isStorageName } from '../../../core/storage/spec.ts';
import type { storage as spec } from '../../../wire/facades/storage.ts';
import { formatTag } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { poolsOf } from '../../transactions/begin/add-storage.ts';
import { giveUpImport, importStorage, type ImportArgs } from '../../transactions/begin/import-storage.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';
import { storageRules } from '../shared/storage.ts';

type Params = ParamsOf<typeof spec, 'Import'>;

/** Maximum time in milliseconds that a caller waits for the cloud; the import is then given up. */
const patienceMs = 60_000;

/**
 * Takes volumes that are in the cloud into the model (storage.md#importing). Errors: `not supported` (kind, provider);
 * `not valid` (names); `not found` (provider); those of importStorage; '' when the cloud does not give the volume.
 */
export async function importVolumes(call: Call, params: Params): Promise<ResultOf<typeof spec, 'Import'>> {
  const { providers } = storageRules(call);
  return {
    results: await bulk(call, params.storage, async (one) => {
      const args = check(one, (pool) => poolsOf(call.read(), providers).provider(pool));
      const id = await changeModel(call, (tx) => importStorage(tx, args));
      await outcome(call, id);
      return { result: { 'storage-tag': formatTag({ kind: 'storage', id }) } };
    }),
  };
}

function check(
  { kind, pool, 'provider-id': volume, 'storage-name': name }: Params['storage'][number],
  providerOf: (pool: string) => ImportArgs['provider'] | undefined,
): ImportArgs {
  if (kind !== 2)
    throw new JujuError('not supported', `storage kind "${kind === 1 ? 'block' : 'unknown'}" not supported`);
  if (!isPoolName(pool)) throw notValid(`pool name "${pool}" not valid`);
  const provider = providerOf(pool);
  if (!provider) throw notFound('storage provider', pool);
  if (!provider.importable) {
    // A file system of a provider of disks is on a volume.
    const what = provider.kinds.includes('block') ? 'volume' : 'filesystem';
    const message = `importing ${what} with storage provider "${provider.type}" not supported`;
    throw new JujuError('not supported', message);
  }
  if (!isStorageName(name)) throw notValid(`storage name "${name}" not valid`);
  if (volume === '') throw notValid('empty provider id not valid');
  return { name, pool, provider, volume };
}

/** Waits until the volume is the model's. Errors: the reason why it is not; the record is then removed. */
async function outcome(call: Call, id: string): Promise<void> {
  const { clock, dispatch } = call.services;
  const news = Promise.withResolvers<string | undefined>();
  const ended = new AbortController();
  const look = (doc: StorageDoc | undefined): void => {
    if (!doc || doc.ending) news.resolve(doc?.problem ?? 'it was removed');
    else if (doc.adopting === undefined) news.resolve(undefined);
  };
  const stop = dispatch.on(call.modelUuid, 'storage', (change) => {
    if (change.id === id) look(change.after);
  });
  const patience = clock.sleep(patienceMs, ended.signal).then(
    () => 'the cloud does not answer',
    () => undefined,
  );
  try {
    look(call.read().get('storage', id));
    const reason = await Promise.race([news.promise, patience]);
    if (reason === undefined) return;
    const isGivenUp = await changeModel(call, (tx) => giveUpImport(tx, id));
    if (isGivenUp) throw new JujuError('', `importing filesystem: ${reason}`);
  } finally {
    stop();
    ended.abort();
  }
}
