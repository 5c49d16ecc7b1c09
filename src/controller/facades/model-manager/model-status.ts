import type { ModelDoc } from '../../../core/model/document.ts';
import type { modelManager as spec } from '../../../wire/facades/model-manager.ts';
import { modelTag, userTag } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { bulk } from '../shared/bulk.ts';
import { modelOfTag } from '../shared/model-access.ts';
import { machineDescriber } from './describe-machine.ts';

type Status = ResultOf<typeof spec, 'ModelStatus'>['models'][number];

/** Returns the status of models, for their admins. Clients poll it until a destroyed model is `not found`. */
export async function modelStatus(
  call: Call,
  params: ParamsOf<typeof spec, 'ModelStatus'>,
): Promise<ResultOf<typeof spec, 'ModelStatus'>> {
  const describeMachines = machineDescriber(call);
  const models = await bulk(call, params.entities, ({ tag }) =>
    describe(call, modelOfTag(call, tag, 'admin'), describeMachines),
  );
  return { models: models.map((one) => ('model-tag' in one ? one : { ...emptyStatus, ...one })) };
}

async function describe(
  call: Call,
  model: ModelDoc,
  describeMachines: ReturnType<typeof machineDescriber>,
): Promise<Status> {
  const view = call.read().in(model.uuid);
  return {
    'model-tag': modelTag(model.uuid),
    life: model.life,
    type: 'iaas',
    'hosted-machine-count': [...view.list('machine')].filter(({ isController }) => !isController).length,
    'application-count': view.count('application'),
    'unit-count': view.count('unit'),
    'owner-tag': userTag(model.owner),
    applications: [...view.list('application')].map(({ name }) => ({ name })),
    machines: await describeMachines(view),
  };
}

const emptyStatus = {
  'model-tag': '',
  life: '',
  type: '',
  'hosted-machine-count': 0,
  'application-count': 0,
  'unit-count': 0,
  'owner-tag': '',
} as const;
