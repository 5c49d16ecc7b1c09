import type { Facades } from '../wire/facades/index.ts';

/**
 * Facade versions that grigri's calls are written for. The type ties them to what wire/facades declares; the values are
 * not imported from there, because every command and agent would build all schemas when it starts.
 */
const knownVersions: { readonly [N in keyof Facades]: Facades[N]['versions'] } = {
  Action: [7],
  AgentWatcher: [1],
  AllModelWatcher: [4],
  AllWatcher: [3],
  Annotations: [2],
  Application: [19, 20, 21, 22],
  ApplicationOffers: [4, 5],
  BackupArchives: [1],
  Backups: [3],
  Block: [2],
  Bundle: [6],
  Charms: [6, 7],
  Client: [6, 8],
  Cloud: [7],
  Controller: [11, 12],
  ControllerPrograms: [1],
  CredentialManager: [1],
  CrossController: [1],
  CrossModelRelations: [2, 3],
  CrossModelSecrets: [1, 2],
  Forecasts: [1],
  HighAvailability: [2],
  ImageMetadataManager: [1],
  KeyManager: [1],
  Lives: [1],
  LocalImages: [1],
  MachineAgent: [1],
  MachineManager: [9, 10],
  ModelArrivals: [1],
  ModelConfig: [3],
  ModelGeneration: [4],
  ModelFiles: [1],
  ModelManager: [9, 10],
  ModelSummaryWatcher: [1],
  ModelUpgrader: [1],
  NotifyWatcher: [1],
  OfferStatusWatcher: [1],
  Payloads: [1],
  Pinger: [1],
  Provisioning: [1],
  RelationStatusWatcher: [1],
  RemoteRelationWatcher: [1],
  Requirements: [1],
  Resources: [3],
  Rollouts: [1],
  SSHClient: [4],
  Spaces: [6],
  SecretBackends: [1],
  Secrets: [1, 2],
  SecretsRevisionWatcher: [1],
  Storage: [6, 7],
  StoreReport: [1],
  StringsWatcher: [1],
  Subnets: [5],
  UserManager: [3],
};

/**
 * Returns the highest version that both sides know. 0 means that there is none: Juju's own client sends 0 too, and the
 * server answers `not implemented`. A facade that is not listed here gets the server's highest version.
 */
export function chooseVersion(facade: string, announced: readonly number[]): number {
  const supported: readonly number[] | undefined = Object.hasOwn(knownVersions, facade)
    ? knownVersions[facade as keyof Facades]
    : undefined;
  return Math.max(0, ...announced.filter((version) => !supported || supported.includes(version)));
}
