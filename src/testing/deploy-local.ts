/** Deploys by the facade Application. */
import type { Callers } from './call.ts';

/**
 * Deploys one unit of the local charm of the application's name, revision 0. `rest`: further or other members of the
 * request. Returns the facade's result.
 */
export async function deployLocal<R extends object = { readonly error?: object }>(
  callers: Callers,
  application: string,
  rest: Readonly<Record<string, unknown>> = {},
): Promise<R> {
  const { results } = await callers.call<{ results: [R] }>('Application', 'Deploy', {
    applications: [
      {
        application,
        'charm-url': `local:${application}-0`,
        'charm-origin': { source: 'local', base: { name: 'ubuntu', channel: '24.04' } },
        'num-units': 1,
        ...rest,
      },
    ],
  });
  return results[0];
}
