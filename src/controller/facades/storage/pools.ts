import { JujuError } from '../../../core/errors.ts';
import type { StoragePoolDoc } from '../../../core/storage-pool/document.ts';
import { ProviderError } from '../../../providers/contract/provider.ts';
import type { storage as spec } from '../../../wire/facades/storage.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { createPool, removePool, updatePool } from '../../transactions/set/storage-pools.ts';
import { AnswerSize } from '../shared/answer-size.ts';
import { bulk } from '../shared/bulk.ts';
import { changeModel } from '../shared/change-model.ts';
import { storageRules } from '../shared/storage.ts';

type Pools = ParamsOf<typeof spec, 'CreatePool'>;
type Done = ResultOf<typeof spec, 'CreatePool'>;

export async function createPools(call: Call, { pools }: Pools): Promise<Done> {
  const providers = storageRules(call).providers.map(({ type }) => type);
  return {
    results: await bulk(call, pools, async ({ name, provider, attrs }) => {
      const pool = { name, provider, attributes: texts(attrs) };
      await checkPool(call, pool);
      await changeModel(call, (tx) => createPool(tx, pool, providers));
      return {};
    }),
  };
}

export async function updatePools(call: Call, { pools }: Pools): Promise<Done> {
  return {
    results: await bulk(call, pools, async ({ name, attrs }) => {
      const pool = { name, attributes: texts(attrs) };
      const known = call.read().get('storage-pool', name);
      if (known) await checkPool(call, { ...known, ...pool });
      await changeModel(call, (tx) => updatePool(tx, pool));
      return {};
    }),
  };
}

/** Asks the cloud whether it can make storage of the pool. Errors: JujuError. */
async function checkPool(call: Call, { provider, attributes }: StoragePoolDoc): Promise<void> {
  const { storage } = call.services.environ(call.modelUuid, call.read());
  if (storage?.type !== provider || !storage.checkPool) return;
  // The transaction refuses these attributes, whatever the cloud says.
  if (['name', 'type'].some((key) => Object.hasOwn(attributes, key))) return;
  try {
    await storage.checkPool(attributes);
  } catch (error) {
    throw error instanceof ProviderError ? new JujuError('', error.message, { cause: error }) : error;
  }
}

export async function removePools(call: Call, { pools }: ParamsOf<typeof spec, 'RemovePool'>): Promise<Done> {
  return {
    results: await bulk(call, pools, async ({ name }) => {
      await changeModel(call, (tx) => removePool(tx, name));
      return {};
    }),
  };
}

/** Lists the stored pools, then each provider as a pool of its own name. */
export async function listPools(
  call: Call,
  { filters }: ParamsOf<typeof spec, 'ListPools'>,
): Promise<ResultOf<typeof spec, 'ListPools'>> {
  const stored = [...call.read().list('storage-pool')].sort((a, b) => (a.name < b.name ? -1 : 1));
  const pools = [
    ...stored.map(({ name, provider, attributes }) => ({ name, provider, attrs: { ...attributes } })),
    ...storageRules(call).providers.map(({ type }) => ({ name: type, provider: type, attrs: {} })),
  ];
  const size = new AnswerSize();
  return {
    results: await bulk(call, filters.length > 0 ? filters : [{}], ({ names = [], providers = [] }) => {
      const wanted = { names: new Set(names), providers: new Set(providers) };
      const found = pools.filter(
        ({ name, provider }) =>
          (names.length === 0 || wanted.names.has(name)) &&
          (providers.length === 0 || wanted.providers.has(provider)),
      );
      size.add(found.length);
      return { 'storage-pools': found };
    }),
  };
}

/** Attributes are texts for providers; clients send numbers and flags too. */
function texts(attributes: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}
