import { chooseBase, parseBase, type Base } from '../../../core/base.ts';
import type { Constraints } from '../../../core/constraints.ts';
import type { Call } from '../../facade.ts';
import { modelSetting } from './model.ts';
import { constraintsOf } from './precheck.ts';
import { defined } from '../../../core/defined.ts';

/** Base of a new application or machine of the model. Errors: those of chooseBase; the provider's. */
export async function baseFor(
  call: Call,
  {
    requested,
    charmBases,
    constraints,
    force,
  }: {
    readonly requested: Base | undefined;
    readonly charmBases: readonly Base[];
    readonly constraints: Constraints;
    readonly force: boolean;
  },
): Promise<Base> {
  const fallback = modelSetting(call, 'default-base');
  const { 'image-id': imageId } = constraintsOf(call, constraints);
  const available = await basesOfCloud(call);
  return chooseBase({
    ...defined({ requested, modelDefault: fallback !== '' ? parseBase(fallback) : undefined }),
    charmBases,
    ...defined({ available, imageId: imageId || undefined }),
    force,
  });
}

/** Bases that the cloud supports; undefined where it does not say. */
export async function basesOfCloud(call: Call): Promise<readonly Base[] | undefined> {
  return call.services.environ(call.modelUuid, call.read()).bases?.();
}
