import { JujuError } from '../../../core/errors.ts';
import type { resources as spec } from '../../../wire/facades/resources.ts';
import { wireError } from '../../../wire/errors.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { announceResources } from '../../transactions/shared/resources.ts';
import { changeModel } from '../shared/change-model.ts';

/** Announces resources whose contents are uploaded before the deploy or refresh that takes them. */
export async function addPendingResources(
  call: Call,
  params: ParamsOf<typeof spec, 'AddPendingResources'>,
): Promise<ResultOf<typeof spec, 'AddPendingResources'>> {
  try {
    const application = parseTagOf('application', params.tag);
    for (const { name, origin } of params.resources)
      if (origin !== 'upload')
        throw new JujuError(
          'not supported',
          `resource "${name}" of Charmhub is not supported: upload a file`,
        );
    const names = params.resources.map(({ name }) => name);
    const ids = await changeModel(call, (tx) =>
      announceResources(tx, { application, charmUrl: params.url, names }),
    );
    return { 'pending-ids': ids };
  } catch (error) {
    if (!(error instanceof JujuError)) throw error;
    return { 'pending-ids': [], error: wireError(error) };
  }
}
