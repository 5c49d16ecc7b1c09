import type { modelManager as spec } from '../../../wire/facades/model-manager.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { bulk } from '../shared/bulk.ts';
import { modelOfTag } from '../shared/model-access.ts';
import { machineDescriber } from './describe-machine.ts';
import { describeModel } from './describe-model.ts';

export async function modelInfo(
  call: Call,
  params: ParamsOf<typeof spec, 'ModelInfo'>,
): Promise<ResultOf<typeof spec, 'ModelInfo'>> {
  const describeMachines = machineDescriber(call);
  return {
    results: await bulk(call, params.entities, async ({ tag }) => ({
      result: await describeModel(call, modelOfTag(call, tag, 'read'), describeMachines),
    })),
  };
}
