import type { ApplicationDoc } from '../../../core/application/document.ts';
import { defined } from '../../../core/defined.ts';

/** `exposed-endpoints` as a member of results; absent when the application is not exposed. */
export function exposedEndpoints(application: ApplicationDoc):
  | {
      'exposed-endpoints': Record<
        string,
        { 'expose-to-spaces'?: readonly string[]; 'expose-to-cidrs'?: readonly string[] }
      >;
    }
  | Record<string, never> {
  if (!application.exposed) return {};
  return {
    'exposed-endpoints': Object.fromEntries(
      Object.entries(application.exposed).map(([endpoint, sources]) => [
        endpoint,
        {
          ...defined({
            'expose-to-spaces': sources.spaces.length > 0 ? sources.spaces : undefined,
            'expose-to-cidrs': sources.cidrs.length > 0 ? sources.cidrs : undefined,
          }),
        },
      ]),
    ),
  };
}
