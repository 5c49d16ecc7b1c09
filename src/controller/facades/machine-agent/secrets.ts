import { defined } from '../../../core/defined.ts';
import { notFound, notValid } from '../../../core/errors.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import { ownerKey, type SecretDoc } from '../../../core/secret/document.ts';
import { parseSecretUri, secretIdOf, type SecretUri } from '../../../core/secret/secret-id.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import type { MachineAgentMethods } from '../../../wire/facades/machine-agent.ts';
import type { SecretInfo } from '../../../wire/facades/secret-changes.ts';
import type { Call } from '../../facade.ts';
import {
  isOwn,
  readTracked,
  secretByLabel,
  trackSecret,
  type Found,
} from '../../transactions/agent/secret-access.ts';
import { otherByLabel } from '../../transactions/remote/other-models-readings.ts';
import { newestRevision, secretNotFound } from '../../transactions/shared/secrets.ts';
import type { View } from '../../transactions/tx.ts';
import { accessOf } from '../shared/secret-access.ts';
import { contentOf } from '../shared/secret-contents.ts';
import { changeUnit } from './change-unit.ts';
import { contentOfOtherModel } from './other-models-secret.ts';
import { ownUnit } from './own-unit.ts';

type Params<M extends keyof MachineAgentMethods> = MachineAgentMethods[M]['params'];
type Result<M extends keyof MachineAgentMethods> = MachineAgentMethods[M]['result'];

/** Returns ids that no secret has. */
export async function newSecretIds(
  call: Call,
  { unit, count }: Params<'NewSecretIds'>,
): Promise<Result<'NewSecretIds'>> {
  checkLimit(limits.secretsOfHook, count);
  const ids = await changeUnit(call, unit, (tx) =>
    Array.from({ length: Math.max(count, 0) }, () => secretIdOf(tx.now, tx.newUuid())),
  );
  return { ids };
}

/** Reads a secret for a unit. Only a reading that changes what the unit tracks is a transaction. */
export async function secretContent(
  call: Call,
  params: Params<'SecretContent'>,
): Promise<Result<'SecretContent'>> {
  const { peek, refresh } = params;
  const other = otherModelsSecret(call, params);
  if (other) return contentOfOtherModel(call, other, params.id === '' ? { ...params, label: '' } : params);
  const reading = (view: View, unit: UnitDoc) => {
    const secret = params.id === '' ? secretByLabel(view, unit, params.label) : view.get('secret', params.id);
    if (!secret) throw notFound('secret', `secret:${params.id}`);
    return { unit, secret, label: params.id === '' ? '' : params.label, peek, refresh };
  };
  const view = call.read();
  const first = reading(view, ownUnit(call, view, params.unit));
  const found = (id: string, { revision }: Found): { id: string; revision: number } => ({ id, revision });
  const tracked = readTracked(view, first);
  const { id, revision } = tracked
    ? found(first.secret.id, tracked)
    : await changeUnit(call, params.unit, (tx, unit) => {
        const again = reading(tx, unit);
        return found(again.secret.id, trackSecret(tx, again));
      });
  const content = await contentOf(call, { secret: id, revision });
  if (!content) throw secretNotFound(id);
  return { id, revision, content };
}

/** The secret of another model that a unit names, by its key or by its own label. Errors: `not valid`. */
function otherModelsSecret(
  call: Call,
  { unit, id, label }: Params<'SecretContent'>,
): Required<SecretUri> | undefined {
  const key = id === '' ? otherByLabel(call.read(), unit, label)?.secret : id;
  if (!key?.includes('/')) return undefined;
  const { model = call.modelUuid, ...uri } = parseSecretUri(key);
  if (model === call.modelUuid) throw notValid(`secret URI ${JSON.stringify(key)} names its own model`);
  return { ...uri, model };
}

/** Lists a unit's own secrets and its application's. Errors: `not found` for an id or label that is none of these. */
export function ownSecrets(
  call: Call,
  { unit: name, id, label }: Params<'OwnSecrets'>,
): Result<'OwnSecrets'> {
  const view = call.read();
  const unit = ownUnit(call, view, name);
  if (id !== '' || label !== '') {
    const secret = id === '' ? ownByLabel(view, unit, label) : view.get('secret', id);
    if (!secret || !isOwn(secret, unit)) throw secretNotFound(id || label);
    return { secrets: [{ ...infoOf(view, secret), access: accessOf(view, secret) }] };
  }
  const owners = [`unit ${unit.name}`, ownerKey({ kind: 'application', id: unit.application })];
  return {
    secrets: owners.flatMap((owner) =>
      [...view.find('secret', 'owner', owner)].map((secret) => ({ ...infoOf(view, secret), access: [] })),
    ),
  };
}

function ownByLabel(view: View, unit: UnitDoc, label: string): SecretDoc | undefined {
  const [own] = view.find('secret', 'label', `unit ${unit.name} ${label}`);
  const [ofApplication] = view.find('secret', 'label', `application ${unit.application} ${label}`);
  return own ?? ofApplication;
}

function infoOf(view: View, secret: SecretDoc): Omit<SecretInfo, 'access'> {
  const { id, label, description, rotate, latest, owner } = secret;
  return {
    id,
    revision: latest,
    label,
    description,
    owner: owner.kind === 'unit' ? 'unit' : 'application',
    rotate,
    ...defined({ expires: newestRevision(view, id)?.expires, rotates: secret.nextRotate }),
  };
}
