import { notFound } from '../../../core/errors.ts';
import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import { itemError } from '../shared/bulk.ts';
import { describeOperation } from './describe-operation.ts';

export function operations(
  call: Call,
  params: ParamsOf<typeof spec, 'Operations'>,
): ResultOf<typeof spec, 'Operations'> {
  const view = call.read();
  return {
    results: params.entities.map(({ tag }) => {
      try {
        const id = parseTagOf('operation', tag);
        const operation = view.get('operation', id);
        if (!operation) throw notFound('operation', id);
        return describeOperation(view, operation);
      } catch (error) {
        return { operation: tag, summary: '', error: itemError(call, error) };
      }
    }),
  };
}
