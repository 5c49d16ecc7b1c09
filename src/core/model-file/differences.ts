/** Differences that no step makes even, in words. */
import { formatBase, sameBase } from '../base.ts';
import { ownValue } from '../bundle/own.ts';
import type { BundlePlan } from '../bundle/plan-bundle.ts';
import { formatConstraints, type Constraints } from '../constraints.ts';
import type { ModelFile } from './model-file.ts';
import { owns } from './owned.ts';
import { Places } from './placed.ts';
import type { FileDifference, LiveModel } from './plan.ts';
import type { ModelStep } from './step.ts';

/**
 * Differences of the file's applications and machines: what would need a replacement, and what of a machine cannot be
 * changed at all. `steps`: the plan's, which may remove units.
 */
export function differencesOf(
  file: ModelFile,
  live: LiveModel,
  plan: Pick<BundlePlan, 'differences' | 'machines'> & { readonly steps: readonly ModelStep[] },
): FileDifference[] {
  const { differences, machines, steps } = plan;
  const places = new Places({ bundle: file.bundle, model: live.bundle, machines, steps });
  return [
    ...differences.filter(({ of }) => !['base', 'units', 'charm'].includes(of)),
    ...Object.keys(file.bundle.applications)
      .sort()
      .flatMap((application) => [
        ...requiredBeyond(application, file, live),
        ...placements(application, places),
      ]),
    ...Object.keys(file.bundle.machines).flatMap((number) =>
      ofMachine(number, machines.get(number), file, live),
    ),
  ];
}

/** Requirements that an application which this file made has beyond the file. */
function requiredBeyond(application: string, { bundle }: ModelFile, live: LiveModel): FileDifference[] {
  const wanted = ownValue(bundle.applications, application)?.require ?? [];
  const has = ownValue(live.bundle.state.applications, application)?.require ?? [];
  const beyond = has.filter((endpoint) => !wanted.includes(endpoint));
  if (beyond.length === 0 || !owns(live.owned, 'application', application)) return [];
  const text = `${application} still requires ${beyond.join(', ')}: requirements can be set only at deployment`;
  return [{ application, of: 'require', text }];
}

function placements(application: string, places: Places): FileDifference[] {
  const [first, ...more] = places.misplaced(application);
  if (!first) return [];
  const others = more.length === 0 ? '' : `, and so do ${more.length} more`;
  const text = `${first.unit} stays on ${first.is}${others}: the file places it on ${first.wanted}, and units are not moved`;
  return [{ application, of: 'placement', text }];
}

function ofMachine(
  number: string,
  id: string | undefined,
  { bundle }: ModelFile,
  { bundle: model }: LiveModel,
): FileDifference[] {
  const wanted = ownValue(bundle.machines, number);
  const has = id === undefined ? undefined : model.machines[id];
  if (!wanted || !has || id === undefined) return [];
  const found: FileDifference[] = [];
  const differ = (of: 'base' | 'constraints', what: string, mine: string): void => {
    const text = `machine ${id} keeps its ${of} ${what}: the file has ${mine} for its machine ${number}`;
    found.push({ machine: id, of, text });
  };
  if (wanted.base && !sameBase(wanted.base, has.base))
    differ('base', formatBase(has.base), formatBase(wanted.base));
  const asked = ownValue(model.state.machines, id)?.constraints;
  const other = asked && otherConstraints(wanted.constraints, asked);
  if (asked && other) differ('constraints', formatConstraints(asked) || '(none)', formatConstraints(other));
  return found;
}

/** The wanted constraints that the machine does not have; those of its model are among what it has. */
function otherConstraints(wanted: Constraints, has: Constraints): Constraints | undefined {
  const other = Object.entries(wanted).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(ownValue<unknown>({ ...has }, name)),
  );
  return other.length === 0 ? undefined : (Object.fromEntries(other) as Constraints);
}
