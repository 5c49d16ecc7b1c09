import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { bulk } from '../shared/bulk.ts';
import { applicationOfTag, charmOf } from '../shared/find.ts';
import { describeSettings } from '../shared/settings.ts';
import { withConfig } from './charm-config.ts';

export async function getConfig(
  call: Call,
  params: ParamsOf<typeof spec, 'GetConfig'>,
): Promise<ResultOf<typeof spec, 'GetConfig'>> {
  const view = call.read();
  const results = await bulk(call, params.entities, ({ tag }) => {
    const application = applicationOfTag(view, tag);
    return { config: describeSettings(application, charmOf(view, application)) };
  });
  return { Results: results.map(withConfig) };
}
