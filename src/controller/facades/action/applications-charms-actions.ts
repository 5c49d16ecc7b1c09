import type { action as spec } from '../../../wire/facades/action.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { bulk } from '../shared/bulk.ts';
import { applicationOfTag, charmOf } from '../shared/find.ts';

export async function applicationsCharmsActions(
  call: Call,
  params: ParamsOf<typeof spec, 'ApplicationsCharmsActions'>,
): Promise<ResultOf<typeof spec, 'ApplicationsCharmsActions'>> {
  const view = call.read();
  return {
    results: await bulk(call, params.entities, ({ tag }) => {
      const { actions } = charmOf(view, applicationOfTag(view, tag));
      return {
        'application-tag': tag,
        actions: Object.fromEntries(
          Object.entries(actions).map(([name, action]) => [
            name,
            { description: action.description, params: action.params },
          ]),
        ),
      };
    }),
  };
}
