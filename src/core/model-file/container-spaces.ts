/** Containers that a plan asks for and that no host could start. */
import { ownValue } from '../bundle/own.ts';
import { mergeConstraints } from '../constraints.ts';
import { severalSpaces, wantedSpaces } from '../network/machine-networks.ts';
import { defaultSpace } from '../space/document.ts';
import type { ModelFile } from './model-file.ts';
import type { LiveModel } from './plan.ts';
import type { ModelStep } from './step.ts';

/** Returns a problem for each application whose new containers would be in several spaces, in words. */
export function containersInSpaces(
  steps: readonly ModelStep[],
  { file, live }: { readonly file: ModelFile; readonly live: LiveModel },
  hasSpace: (name: string) => boolean,
): string[] {
  const inContainers = new Set(
    steps.flatMap((step) => (step.kind === 'add-unit' && step.at.container ? [step.unit.application] : [])),
  );
  const configured = file.settings['default-space'] ?? live.settings['default-space'];
  const fallback = typeof configured === 'string' && configured !== '' ? configured : defaultSpace;
  return [...inContainers].sort().flatMap((name) => {
    const wanted = ownValue(file.bundle.applications, name);
    const has = ownValue(live.bundle.state.applications, name);
    const bound = { '': fallback, ...has?.bindings, ...wanted?.bindings };
    const bindings = Object.fromEntries(
      Object.entries(bound).map(([endpoint, space]) => [endpoint, space || bound[''] || fallback]),
    );
    const own = wanted && Object.keys(wanted.constraints).length > 0 ? wanted : has;
    const constraints = mergeConstraints(file.constraints ?? live.constraints, own?.constraints ?? {});
    const { asked } = wantedSpaces({ constraints, bindings: [bindings], hasSpace });
    return asked.length > 1 ? [`application "${name}": ${severalSpaces(asked)}`] : [];
  });
}
