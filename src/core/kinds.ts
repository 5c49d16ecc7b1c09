/** The kinds of documents that a controller stores: each is specified in its own folder, and listed here. */
import { access } from './access/document.ts';
import { annotation } from './annotation/document.ts';
import { application } from './application/document.ts';
import { arrival } from './arrival/document.ts';
import { backupSchedule } from './backup-schedule/document.ts';
import { block } from './block/document.ts';
import { charm } from './charm/document.ts';
import { cloud } from './cloud/document.ts';
import { cloudAccess } from './cloud-access/document.ts';
import { controller } from './controller/document.ts';
import { credential } from './credential/document.ts';
import { externalController } from './external-controller/document.ts';
import { externalUser } from './external-user/document.ts';
import { host } from './host/document.ts';
import { lastLogin } from './last-login/document.ts';
import { leaderSettings } from './leader-settings/document.ts';
import { lease } from './lease/document.ts';
import { machine } from './machine/document.ts';
import { migration } from './migration/document.ts';
import { model } from './model/document.ts';
import { modelFile } from './model-file/document.ts';
import { offer } from './offer/document.ts';
import { offerAccess } from './offer-access/document.ts';
import { operation } from './operation/document.ts';
import { pastBlob } from './past-blob/document.ts';
import { payloads } from './payloads/document.ts';
import { relation } from './relation/document.ts';
import { relationEnd } from './relation-end/document.ts';
import { remoteApplication } from './remote-application/document.ts';
import { removedModel } from './removed-model/document.ts';
import { resource } from './resource/document.ts';
import { rootKey } from './root-key/document.ts';
import { scope } from './scope/document.ts';
import { secret } from './secret/document.ts';
import { secretBackend } from './secret-backend/document.ts';
import { secretConsumer } from './secret-consumer/document.ts';
import { secretGrant } from './secret-grant/document.ts';
import { secretRevision } from './secret-revision/document.ts';
import { sequence } from './sequence/document.ts';
import { settings } from './settings/document.ts';
import { space } from './space/document.ts';
import { status } from './status/document.ts';
import { storage } from './storage/document.ts';
import { storagePool } from './storage-pool/document.ts';
import { stray } from './stray/document.ts';
import { subnet } from './subnet/document.ts';
import { task } from './task/document.ts';
import { unit } from './unit/document.ts';
import { unitResources } from './unit-resources/document.ts';
import { unitState } from './unit-state/document.ts';
import { user } from './user/document.ts';
import type { DocOf } from './kind.ts';

export const kinds = {
  controller,
  user,
  access,
  'last-login': lastLogin,
  'root-key': rootKey,
  cloud,
  'cloud-access': cloudAccess,
  credential,
  model,
  migration,
  arrival,
  'model-file': modelFile,
  'removed-model': removedModel,
  application,
  unit,
  'unit-state': unitState,
  machine,
  stray,
  host,
  relation,
  scope,
  storage,
  'storage-pool': storagePool,
  offer,
  'offer-access': offerAccess,
  'remote-application': remoteApplication,
  'external-controller': externalController,
  'external-user': externalUser,
  'relation-end': relationEnd,
  settings,
  status,
  charm,
  resource,
  'past-blob': pastBlob,
  'unit-resources': unitResources,
  payloads,
  lease,
  'leader-settings': leaderSettings,
  annotation,
  block,
  'backup-schedule': backupSchedule,
  space,
  subnet,
  sequence,
  task,
  operation,
  secret,
  'secret-backend': secretBackend,
  'secret-revision': secretRevision,
  'secret-grant': secretGrant,
  'secret-consumer': secretConsumer,
};
export type Kind = keyof typeof kinds;

/** The documents of every kind by its name: the type parameter of the store. */
export type Entities = { readonly [P in Kind]: DocOf<(typeof kinds)[P]> };

/** The space of documents that belong to the controller and not to a model. */
export const controllerSpace = '';
