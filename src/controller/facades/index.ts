/** Functions of every facade that wire/facades/ lists: a missing one does not compile. */
import { facades as specs, type Facades } from '../../wire/facades/index.ts';
import type { FacadeTable } from '../facade.ts';
import type { RegistryEntry } from '../server/registry.ts';
import { action } from './action/index.ts';
import { agentWatcher } from './agent-watcher/index.ts';
import { allModelWatcher } from './all-model-watcher/index.ts';
import { allWatcher } from './all-watcher/index.ts';
import { annotations } from './annotations/index.ts';
import { application } from './application/index.ts';
import { applicationOffers } from './application-offers/index.ts';
import { backupArchives } from './backup-archives/index.ts';
import { backups } from './backups/index.ts';
import { block } from './block/index.ts';
import { bundle } from './bundle/index.ts';
import { charms } from './charms/index.ts';
import { client } from './client/index.ts';
import { cloud } from './cloud/index.ts';
import { controllerPrograms } from './controller-programs/index.ts';
import { controller } from './controller/index.ts';
import { crossController } from './cross-controller/index.ts';
import {
  crossModelRelations,
  offerStatusWatcher,
  relationStatusWatcher,
  remoteRelationWatcher,
  secretsRevisionWatcher,
} from './cross-model-relations/index.ts';
import { crossModelSecrets } from './cross-model-secrets/index.ts';
import { credentialManager } from './credential-manager/index.ts';
import { forecasts } from './forecasts/index.ts';
import { highAvailability } from './high-availability/index.ts';
import { keyManager } from './key-manager/index.ts';
import { lives } from './lives/index.ts';
import { localImages } from './local-images/index.ts';
import { machineAgent } from './machine-agent/index.ts';
import { machineManager } from './machine-manager/index.ts';
import { modelArrivals } from './model-arrivals/index.ts';
import { modelConfig } from './model-config/index.ts';
import { modelFiles } from './model-files/index.ts';
import { modelManager } from './model-manager/index.ts';
import { modelSummaryWatcher } from './model-summary-watcher/index.ts';
import { modelUpgrader } from './model-upgrader/index.ts';
import { notifyWatcher } from './notify-watcher/index.ts';
import { payloads } from './payloads/index.ts';
import { pinger } from './pinger/index.ts';
import { provisioning } from './provisioning/index.ts';
import { requirements } from './requirements/index.ts';
import { rollouts } from './rollouts/index.ts';
import { resources } from './resources/index.ts';
import { sshClient } from './ssh-client/index.ts';
import { spaces } from './spaces/index.ts';
import { secretBackends } from './secret-backends/index.ts';
import { secrets } from './secrets/index.ts';
import { storage } from './storage/index.ts';
import { storeReport } from './store-report/index.ts';
import { stringsWatcher } from './strings-watcher/index.ts';
import { subnets } from './subnets/index.ts';
import { userManager } from './user-manager/index.ts';

const tables: { readonly [N in keyof Facades]: FacadeTable<Facades[N]> } = {
  Action: action,
  AgentWatcher: agentWatcher,
  AllModelWatcher: allModelWatcher,
  AllWatcher: allWatcher,
  Annotations: annotations,
  Application: application,
  ApplicationOffers: applicationOffers,
  BackupArchives: backupArchives,
  Backups: backups,
  Block: block,
  Bundle: bundle,
  Charms: charms,
  Client: client,
  Cloud: cloud,
  Controller: controller,
  ControllerPrograms: controllerPrograms,
  CredentialManager: credentialManager,
  CrossController: crossController,
  CrossModelRelations: crossModelRelations,
  CrossModelSecrets: crossModelSecrets,
  Forecasts: forecasts,
  HighAvailability: highAvailability,
  ImageMetadataManager: {},
  KeyManager: keyManager,
  Lives: lives,
  LocalImages: localImages,
  MachineAgent: machineAgent,
  MachineManager: machineManager,
  ModelArrivals: modelArrivals,
  ModelConfig: modelConfig,
  ModelFiles: modelFiles,
  ModelGeneration: {},
  ModelManager: modelManager,
  ModelSummaryWatcher: modelSummaryWatcher,
  ModelUpgrader: modelUpgrader,
  NotifyWatcher: notifyWatcher,
  OfferStatusWatcher: offerStatusWatcher,
  Payloads: payloads,
  Pinger: pinger,
  Provisioning: provisioning,
  RelationStatusWatcher: relationStatusWatcher,
  RemoteRelationWatcher: remoteRelationWatcher,
  Requirements: requirements,
  Resources: resources,
  Rollouts: rollouts,
  SSHClient: sshClient,
  Spaces: spaces,
  Secrets: secrets,
  SecretBackends: secretBackends,
  SecretsRevisionWatcher: secretsRevisionWatcher,
  Storage: storage,
  StoreReport: storeReport,
  StringsWatcher: stringsWatcher,
  Subnets: subnets,
  UserManager: userManager,
};

export const facades: readonly RegistryEntry[] = specs.map((spec) => ({ spec, table: tables[spec.name] }));
