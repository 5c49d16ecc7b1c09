/** Steps for what belongs to the model and not to one of its applications. */
import { ownValue } from '../bundle/own.ts';
import { formatConstraints } from '../constraints.ts';
import { defined } from '../defined.ts';
import { JujuError } from '../errors.ts';
import type { ModelFile } from './model-file.ts';
import type { LiveModel } from './plan.ts';
import type { ModelToPlan } from './plan-model.ts';
import type { ModelStep } from './step.ts';
import { ByUser } from '../user/by-user.ts';

/** Settings, constraints, pools, access and secrets, which applications may need. */
export function planOfModel(toPlan: ModelToPlan): ModelStep[] {
  const { file, live } = toPlan;
  return [
    ...planSettings(file, live),
    ...planConstraints(file, live),
    ...planPools(file, live),
    ...planAccess(file, live),
    ...planSecrets(toPlan),
  ];
}

function planSettings({ settings }: ModelFile, live: LiveModel): ModelStep[] {
  const values = inOrder(settings).filter(
    ([name, value]) => textOf(ownValue(live.settings, name)) !== textOf(value),
  );
  return values.length === 0 ? [] : [{ kind: 'set-settings', values: Object.fromEntries(values) }];
}

function planConstraints({ constraints }: ModelFile, live: LiveModel): ModelStep[] {
  if (!constraints || formatConstraints(constraints) === formatConstraints(live.constraints)) return [];
  return [{ kind: 'set-model-constraints', constraints }];
}

function planPools({ storagePools }: ModelFile, live: LiveModel): ModelStep[] {
  return inOrder(storagePools).flatMap(([pool, wanted]): ModelStep[] => {
    const has = ownValue(live.storagePools, pool);
    if (has && textOf(has) === textOf(wanted)) return [];
    return [{ kind: 'set-pool', pool, ...wanted, changes: has !== undefined }];
  });
}

function planAccess({ access }: ModelFile, live: LiveModel): ModelStep[] {
  const has = new ByUser(live.access);
  return inOrder(access).flatMap(([user, level]): ModelStep[] => {
    const was = has.get(user);
    return was === level ? [] : [{ kind: 'set-access', user, access: level, ...defined({ was }) }];
  });
}

function planSecrets({ file, live, checksums }: ModelToPlan): ModelStep[] {
  return inOrder(file.secrets).flatMap(([secret, { description }]): ModelStep[] => {
    const has = ownValue(live.secrets, secret);
    const checksum = ownValue(checksums, secret);
    const content = checksum !== undefined && has?.checksum !== checksum;
    const described = description !== (has?.description ?? '') && (description !== '' || !has);
    if (has && !content && !described) return [];
    const changes = has !== undefined;
    return [{ kind: 'set-secret', secret, changes, content, ...(described ? { description } : {}) }];
  });
}

/**
 * Rights of applications to read the file's secrets, which the applications must be there for. Errors: `not found`: an
 * application that neither the file nor the model has.
 */
export function planGrants({ bundle, secrets }: ModelFile, live: LiveModel): ModelStep[] {
  const { applications } = live.bundle.state;
  return inOrder(secrets).flatMap(([secret, { grants }]) => {
    for (const name of grants)
      if (!Object.hasOwn(bundle.applications, name) && !Object.hasOwn(applications, name))
        throw new JujuError('not found', `secret "${secret}": application "${name}" not found`);
    const has = new Set(ownValue(live.secrets, secret)?.grants);
    return [...new Set(grants)]
      .filter((application) => !has.has(application))
      .sort()
      .map((application): ModelStep => ({ kind: 'grant-secret', secret, application }));
  });
}

function inOrder<T>(record: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A text that is equal for equal values, in whichever order their keys are. */
function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  return JSON.stringify(inOrder(value as Record<string, unknown>).map(([key, one]) => [key, textOf(one)]));
}
