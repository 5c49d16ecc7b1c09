import type { annotations as spec } from '../../../wire/facades/annotations.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { checkAnnotated } from '../../transactions/set/set-annotations.ts';
import { bulk } from '../shared/bulk.ts';

export async function get(
  call: Call,
  { entities }: ParamsOf<typeof spec, 'Get'>,
): Promise<ResultOf<typeof spec, 'Get'>> {
  const view = call.read();
  const results = await bulk(call, entities, ({ tag }) => {
    checkAnnotated(view, tag);
    return { annotations: view.get('annotation', tag)?.values ?? {} };
  });
  return {
    results: results.map((result, n) => {
      const entity = entities[n]!.tag;
      return 'error' in result ? { entity, annotations: {}, error: result } : { entity, ...result };
    }),
  };
}
