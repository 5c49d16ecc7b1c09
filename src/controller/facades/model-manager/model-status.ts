import type { ModelDoc } from '../../../core/entities.ts';
import type { modelManager as spec } from '../../../wire/facades/model-manager.ts';
import { modelTag, userTag } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { bulk } from '../shared/bulk.ts';
import { modelOfTag } from '../shared/model-access.ts';
import { describeMachine } from './describe-machine.ts';

type Status = ResultOf<typeof spec, 'ModelStatus'>['models'][number];

/** Clients poll it until a destroyed model is `not found`. */
export async function modelStatus(
  call: Call,
  params: ParamsOf<typeof spec, 'ModelStatus'>,
): Promise<ResultOf<typeof spec, 'ModelStatus'>> {
  const models = await bulk(call, params.entities, ({ tag }) =>
    describe(call, modelOfTag(call, tag, 'read')),
  );
  return { models: models.map((one) => ('model-tag' in one ? one : { ...nothing, ...one })) };
}

function describe(call: Call, model: ModelDoc): Status {
  const view = call.read().in(model.uuid);
  const machines = [...view.list('machine')];
  return {
    'model-tag': modelTag(model.uuid),
    life: model.life,
    type: 'iaas',
    'hosted-machine-count': machines.filter((machine) => !machine.isController).length,
    'application-count': view.count('application'),
    'unit-count': view.count('unit'),
    'owner-tag': userTag(model.owner),
    applications: [...view.list('application')].map(({ name }) => ({ name })),
    machines: machines.map((machine) => describeMachine(view, machine)),
  };
}

const nothing = {
  'model-tag': '',
  life: '',
  type: '',
  'hosted-machine-count': 0,
  'application-count': 0,
  'unit-count': 0,
  'owner-tag': '',
} as const;
