import { permissionDenied } from '../../../core/errors.ts';
import type { modelManager as spec } from '../../../wire/facades/model-manager.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { bulk } from '../shared/bulk.ts';
import { modelAccess, modelOfTag } from '../shared/model-access.ts';
import { backendsOfModel } from '../shared/secret-backends.ts';
import { machineDescriber } from './describe-machine.ts';
import { describeModel } from './describe-model.ts';

/** Describes models. A model that does not exist (any more) is denied: Juju's clients wait for that after a removal. */
export async function modelInfo(
  call: Call,
  params: ParamsOf<typeof spec, 'ModelInfo'>,
): Promise<ResultOf<typeof spec, 'ModelInfo'>> {
  const describeMachines = machineDescriber(call);
  const backends: Promise<void>[] = [];
  const results = await bulk(call, params.entities, async ({ tag }) => {
    if (!call.read().in('').get('model', parseTagOf('model', tag))) throw permissionDenied();
    const result = await describeModel(call, modelOfTag(call, tag, 'read'), describeMachines);
    backends.push(describeBackends(call, result));
    return { result };
  });
  await Promise.all(backends);
  return { results };
}

/** Adds the backends of a model's secrets, for callers who may write. All models wait together for silent servers. */
async function describeBackends(call: Call, model: Awaited<ReturnType<typeof describeModel>>): Promise<void> {
  const access = modelAccess(call, model.uuid);
  if (access === 'admin' || access === 'write')
    model['secret-backends'] = await backendsOfModel(call, model.uuid);
}
