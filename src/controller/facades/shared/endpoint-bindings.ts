import { bindable } from '../../../core/application/bindings.ts';
import { defaultSpace } from '../../../core/space/document.ts';
import type { ApplicationDoc } from '../../../core/application/document.ts';
import type { CharmDoc } from '../../../core/charm/document.ts';

/** Every endpoint and extra binding with its space; '' is the default of those without one of their own. */
export function endpointBindings(application: ApplicationDoc, charm: CharmDoc): Record<string, string> {
  const fallback = application.endpointBindings[''] ?? defaultSpace;
  const bindings: Record<string, string> = { '': fallback };
  for (const name of bindable(charm.meta)) bindings[name] = application.endpointBindings[name] ?? fallback;
  return bindings;
}
