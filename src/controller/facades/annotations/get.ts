import type { annotations as spec } from '../../../wire/facades/annotations.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { checkAnnotated } from '../../transactions/set/set-annotations.ts';
import { itemError } from '../shared/bulk.ts';

export function get(call: Call, params: ParamsOf<typeof spec, 'Get'>): ResultOf<typeof spec, 'Get'> {
  const view = call.read();
  return {
    results: params.entities.map(({ tag }) => {
      try {
        checkAnnotated(view, tag);
        return { entity: tag, annotations: view.get('annotation', tag)?.values ?? {} };
      } catch (error) {
        return { entity: tag, annotations: {}, error: { error: itemError(call, error) } };
      }
    }),
  };
}
