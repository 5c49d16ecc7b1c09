import type { ApplicationDoc } from '../../../core/application/document.ts';

/** `exposed-endpoints` as results have it; absent when the application is not exposed. */
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
      Object.entries(application.exposed).map(([endpoint, to]) => [
        endpoint,
        {
          ...(to.spaces.length > 0 ? { 'expose-to-spaces': to.spaces } : {}),
          ...(to.cidrs.length > 0 ? { 'expose-to-cidrs': to.cidrs } : {}),
        },
      ]),
    ),
  };
}
