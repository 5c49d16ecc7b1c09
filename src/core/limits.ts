/**
 * All limits on outside input: sizes, numbers, depths. docs/reference/limits.md says of each who may send it and what
 * it costs at the limit; limits.test.ts compares that page with this table.
 */
import { JujuError } from './errors.ts';

export interface Limit {
  readonly max: number;
  readonly unit: 'bytes' | 'characters' | 'entries' | 'levels' | 'seconds' | 'steps' | 'times';
  /** The limited thing as error messages name it: `charm state of unit mysql/0`. */
  readonly of: string;
}

const KiB = 1024;
const MiB = 1024 * KiB;

export const limits = {
  // Sizes of documents in bytes of JSON (core/quotas.ts).
  record: { max: 256 * KiB, unit: 'bytes', of: 'record' },
  recordId: { max: 1024, unit: 'characters', of: 'id of a record' },
  charmState: { max: 2 * MiB, unit: 'bytes', of: 'charm state' },
  charmStateKeys: { max: 10_000, unit: 'entries', of: 'keys of charm state' },
  charmStateKey: { max: 256, unit: 'characters', of: 'key in charm state' },
  charmStateValue: { max: 64 * KiB, unit: 'characters', of: 'value in charm state' },
  agentState: { max: 512 * KiB, unit: 'bytes', of: "agent's state" },
  newerState: { max: 3 * MiB, unit: 'bytes', of: 'state that is newer than a backup' },
  restoreDifferences: { max: 1000, unit: 'entries', of: 'differences of a restore in one answer' },
  unknownUnits: { max: 1000, unit: 'entries', of: 'units of a machine that a backup does not know' },
  databag: { max: 2 * MiB, unit: 'bytes', of: 'settings' },
  databagsOfHook: { max: 2_000, unit: 'entries', of: 'settings that a hook writes' },
  databagKeys: { max: 10_000, unit: 'entries', of: 'keys of settings' },
  statusMessage: { max: 16 * KiB, unit: 'characters', of: 'status message' },
  statusData: { max: 64 * KiB, unit: 'bytes', of: 'status data' },
  invalidReason: { max: 1024, unit: 'characters', of: 'reason why a credential is invalid' },
  blockMessage: { max: 1024, unit: 'characters', of: 'message of a block' },
  annotationKeys: { max: 1_000, unit: 'entries', of: 'annotations' },
  applicationConfig: { max: 2 * MiB, unit: 'bytes', of: 'config' },
  olderConfigs: { max: 8 * MiB, unit: 'bytes', of: 'config of charms that units still run' },
  // Values, bindings and resources that a rollback returns to.
  rollout: { max: 8 * MiB, unit: 'bytes', of: 'roll-out' },
  gates: { max: 50, unit: 'entries', of: 'applications that an application waits for' },
  rolloutCondition: { max: 1_000, unit: 'characters', of: 'condition of a roll-out' },
  modelConfig: { max: 512 * KiB, unit: 'bytes', of: 'model config' },
  removedModels: { max: 100, unit: 'entries', of: 'removed models that are looked for in their clouds' },
  sshKeys: { max: 1_000, unit: 'entries', of: 'ssh keys of a model' },
  sshKey: { max: 16 * KiB, unit: 'characters', of: 'ssh key' },
  machineAddresses: { max: 256, unit: 'entries', of: 'addresses of a machine that its agent reports' },
  hostKeys: { max: 16, unit: 'entries', of: 'host keys of a machine' },
  charmRecord: { max: 4 * MiB, unit: 'bytes', of: 'metadata, options and actions' },
  payloads: { max: 1_000, unit: 'entries', of: 'payloads' },
  openPorts: { max: 500, unit: 'entries', of: 'open port ranges' },
  taskParameters: { max: 1 * MiB, unit: 'bytes', of: 'parameters' },
  // Parameters of maximum length are this long when they are sealed.
  sealedParameters: { max: 2 * MiB, unit: 'bytes', of: 'sealed parameters' },
  operationParameters: { max: 32 * MiB, unit: 'bytes', of: 'parameters of all tasks of an operation' },
  /** The longest output of a task, sealed. */
  taskSealedOutput: { max: 6 * MiB, unit: 'bytes', of: 'sealed output' },
  taskOutput: { max: 4 * MiB, unit: 'bytes', of: 'output' },
  taskLog: { max: 256 * KiB, unit: 'bytes', of: 'log' },
  taskLogLines: { max: 1_000, unit: 'entries', of: 'messages of a task' },
  // The record of an operation has room for the ids of this many tasks.
  operationTasks: { max: 20_000, unit: 'entries', of: 'tasks' },
  // The size of all documents of a model, counting 350 bytes for each in addition to its JSON.
  modelBytes: { max: 2048 * MiB, unit: 'bytes', of: 'records of a model' },
  // Numbers of documents.
  credentialsOfUser: { max: 100, unit: 'entries', of: 'credentials' },
  modelsOfUser: { max: 1_000, unit: 'entries', of: 'models' },
  clouds: { max: 1_000, unit: 'entries', of: 'clouds' },
  users: { max: 10_000, unit: 'entries', of: 'users' },
  externalUsers: { max: 1_000, unit: 'entries', of: 'users of other domains' },
  applications: { max: 10_000, unit: 'entries', of: 'applications' },
  unitsAtOnce: { max: 100_000, unit: 'entries', of: 'units of one request' },
  units: { max: 250_000, unit: 'entries', of: 'units' },
  machines: { max: 250_000, unit: 'entries', of: 'machines' },
  charms: { max: 10_000, unit: 'entries', of: 'charms' },
  spaces: { max: 1_000, unit: 'entries', of: 'spaces' },
  subnetZones: { max: 100, unit: 'entries', of: 'zones of a subnet' },
  subnets: { max: 2_000, unit: 'entries', of: 'subnets' },
  resources: { max: 20_000, unit: 'entries', of: 'resources' },
  pendingResources: { max: 1_000, unit: 'entries', of: 'announced resources' },
  pastBlobs: { max: 500, unit: 'entries', of: 'files of the past' },
  // Archives of charms and contents of resources that a model keeps for reverts; the oldest go first.
  pastBlobBytes: { max: 1024 * MiB, unit: 'bytes', of: 'files of the past of a model' },
  offers: { max: 10_000, unit: 'entries', of: 'offers' },
  offerEndpoints: { max: 100, unit: 'entries', of: 'endpoints of an offer' },
  offerDescription: { max: 16 * KiB, unit: 'bytes', of: 'description of an offer' },
  remoteApplications: { max: 10_000, unit: 'entries', of: 'remote applications' },
  externalControllers: { max: 1_000, unit: 'entries', of: 'external controllers' },
  relationEnds: { max: 1_000, unit: 'entries', of: 'ends of relations to be told' },
  controllerAddresses: { max: 100, unit: 'entries', of: 'addresses of a controller' },
  controllerAddress: { max: 512, unit: 'characters', of: 'address of a controller' },
  caCertificate: { max: 64 * KiB, unit: 'characters', of: 'CA certificate' },
  peerAnswer: { max: 16 * MiB, unit: 'bytes', of: 'answer of another controller' },
  peerUnits: { max: 10_000, unit: 'entries', of: 'units of another controller in a relation' },
  viaCidrs: { max: 100, unit: 'entries', of: 'networks that a relation comes from' },
  relationsOfConsumer: { max: 2_000, unit: 'entries', of: 'relations' },
  relationsOfApplication: { max: 10_000, unit: 'entries', of: 'relations' },
  queuedTasksOfReceiver: { max: 1_000, unit: 'entries', of: 'waiting tasks' },
  queuedTasks: { max: 250_000, unit: 'entries', of: 'waiting tasks' },
  // Secrets; sizes of contents are in characters of base64, as the API has them.
  secrets: { max: 100_000, unit: 'entries', of: 'secrets' },
  secretRevisions: { max: 1_000, unit: 'entries', of: 'revisions' },
  secretGrants: { max: 10_000, unit: 'entries', of: 'grants' },
  secretsOfConsumer: { max: 20_000, unit: 'entries', of: 'secrets that are read' },
  secretsOfHook: { max: 1_000, unit: 'entries', of: 'secrets that a hook changes' },
  secretContent: { max: 1_000_000, unit: 'characters', of: 'secret content' },
  secretKeys: { max: 1_000, unit: 'entries', of: 'keys of secret content' },
  secretKey: { max: 256, unit: 'characters', of: 'key of secret content' },
  secretLabel: { max: 1_024, unit: 'characters', of: 'label of a secret' },
  secretBackends: { max: 100, unit: 'entries', of: 'secret backends' },
  secretBackendConfig: { max: 128 * KiB, unit: 'characters', of: 'configuration of a secret backend' },
  secretBackendAnswer: { max: 64 * MiB, unit: 'bytes', of: 'answer of a secret backend' },
  secretMask: { max: 8 * MiB, unit: 'characters', of: 'contents that are hidden in what a hook says' },
  secretDescription: { max: 16 * KiB, unit: 'characters', of: 'description of a secret' },
  storages: { max: 250_000, unit: 'entries', of: 'storage instances' },
  storagesOfNewUnit: { max: 1_000, unit: 'entries', of: 'storage instances that a new unit gets' },
  storagesOfUnit: { max: 100, unit: 'entries', of: 'storage instances of a name that a unit has' },
  modelFiles: { max: 1_000, unit: 'entries', of: 'model files' },
  applyFailure: { max: 16 * KiB, unit: 'characters', of: 'reason why an apply stopped' },
  storagePools: { max: 1_000, unit: 'entries', of: 'storage pools' },
  volumeId: { max: 1024, unit: 'characters', of: 'id of a volume in the cloud' },
  storagePath: { max: 4096, unit: 'characters', of: 'path of a mounted storage' },
  storageAttributes: { max: 64 * KiB, unit: 'bytes', of: 'attributes of storage' },
  // Log lines that an agent sends in one call.
  logRecords: { max: 1_000, unit: 'entries', of: 'log records in a call' },
  logMessage: { max: 64 * KiB, unit: 'characters', of: 'message of a log record' },
  logWords: { max: 1024, unit: 'characters', of: 'entity, time, level and module of a log record' },
  // Connections and logins.
  connections: { max: 20_000, unit: 'entries', of: 'connections' },
  newcomers: { max: 8_000, unit: 'entries', of: 'connections without a login' },
  newcomersOfAddress: { max: 2_000, unit: 'entries', of: 'connections of an address without a login' },
  newcomersOfAddressWhenFull: {
    max: 64,
    unit: 'entries',
    of: 'connections of an address without a login, when there are no more for all',
  },
  newcomerBytes: { max: 256 * KiB, unit: 'bytes', of: 'data received before a login' },
  anonymousConnections: { max: 4_000, unit: 'entries', of: 'connections of other controllers' },
  anonymousConnectionsOfAddress: {
    max: 1_000,
    unit: 'entries',
    of: 'connections of other controllers from an address',
  },
  handshakeTime: { max: 10, unit: 'seconds', of: 'TLS handshake' },
  loginTime: { max: 30, unit: 'seconds', of: 'connection without a login' },
  // Commands of /commands.
  idleCommandSockets: { max: 256, unit: 'entries', of: 'connections of an address that have run no command' },
  commandRequest: { max: 128 * KiB, unit: 'bytes', of: 'request to run commands' },
  commandRequests: { max: 16, unit: 'entries', of: 'requests to run commands that wait on a connection' },
  commandsOfRequest: { max: 100, unit: 'entries', of: 'commands of a request' },
  commands: { max: 4, unit: 'entries', of: 'commands that run at a time' },
  commandsOfUser: { max: 2, unit: 'entries', of: 'commands of a user that run at a time' },
  commandTime: { max: 600, unit: 'seconds', of: 'command' },
  commandOutput: { max: 16 * MiB, unit: 'characters', of: 'output of a command' },
  userName: { max: 255, unit: 'characters', of: 'name of a user' },
  displayName: { max: 1024, unit: 'bytes', of: 'display name of a user' },
  password: { max: 1024, unit: 'characters', of: 'password' },
  errorText: { max: 16 * KiB, unit: 'characters', of: 'text of an error' },
  auditWords: { max: 4096, unit: 'characters', of: 'text in a record of the audit log' },
  auditHeld: { max: 100, unit: 'entries', of: 'records of a connection that the audit log holds back' },
  auditWaiting: { max: 16 * MiB, unit: 'characters', of: 'records of the audit log that wait for the disk' },
  registration: { max: 16 * KiB, unit: 'bytes', of: 'registration of a user' },
  dischargeRequest: { max: 64 * KiB, unit: 'bytes', of: 'request for a discharge' },
  formTokens: { max: 10_000, unit: 'entries', of: 'tokens for discharges' },
  macaroonBytes: { max: 32 * KiB, unit: 'bytes', of: 'macaroon' },
  macaroonCaveats: { max: 100, unit: 'entries', of: 'caveats of a macaroon' },
  rootKeys: { max: 1_000, unit: 'entries', of: 'root keys' },
  remoteUnitsOfRelation: {
    max: 20_000,
    unit: 'entries',
    of: 'units that another controller has told of in a relation',
  },
  settingsOfConsumer: { max: 256 * MiB, unit: 'bytes', of: 'settings told by another model' },
  settingsOfConsumers: { max: 1024 * MiB, unit: 'bytes', of: 'settings told by other models' },
  readingsOfConsumer: { max: 64 * MiB, unit: 'bytes', of: 'readings of secrets by another model' },
  readingsOfConsumers: { max: 256 * MiB, unit: 'bytes', of: 'readings of secrets by other models' },
  remoteUnitNumber: { max: 1_000_000, unit: 'entries', of: 'number of a unit of another model' },
  macaroons: { max: 100, unit: 'entries', of: 'macaroons of a request' },
  waitingLogins: { max: 256, unit: 'entries', of: 'logins that wait in one share' },
  waitingLoginsOfAddress: { max: 64, unit: 'entries', of: 'logins that wait of one address in one share' },
  failedLoginLines: { max: 60, unit: 'entries', of: 'failed logins logged in a minute' },
  failedLoginLinesOfAddress: {
    max: 10,
    unit: 'entries',
    of: 'failed logins of an address logged in a minute',
  },
  securityLinesOfCaller: {
    max: 60,
    unit: 'entries',
    of: 'logins and refusals of a caller logged in a minute',
  },
  securityLinesOfCommit: { max: 100, unit: 'entries', of: 'security events logged of one change' },
  // Models that arrive from other controllers.
  arrivingDocuments: { max: 64 * MiB, unit: 'bytes', of: 'records that arrive at a time' },
  arrivingPiece: { max: 1 * MiB, unit: 'bytes', of: 'piece of what arrives' },
  migrationTicket: { max: 4096, unit: 'characters', of: "place of a model's machines" },
  // Requests and uploads.
  request: { max: 8 * MiB, unit: 'bytes', of: 'request' },
  listEntries: { max: 10_000, unit: 'entries', of: 'list in a request' },
  requestMarks: { max: 200_000, unit: 'entries', of: 'values of a request' },
  mapEntries: { max: 10_000, unit: 'entries', of: 'map in a request' },
  databagsOfAnswer: { max: 100_000, unit: 'entries', of: 'settings in an answer' },
  answerEntries: { max: 100_000, unit: 'entries', of: 'entries of an answer' },
  answer: { max: 24 * MiB, unit: 'characters', of: 'answer' },
  statusDetails: { max: 32 * MiB, unit: 'characters', of: 'long entities in a status' },
  secretsOfAnswer: { max: 32 * MiB, unit: 'characters', of: 'contents of secrets in an answer' },
  machinesOfAnswer: { max: 60_000, unit: 'entries', of: 'machines in an answer' },
  message: { max: 64 * MiB, unit: 'bytes', of: 'message' },
  concurrentRequests: { max: 1024, unit: 'entries', of: 'requests of a connection at a time' },
  watchersOfRelation: { max: 100, unit: 'entries', of: 'watchers of a relation by other controllers' },
  watchersOfConnection: { max: 1_000, unit: 'entries', of: 'watchers of a connection' },
  unsentAnswers: { max: 256 * MiB, unit: 'bytes', of: 'unread answers of a client' },
  charmArchive: { max: 1024 * MiB, unit: 'bytes', of: 'charm archive' },
  resourceFile: { max: 4096 * MiB, unit: 'bytes', of: 'resource' },
  modelResources: { max: 256 * 1024 * MiB, unit: 'bytes', of: 'resources of a model' },
  resourceUploadsOfUser: { max: 8, unit: 'entries', of: 'uploads of resources by a user at a time' },
  resourceUploads: { max: 16, unit: 'entries', of: 'uploads of resources at a time' },
  resourceName: { max: 100, unit: 'characters', of: 'name of a resource, or of its file' },
  imageDetails: { max: 64 * KiB, unit: 'bytes', of: 'description of an OCI image' },
  rootImage: { max: 16 * 1024 * MiB, unit: 'bytes', of: 'archive of a root file system' },
  backupNotes: { max: 4096, unit: 'characters', of: 'notes of a backup' },
  backupRecipient: { max: 2048, unit: 'bytes', of: 'recipient of a backup' },
  backupPassphrase: { max: 1024, unit: 'characters', of: 'passphrase of a backup' },
  backupRequest: { max: 8192, unit: 'bytes', of: 'request for a backup' },
  backupFailure: { max: 1024, unit: 'characters', of: 'reason why a backup failed' },
  backupsListed: { max: 2000, unit: 'entries', of: 'backups in one answer' },
  backupsRemoved: { max: 1000, unit: 'entries', of: 'backups to remove' },
  bootReport: { max: 4096, unit: 'bytes', of: 'report of a first boot' },
  bundleValues: { max: 30_000, unit: 'entries', of: 'values in a bundle' },
  bundleUnits: { max: 10_000, unit: 'entries', of: 'units in a bundle' },
  endpointName: { max: 100, unit: 'characters', of: 'name of an endpoint, or of an interface' },
  // YAML, and bundles.
  yamlBytes: { max: MiB, unit: 'bytes', of: 'YAML text' },
  yamlMarks: { max: 40_000, unit: 'entries', of: 'tokens of a YAML text' },
  givenText: {
    max: 16 * MiB,
    unit: 'bytes',
    of: 'text that a client reads from a file, a pipe or its input',
  },
  bundleBytes: { max: 16 * MiB, unit: 'bytes', of: 'bundle that a client reads' },
  bundleMarks: { max: 2_000_000, unit: 'entries', of: 'tokens of a bundle that a client reads' },
  plannedBundleBytes: { max: 256 * KiB, unit: 'bytes', of: 'bundle that the controller plans' },
  plannedBundleMarks: {
    max: 50_000,
    unit: 'entries',
    of: 'tokens of a bundle that the controller plans',
  },
  yamlDepth: { max: 100, unit: 'levels', of: 'nested lists and maps in a YAML text' },
  // Conditions of wait-for and of roll-outs.
  goalQuery: { max: 10_000, unit: 'characters', of: 'condition' },
  goalDepth: { max: 500, unit: 'levels', of: 'nested or chained parts of a condition' },
  goalSteps: { max: 2_000_000, unit: 'steps', of: 'comparisons and calls of a condition' },
  statusPatterns: { max: 100, unit: 'entries', of: 'wildcard patterns of a status request' },
  globLength: { max: 256, unit: 'characters', of: 'status pattern' },
  // Forecasts of `grigri what-if`, each of which takes a thread of the controller.
  forecastEvents: { max: 100, unit: 'entries', of: 'events of a forecast' },
  forecastEvent: { max: 200, unit: 'characters', of: 'event of a forecast' },
  forecastFiles: { max: 4 * MiB, unit: 'characters', of: 'files that a forecast applies' },
  forecastUnits: { max: 1_000, unit: 'entries', of: 'units that an event of a forecast adds' },
  forecastHorizon: { max: 24 * 3600, unit: 'seconds', of: 'horizon of a forecast' },
  forecastEntities: { max: 5_000, unit: 'entries', of: 'units and machines of a forecast' },
  forecastBytes: { max: 32 * MiB, unit: 'bytes', of: 'copy of a model for a forecast' },
  forecastLines: { max: 2_000, unit: 'entries', of: 'lines of a forecast' },
  forecastStuck: { max: 50, unit: 'entries', of: 'explained entities of a forecast' },
  forecastTime: { max: 60, unit: 'seconds', of: 'real time of a forecast' },
  // Schemas of actions, and parameters that are checked by them.
  schemaSteps: { max: 1_000_000, unit: 'steps', of: 'checks of schemas of actions' },
  patternSize: { max: 2_000, unit: 'characters', of: 'pattern with its repetitions expanded' },
  jsonDepth: { max: 100, unit: 'levels', of: 'nested lists and maps in a JSON text' },
  // Scenarios of `grigri test`.
  scenarioBytes: { max: 256 * KiB, unit: 'bytes', of: 'scenario' },
  scenarioSteps: { max: 1_000, unit: 'entries', of: 'steps of a scenario' },
  archiveEntries: { max: 50_000, unit: 'entries', of: 'files in an archive' },
  archiveDirectory: { max: 16 * MiB, unit: 'bytes', of: 'table of contents of an archive' },
  archiveUnpacked: { max: 2048 * MiB, unit: 'bytes', of: 'unpacked archive' },
  archiveRatio: { max: 200, unit: 'times', of: 'compression ratio of an archive' },
  archivePath: { max: 1024, unit: 'characters', of: 'path in an archive' },
  archiveDepth: { max: 64, unit: 'levels', of: 'nested folders in an archive' },
  archiveLink: { max: 1024, unit: 'bytes', of: 'target of a link in an archive' },
} as const satisfies Readonly<Record<string, Limit>>;

/**
 * Throws when `size` exceeds the limit. `subject` replaces the limit's own name in the message. Errors: `quota limit
 * exceeded`, with the limit, the size and the subject.
 */
export function checkLimit({ max, unit, of }: Limit, size: number, subject: string = of): void {
  if (size <= max) return;
  throw new JujuError('quota limit exceeded', `${subject}: ${size} ${unit} exceed the limit of ${max}`);
}

/** The text, cut at the limit and ended with `…` when it is longer. */
export function cut({ max }: Pick<Limit, 'max'>, text: string): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
