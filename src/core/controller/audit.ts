/** Contents of the audit log (login.md#audit-log). */
import { numberSetting, sizeSetting, withInitialValues } from './config.ts';

export interface AuditSettings {
  readonly isEnabled: boolean;
  /** Whether the arguments of requests are written. */
  readonly captureArgs: boolean;
  /** Size in bytes from which a file is full, and number of full files that are kept. */
  readonly maxBytes: number;
  readonly backups: number;
  /** Methods (`Client.FullStatus`) that alone do not make a conversation worth keeping. */
  readonly excluded: ReadonlySet<string>;
}

/** Reads the settings `auditing-enabled` and `audit-log-*` of a controller; absent ones have Juju's defaults. */
export function auditSettings(config: Readonly<Record<string, unknown>>): AuditSettings {
  const {
    'auditing-enabled': isEnabled,
    'audit-log-capture-args': captureArgs,
    'audit-log-exclude-methods': excluded,
  } = withInitialValues(config);
  const words = Array.isArray(excluded) ? excluded : String(excluded).split(/[\s,]+/);
  return {
    isEnabled: isEnabled !== false,
    captureArgs: captureArgs === true,
    maxBytes: sizeSetting(config, 'audit-log-max-size'),
    backups: numberSetting(config, 'audit-log-max-backups'),
    excluded: new Set(
      words.flatMap((word) => (word === 'ReadOnlyMethods' ? readOnlyMethods : [String(word)])),
    ),
  };
}

/** Facades whose arguments hold secrets: they are never written. */
const secretFacades = new Set([
  'Action',
  'Cloud',
  'ModelArrivals',
  'SecretBackends',
  'Secrets',
  'UserManager',
]);

/** Members of other facades' arguments that may hold secrets, such as options of charms and settings of models. */
const secretMembers = new Set([
  'application-settings',
  'config',
  'config-settings',
  'config-settings-yaml',
  'config-yaml',
  'macaroon',
  'macaroons',
  'password',
  'settings',
  'text',
  'token',
  'yaml',
]);

const hidden = '*****';

/** The arguments of a request as the log holds them: JSON, with `*****` for what may hold secrets. */
export function auditedArgs(facade: string, params: unknown, maxLength: number): string {
  if (secretFacades.has(facade)) return hidden;
  const text = JSON.stringify(params ?? {}, (member, value: unknown) =>
    secretMembers.has(member) ? withoutValues(value) : value,
  );
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}

/** Names of options stay, without their values. */
function withoutValues(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return hidden;
  return Object.fromEntries(Object.keys(value).map((name) => [name, hidden]));
}

const readOnlyMethods =
  `Action.Actions Action.ApplicationsCharmsActions Action.ListOperations Action.Operations
  Action.WatchActionsProgress AllModelWatcher.Next AllModelWatcher.Stop AllWatcher.Next AllWatcher.Stop
  Annotations.Get BackupArchives.List BackupArchives.Schedule Application.ApplicationsInfo
  Application.CharmConfig Application.CharmRelations Application.GetCharmURLOrigin Application.GetConfig
  Application.GetConstraints Application.Leader Application.UnitsInfo Block.List Bundle.ExportBundle
  Bundle.GetChangesMapArgs Charms.CharmInfo Charms.CheckCharmPlacement Charms.List Charms.ResolveCharms
  Client.FullStatus Client.StatusHistory Client.WatchAll Cloud.Cloud Cloud.CloudInfo Cloud.Clouds Cloud.Credential
  Cloud.ListCloudInfo Cloud.UserCredentials Controller.AllModels Controller.ControllerAPIInfoForModels
  Controller.ControllerConfig Controller.ControllerVersion Controller.GetControllerAccess
  Controller.DashboardConnectionInfo Controller.IdentityProviderURL Controller.ListBlockedModels Controller.ModelConfig Controller.ModelStatus
  Controller.WatchAllModelSummaries Controller.WatchAllModels Controller.WatchCloudSpecsChanges
  Controller.WatchModelSummaries ControllerPrograms.Plan
  KeyManager.ListKeys Lives.Explain Lives.ExplainUser Lives.History Lives.PlanControllerRemoval
  Lives.PlanModelRemoval Lives.PlanRemoval Lives.Removals Lives.StatusAt LocalImages.List
  ModelConfig.GetModelConstraints ModelConfig.ModelGet ModelConfig.SLALevel ModelConfig.Sequences
  ModelManager.ListModelSummaries ModelManager.ListModels ModelManager.ModelDefaultsForClouds
  ModelManager.ModelInfo ModelManager.ModelStatus ModelSummaryWatcher.Next ModelSummaryWatcher.Stop
  NotifyWatcher.Next NotifyWatcher.Stop Payloads.List Pinger.Ping Pinger.Stop Provisioning.Bases
  Provisioning.CheckConstraints Provisioning.RestorePlan Provisioning.Strays Requirements.Graph Requirements.Pending
  Resources.ListResources Rollouts.Get Rollouts.Plan Rollouts.PlanRollback SSHClient.AllAddresses
  SSHClient.PrivateAddress SSHClient.Proxy SSHClient.PublicAddress SSHClient.PublicKeys
  SecretBackends.ListSecretBackends Secrets.ListSecrets Spaces.ListSpaces Spaces.ShowSpace Storage.ListFilesystems
  Storage.ListPools Storage.ListStorageDetails Storage.ListVolumes Storage.StorageDetails StoreReport.Report
  StringsWatcher.Next StringsWatcher.Stop Subnets.AllZones Subnets.ListSubnets Subnets.SubnetsByCIDR
  UserManager.ModelUserInfo UserManager.UserInfo`.split(/\s+/);
