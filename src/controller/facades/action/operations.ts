import { notFound } from '../../../core/errors.ts';
import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import { AnswerSize } from '../shared/answer-size.ts';
import { bulk } from '../shared/bulk.ts';
import { describeOperation } from './describe-operation.ts';

export async function operations(
  call: Call,
  { entities }: ParamsOf<typeof spec, 'Operations'>,
): Promise<ResultOf<typeof spec, 'Operations'>> {
  const size = new AnswerSize();
  const results = await bulk(call, entities, ({ tag }) => {
    const id = parseTagOf('operation', tag);
    const operation = call.read().get('operation', id);
    if (!operation) throw notFound('operation', id);
    return describeOperation(call, operation, size);
  });
  return {
    results: results.map((result, n) => ({ operation: entities[n]!.tag, summary: '', ...result })),
  };
}
