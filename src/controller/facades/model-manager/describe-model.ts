import type { z } from 'zod';
import { defaultBase, formatBase, parseBase, seriesOfBase, type Base } from '../../../core/base.ts';
import type { ModelDoc } from '../../../core/model/document.ts';
import { modelVersion } from '../../../core/model/upgrade.ts';
import type { modelInfo, modelInfo9 } from '../../../wire/facades/model-manager.ts';
import { cloudTag, credentialTag, userTag } from '../../../wire/tags.ts';
import type { Call } from '../../facade.ts';
import { modelStatus, shownMigration } from '../../migration/model-status.ts';
import { callerName, modelAccess } from '../shared/model-access.ts';
import { cloudType } from '../shared/model-config.ts';
import { usersOfModel } from '../shared/users-of-model.ts';
import { machineDescriber } from './describe-machine.ts';
import { defined } from '../../../core/defined.ts';

type ModelInfo = z.input<typeof modelInfo | typeof modelInfo9>;

/** Service level, which belongs to a paid service that no longer exists. */
export const sla = { level: 'unsupported', owner: '' };

/**
 * Describes a model; users other than the caller are for its admins, machines for those who may write. Secret
 * backends are left to describeBackends.
 */
export async function describeModel(
  call: Call,
  model: ModelDoc,
  describeMachines = machineDescriber(call),
): Promise<ModelInfo> {
  const root = call.read().in('');
  const controller = root.get('controller', 'self');
  const access = modelAccess(call, model.uuid);
  const mayWrite = access === 'admin' || access === 'write';
  const base = defaultBaseOf(model);
  return {
    name: model.name,
    type: 'iaas',
    uuid: model.uuid,
    'controller-uuid': controller?.uuid ?? '',
    'is-controller': controller?.modelUuid === model.uuid,
    'provider-type': cloudType(call, model.cloud),
    ...(call.version < 10 ? { 'default-series': seriesOfBase(base), 'default-base': formatBase(base) } : {}),
    'cloud-tag': cloudTag(model.cloud),
    ...defined({ 'cloud-region': model.region || undefined }),
    ...credentialOf(call, model),
    'owner-tag': userTag(model.owner),
    life: model.life,
    status: modelEntityStatus(call, model),
    ...defined({ migration: shownMigration(root.get('migration', model.uuid)) }),
    users: usersOfModel(call, model).filter(({ user }) => access === 'admin' || user === callerName(call)),
    machines: mayWrite ? await describeMachines(root.in(model.uuid)) : [],
    'secret-backends': [],
    sla,
    'agent-version': modelVersion(model, call.services.version),
  };
}

export function modelEntityStatus(call: Call, model: ModelDoc): ModelInfo['status'] {
  const { status, message, data, since } = modelStatus(call.read().in(model.uuid), model.createdAt);
  return { status, info: message, ...defined({ data }), since };
}

export function credentialTagOf(call: Call, model: ModelDoc): { 'cloud-credential-tag'?: string } {
  const credential =
    model.credential === '' ? undefined : call.read().in('').get('credential', model.credential);
  if (!credential) return {};
  return { 'cloud-credential-tag': credentialTag(credential.cloud, credential.owner, credential.name) };
}

/** The credential of a model, and whether it can be used. */
function credentialOf(
  call: Call,
  model: ModelDoc,
): Pick<ModelInfo, 'cloud-credential-tag' | 'cloud-credential-validity'> {
  const tag = credentialTagOf(call, model);
  if (tag['cloud-credential-tag'] === undefined) return tag;
  const revoked = call.read().in('').get('credential', model.credential)?.revoked ?? false;
  return { ...tag, 'cloud-credential-validity': !revoked };
}

/** Base of charms that name no base. */
export function defaultBaseOf(model: ModelDoc): Base {
  const configured = model.config['default-base'];
  return typeof configured === 'string' && configured !== '' ? parseBase(configured) : defaultBase;
}
