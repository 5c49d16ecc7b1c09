import type { storeReport as spec, StoreReported } from '../../../wire/facades/store-report.ts';
import type { FilesReport } from '../../../store/files/report-files.ts';
import type { StoreReport } from '../../../store/report.ts';
import type { Call, FacadeTable } from '../../facade.ts';
import { defined } from '../../../core/defined.ts';

export const storeReport = {
  // The report names all models, so it is for superusers only.
  Report: { needs: 'superuser', run: report },
} satisfies FacadeTable<typeof spec>;

async function report(call: Call): Promise<StoreReported> {
  const [store, files] = [await call.store.report(), await call.services.reportFiles()];
  const models = new Map([...call.read().in('').list('model')].map((model) => [model.uuid, model]));
  const nameOf = (uuid: string): string => {
    const model = models.get(uuid);
    return model ? `${model.owner}/${model.name}` : uuid;
  };
  const { problem } = call.store;
  return { ...defined({ problem }), ...storeReported(store, files, nameOf) };
}

/** Report as it is sent. `nameOf`: returns a model's name by its uuid. */
export function storeReported(
  { bytes, free, kinds, documents }: StoreReport,
  { blobs, logs }: FilesReport,
  nameOf: (uuid: string) => string,
): StoreReported {
  const withModelName = <T extends { readonly space: string }>({
    space,
    ...rest
  }: T): Omit<T, 'space'> & { model: string } => ({ model: nameOf(space), ...rest });
  return {
    database: { bytes, free },
    kinds: kinds.map(withModelName),
    documents: documents.map(withModelName),
    blobs,
    logs: logs.map(({ model, bytes: size }) => ({ model: nameOf(model), bytes: size })),
  };
}
