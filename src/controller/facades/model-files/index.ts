import { defined } from '../../../core/defined.ts';
import { JujuError, notValid } from '../../../core/errors.ts';
import { isExternal, userId, type UserDoc } from '../../../core/user/document.ts';
import { bundleRecord, revertRecord } from '../../../core/model-file/document.ts';
import { isModelName } from '../../../core/names.ts';
import type { modelFiles as spec } from '../../../wire/facades/model-files.ts';
import type { Call, FacadeTable, ParamsOf, ResultOf } from '../../facade.ts';
import { beginApply, endApply } from '../../transactions/change/apply-model-file.ts';
import { callerName, modelOfTag } from '../shared/model-access.ts';
import { currentModel } from '../shared/model.ts';
import { missingAddresses } from './missing-addresses.ts';
import { owned } from './owned.ts';
import { pastModel } from './past.ts';
import { refuseChanged } from './refuse-changed.ts';
import { restoreCharm, restoreResource } from './restore.ts';
import { formerIn } from './former.ts';

export const modelFiles = {
  Begin: { needs: 'model-write', blockable: 'change', run: begin },
  End: { needs: 'model-write', blockable: 'never', run: end },
  Join: { needs: 'login', run: join },
  MissingAddresses: { needs: 'model-read', run: missingAddresses },
  Owned: { needs: 'model-read', run: owned },
  // The past may have values that were taken out before the model was shown to its readers.
  Past: { needs: 'model-admin', blockable: 'never', run: pastModel },
  RestoreCharm: { needs: 'model-admin', blockable: 'change', run: restoreCharm },
  RestoreResource: { needs: 'model-admin', blockable: 'change', run: restoreResource },
  Status: { needs: 'model-read', run: status },
  UnknownUsers: { needs: 'model-admin', blockable: 'never', run: unknownUsers },
} satisfies FacadeTable<typeof spec>;

async function begin(
  call: Call,
  { file: given, revision, 'revert-to': revertTo, charms = [] }: ParamsOf<typeof spec, 'Begin'>,
): Promise<Record<string, never>> {
  const { applier } = call.connection;
  const user = callerName(call);
  const { from } = applier;
  const model = currentModel(call).uuid;
  const file = recordOf(given, revertTo);
  const revert = defined({ revertTo });
  const past = revertTo === undefined ? undefined : await call.store.at(revertTo);
  const ofNoFile = file === bundleRecord ? () => undefined : undefined;
  applier.begin({
    file,
    user,
    model,
    from,
    ...revert,
    ...defined({ former: past ? formerIn(past, () => call.store.read()) : ofNoFile }),
    since: new Date(call.services.clock.now()).toISOString(),
  });
  try {
    const looked = await refuseChanged(call, model, revision ?? call.store.read().revision);
    await call.store.change(
      (tx) => beginApply(tx.in(model), { name: file, user, from, charms, ...revert }),
      call.by,
    );
    await refuseChangedMeanwhile(call, model, { file, looked });
  } catch (error) {
    applier.end();
    throw error;
  }
  return {};
}

/** The name of the record of a file, a bundle or a revert. Errors: `not valid`. */
function recordOf(file: string, revertTo: number | undefined): string {
  if (revertTo !== undefined) return revertRecord;
  if (file === '') return bundleRecord;
  if (!isModelName(file)) throw notValid(`"${file}" is not a valid name of a model file`);
  return file;
}

/** Refuses what others have changed while the beginning was written, which then has come to its end. */
async function refuseChangedMeanwhile(
  call: Call,
  model: string,
  { file, looked }: { readonly file: string; readonly looked: number },
): Promise<void> {
  try {
    await refuseChanged(call, model, looked);
  } catch (error) {
    const failure = (error as Error).message;
    await call.store.change((tx) => endApply(tx.in(model), { name: file, failure }), call.by);
    throw error;
  }
}

function join(call: Call, params: ParamsOf<typeof spec, 'Join'>): Record<string, never> {
  const { uuid: model } = modelOfTag(call, params['model-tag'], 'write');
  call.connection.applier.join({ model, user: callerName(call) });
  return {};
}

async function end(call: Call, { failure }: ParamsOf<typeof spec, 'End'>): Promise<Record<string, never>> {
  const { applier } = call.connection;
  const { current } = applier;
  const model = currentModel(call).uuid;
  if (current?.model !== model)
    throw new JujuError('not found', 'this connection applies no file to the model');
  await call.store.change((tx) => endApply(tx.in(model), { name: current.file, failure }), call.by);
  applier.end();
  return {};
}

function unknownUsers(
  call: Call,
  { users }: ParamsOf<typeof spec, 'UnknownUsers'>,
): ResultOf<typeof spec, 'UnknownUsers'> {
  const state = call.read().in('');
  return { users: users.filter((name) => !isExternal(name) && !isThere(state.get('user', userId(name)))) };
}

function isThere(user: UserDoc | undefined): boolean {
  return user !== undefined && !user.removed;
}

function status(call: Call): ResultOf<typeof spec, 'Status'> {
  const model = currentModel(call).uuid;
  const hold = call.connection.applier.holderOf(model);
  const files = [...call.read().in(model).list('model-file')].map(
    ({ name, begun: { at: began, user, from, revertTo }, ended }) => ({
      name,
      user,
      from,
      began,
      ...defined({ 'revert-to': revertTo, ended: ended?.at, failure: ended?.failure || undefined }),
    }),
  );
  const holder = hold && { file: hold.file, user: hold.user, from: hold.from, since: hold.since };
  return { ...defined({ holder }), files };
}
