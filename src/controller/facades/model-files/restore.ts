import { JujuError, notFound } from '../../../core/errors.ts';
import { resourceId } from '../../../core/resource/document.ts';
import type { modelFiles as spec } from '../../../wire/facades/model-files.ts';
import type { Call, ParamsOf } from '../../facade.ts';
import { restoreCharm as putCharm } from '../../transactions/begin/add-charm.ts';
import { setResourceContent } from '../../transactions/shared/resources.ts';
import type { Tx } from '../../transactions/tx.ts';
import { currentModel } from '../shared/model.ts';

/** Errors: `not found`, also for an archive that is no longer kept; those of restoreCharm. */
export async function restoreCharm(
  call: Call,
  { url, revision }: ParamsOf<typeof spec, 'RestoreCharm'>,
): Promise<Record<string, never>> {
  const { uuid } = currentModel(call);
  const doc = (await call.store.at(revision)).in(uuid).get('charm', url);
  if (!doc) throw notFound('charm', url);
  await withFile(call, { uuid, sha256: doc.sha256, of: `the archive of charm "${url}"` }, (tx) =>
    putCharm(tx, doc),
  );
  return {};
}

/** Errors: `not found`, also for a content that is no longer kept; those of setResourceContent. */
export async function restoreResource(
  call: Call,
  { application, resource: name, revision }: ParamsOf<typeof spec, 'RestoreResource'>,
): Promise<Record<string, never>> {
  const { uuid } = currentModel(call);
  const doc = (await call.store.at(revision)).in(uuid).get('resource', resourceId({ application, name }));
  if (!doc || doc.sha256 === '') throw notFound('resource', `${application}/${name}`);
  const { fingerprint, sha256, size, username } = doc;
  await withFile(call, { uuid, sha256, of: `the content of resource "${application}/${name}"` }, (tx) =>
    setResourceContent(tx, { application, name }, { fingerprint, sha256, size, username }),
  );
  return {};
}

/** Makes a change that refers to a file which nothing may refer to at the moment. */
async function withFile(
  { store, services, by }: Call,
  { uuid, sha256, of }: { readonly uuid: string; readonly sha256: string; readonly of: string },
  change: (tx: Tx) => unknown,
): Promise<void> {
  // No blob is removed meanwhile.
  await services.blobs.keep(async () => {
    if (services.blobs.path(sha256) === undefined)
      throw new JujuError('not found', `${of} is no longer kept`);
    await store.change((tx) => void change(tx.in(uuid)), by);
  });
}
