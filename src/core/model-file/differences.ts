/** Differences that no step makes even, in words. */
import { ownValue } from '../bundle/own.ts';
import type { BundlePlan } from '../bundle/plan-bundle.ts';
import type { ModelFile } from './model-file.ts';
import { owns } from './owned.ts';
import type { FileDifference, LiveModel } from './plan.ts';

/**
 * Differences of the file's applications: what would need a replacement, and trust that an application that this
 * file made has beyond the file.
 */
export function differencesOf(
  { bundle }: ModelFile,
  { bundle: { state }, owned }: LiveModel,
  { differences }: Pick<BundlePlan, 'differences'>,
): FileDifference[] {
  const beyond = Object.keys(bundle.applications)
    .filter((name) => owns(owned, 'application', name))
    .sort()
    .flatMap((application): FileDifference[] => {
      const wanted = ownValue(bundle.applications, application);
      const has = ownValue(state.applications, application);
      if (!wanted || !has) return [];
      if (wanted.trust || !has.trust) return [];
      const text = `${application} keeps its trust: trust --remove takes it away`;
      return [{ application, of: 'trust', text }];
    });
  return [...differences.filter(({ of }) => !['base', 'units', 'charm'].includes(of)), ...beyond];
}
