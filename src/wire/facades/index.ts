/**
 * Facades of the API, each listed once: the server's functions, the client's calls and the announced versions derive
 * from it.
 */
import type { FacadeSpec } from '../facade-spec.ts';
import { action } from './action.ts';
import { agentWatcher } from './agent-watcher.ts';
import { allWatcher } from './all-watcher.ts';
import { annotations } from './annotations.ts';
import { application } from './application.ts';
import { applicationOffers } from './application-offers.ts';
import { backupArchives } from './backup-archives.ts';
import { backups } from './backups.ts';
import { block } from './block.ts';
import { bundle } from './bundle.ts';
import { charms } from './charms.ts';
import { client } from './client.ts';
import { cloud } from './cloud.ts';
import { controllerPrograms } from './controller-programs.ts';
import { controller } from './controller.ts';
import {
  crossController,
  crossModelRelations,
  offerStatusWatcher,
  relationStatusWatcher,
  remoteRelationWatcher,
  secretsRevisionWatcher,
} from './cross-model-relations.ts';
import { crossModelSecrets } from './cross-model-secrets.ts';
import { credentialManager } from './credential-manager.ts';
import { forecasts } from './forecasts.ts';
import { highAvailability } from './high-availability.ts';
import { keyManager } from './key-manager.ts';
import { lives } from './lives.ts';
import { localImages } from './local-images.ts';
import { machineAgent } from './machine-agent.ts';
import { machineManager } from './machine-manager.ts';
import { modelFiles } from './model-files.ts';
import { modelArrivals } from './model-arrivals.ts';
import { modelConfig } from './model-config.ts';
import { modelManager } from './model-manager.ts';
import { modelUpgrader } from './model-upgrader.ts';
import { payloads } from './payloads.ts';
import { pinger } from './pinger.ts';
import { provisioning } from './provisioning.ts';
import { requirements } from './requirements.ts';
import { imageMetadataManager, modelGeneration } from './refused.ts';
import { resources } from './resources.ts';
import { rollouts } from './rollouts.ts';
import { sshClient } from './ssh-client.ts';
import { spaces } from './spaces.ts';
import { secretBackends } from './secret-backends.ts';
import { secrets } from './secrets.ts';
import { storage } from './storage.ts';
import { storeReport } from './store-report.ts';
import { stringsWatcher } from './strings-watcher.ts';
import { subnets } from './subnets.ts';
import { userManager } from './user-manager.ts';
import { allModelWatcher, modelSummaryWatcher, notifyWatcher } from './watchers.ts';

export const facades = [
  action,
  agentWatcher,
  allModelWatcher,
  allWatcher,
  annotations,
  application,
  applicationOffers,
  backupArchives,
  backups,
  block,
  bundle,
  charms,
  client,
  cloud,
  controller,
  controllerPrograms,
  credentialManager,
  crossController,
  crossModelRelations,
  crossModelSecrets,
  forecasts,
  highAvailability,
  imageMetadataManager,
  keyManager,
  lives,
  localImages,
  machineAgent,
  machineManager,
  modelArrivals,
  modelConfig,
  modelFiles,
  modelGeneration,
  modelManager,
  modelSummaryWatcher,
  modelUpgrader,
  notifyWatcher,
  offerStatusWatcher,
  payloads,
  pinger,
  provisioning,
  relationStatusWatcher,
  remoteRelationWatcher,
  requirements,
  resources,
  rollouts,
  sshClient,
  secretBackends,
  secrets,
  secretsRevisionWatcher,
  spaces,
  storage,
  storeReport,
  stringsWatcher,
  subnets,
  userManager,
] as const satisfies readonly FacadeSpec[];

/** Facades by name. */
export type Facades = { readonly [S in (typeof facades)[number] as S['name']]: S };
export type FacadeName = keyof Facades;
export type MethodName<F extends FacadeName> = keyof Facades[F]['methods'] & string;
