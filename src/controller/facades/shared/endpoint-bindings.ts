import { allBindings } from '../../../core/application/bindings.ts';
import type { ApplicationDoc } from '../../../core/application/document.ts';
import type { CharmDoc } from '../../../core/charm/document.ts';

/** Every endpoint and extra binding with its space; '' is the default of those without one of their own. */
export function endpointBindings(application: ApplicationDoc, charm: CharmDoc): Record<string, string> {
  return allBindings(application.endpointBindings, charm.meta);
}
