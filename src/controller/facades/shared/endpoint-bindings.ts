import type { ApplicationDoc, CharmDoc } from '../../../core/entities.ts';
import { JujuError } from '../../../core/errors.ts';

/** The only space that there is. */
export const defaultSpace = 'alpha';

/** Every endpoint and extra binding with its space; '' is what those without one of their own have. */
export function endpointBindings(application: ApplicationDoc, charm: CharmDoc): Record<string, string> {
  const fallback = application.endpointBindings[''] ?? defaultSpace;
  const bindings: Record<string, string> = { '': fallback };
  for (const name of bindable(charm)) bindings[name] = application.endpointBindings[name] ?? fallback;
  return bindings;
}

/** Checks what a deploy asks for. Errors: `not valid` (endpoint), `not found` (space). */
export function checkBindings(
  bindings: Readonly<Record<string, string>>,
  charm: CharmDoc,
): Record<string, string> {
  const known = bindable(charm);
  const checked: Record<string, string> = { '': defaultSpace };
  for (const [endpoint, space] of Object.entries(bindings)) {
    if (endpoint !== '' && !known.includes(endpoint))
      throw new JujuError('not valid', `unknown endpoint "${endpoint}" of charm "${charm.name}" in bindings`);
    if (space !== '' && space !== defaultSpace)
      throw new JujuError('not found', `space "${space}" not found`);
    checked[endpoint] = space || defaultSpace;
  }
  return checked;
}

function bindable(charm: CharmDoc): string[] {
  return [...Object.keys(charm.meta.endpoints), ...charm.meta.extraBindings];
}
