import type { application as spec } from '../../../wire/facades/application.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { mustGet } from '../../transactions/tx.ts';
import { bulk, type WireError } from '../shared/bulk.ts';
import { charmOf } from '../shared/find.ts';
import { describeSettings } from '../shared/settings.ts';

export async function charmConfig(
  call: Call,
  params: ParamsOf<typeof spec, 'CharmConfig'>,
): Promise<ResultOf<typeof spec, 'CharmConfig'>> {
  const view = call.read();
  const results = await bulk(call, params.args, (arg) => {
    const application = mustGet(view, 'application', arg.application);
    return { config: describeSettings(application, charmOf(view, application)) };
  });
  return { Results: results.map(withConfig) };
}

/** Adds an empty config beside an error: Go sends the config there too. */
export function withConfig<C>(
  result: { config: C } | { error: WireError },
): { config: C } | { config: Record<string, never>; error: WireError } {
  return 'error' in result ? { config: {}, error: result.error } : result;
}
