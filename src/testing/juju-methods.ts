/** Methods that Juju 3.6 has in the facades of its clients, by name. */

interface JujuFacade {
  /** Methods of the newest version. */
  readonly methods: string;
  /** Older version → methods that it has in addition (`more`) or lacks (`less`). */
  readonly older?: Readonly<Record<number, { readonly more?: string; readonly less?: string }>>;
}

export const jujuMethods: Readonly<Record<string, JujuFacade>> = {
  Action: {
    methods: `Actions ApplicationsCharmsActions Cancel EnqueueOperation ListOperations Operations Run
      RunOnAllMachines WatchActionsProgress`,
  },
  AllWatcher: {
    methods: 'Next Stop',
  },
  AllModelWatcher: { methods: 'Next Stop' },
  Annotations: {
    methods: `Get Set`,
  },
  Application: {
    methods: `AddRelation AddUnits ApplicationsInfo CharmConfig CharmRelations Consume Deploy
      DeployFromRepository DestroyApplication DestroyConsumedApplications DestroyRelation DestroyUnit
      Expose Get GetApplicationStorage GetCharmURLOrigin GetConfig GetConstraints Leader
      MergeBindings ResolveUnitErrors ScaleApplications SetCharm SetConfigs SetConstraints
      SetMetricCredentials SetRelationsSuspended Unexpose UnitsInfo UnsetApplicationsConfig
      UpdateApplicationBase UpdateApplicationStorage`,
    older: {
      21: { less: 'GetApplicationStorage UpdateApplicationStorage' },
      20: { less: 'GetApplicationStorage UpdateApplicationStorage' },
      19: { less: 'GetApplicationStorage UpdateApplicationStorage' },
      18: { less: 'GetApplicationStorage UpdateApplicationStorage' },
      17: { less: 'GetApplicationStorage UpdateApplicationStorage' },
      16: { more: 'Destroy DestroyUnits', less: 'GetApplicationStorage UpdateApplicationStorage' },
      15: { more: 'Destroy DestroyUnits', less: 'GetApplicationStorage UpdateApplicationStorage' },
    },
  },
  ApplicationOffers: {
    methods: `ApplicationOffers DestroyOffers FindApplicationOffers GetConsumeDetails ListApplicationOffers
      ModifyOfferAccess Offer RemoteApplicationInfo`,
  },
  Backups: { methods: 'Create' },
  Block: {
    methods: 'List SwitchBlockOff SwitchBlockOn',
  },
  Bundle: {
    methods: `ExportBundle GetChanges GetChangesMapArgs`,
  },
  Charms: {
    methods: `AddCharm CharmInfo CheckCharmPlacement GetDownloadInfos IsMetered List ListCharmResources
      ResolveCharms`,
    older: {
      5: { more: 'AddCharmWithAuthorization' },
    },
  },
  Client: {
    methods: `FullStatus StatusHistory WatchAll`,
    older: {
      7: { more: 'FindTools' },
      6: { more: 'FindTools' },
    },
  },
  Cloud: {
    methods: `AddCloud AddCredentials CheckCredentialsModels Cloud CloudInfo Clouds Credential
      CredentialContents InstanceTypes ListCloudInfo ModifyCloudAccess RemoveClouds
      RevokeCredentialsCheckModels UpdateCloud UpdateCredentialsCheckModels UserCredentials`,
  },
  Controller: {
    methods: `AllModels CloudSpec ConfigSet ControllerAPIInfoForModels ControllerConfig ControllerVersion
      DashboardConnectionInfo DestroyController GetCloudSpec GetControllerAccess HostedModelConfigs
      IdentityProviderURL InitiateMigration ListBlockedModels ModelStatus ModifyControllerAccess
      MongoVersion RemoveBlocks WatchAllModelSummaries WatchAllModels WatchCloudSpecsChanges
      WatchModelSummaries`,
    older: {
      11: { more: 'ModelConfig' },
    },
  },
  CredentialManager: { methods: 'InvalidateModelCredential' },
  CrossController: { methods: 'ControllerInfo WatchControllerInfo' },
  CrossModelRelations: {
    methods: `PublishIngressNetworkChanges PublishRelationChanges RegisterRemoteRelations
      WatchConsumedSecretsChanges WatchEgressAddressesForRelations WatchOfferStatus WatchRelationChanges
      WatchRelationsSuspendedStatus`,
  },
  CrossModelSecrets: { methods: 'GetSecretAccessScope GetSecretContentInfo' },
  HighAvailability: { methods: 'EnableHA' },
  ImageMetadataManager: { methods: 'Delete List Save' },
  KeyManager: {
    methods: `AddKeys DeleteKeys ImportKeys ListKeys`,
  },
  MachineManager: {
    methods: `AddMachines DestroyMachineWithParams GetUpgradeSeriesMessages InstanceTypes ProvisioningScript
      RetryProvisioning UpgradeSeriesComplete UpgradeSeriesPrepare UpgradeSeriesValidate
      WatchUpgradeSeriesNotifications`,
  },
  ModelConfig: {
    methods: `GetModelConstraints ModelGet ModelSet ModelUnset SLALevel Sequences SetModelConstraints
      SetSLALevel`,
  },
  ModelGeneration: {
    methods: `AbortBranch AddBranch BranchInfo CommitBranch HasActiveBranch ListCommits ShowCommit
      TrackBranch`,
  },
  ModelManager: {
    methods: `ChangeModelCredential CreateModel DestroyModels DumpModels DumpModelsDB ListModelSummaries
      ListModels ModelDefaultsForClouds ModelInfo ModelStatus ModifyModelAccess SetModelDefaults
      UnsetModelDefaults`,
  },
  ModelSummaryWatcher: { methods: 'Next Stop' },
  ModelUpgrader: { methods: 'AbortModelUpgrade UpgradeModel' },
  NotifyWatcher: { methods: 'Next Stop' },
  OfferStatusWatcher: { methods: 'Next Stop' },
  Payloads: { methods: 'List' },
  Pinger: {
    methods: `Ping Stop`,
  },
  RelationStatusWatcher: { methods: 'Next Stop' },
  RemoteRelationWatcher: { methods: 'Next Stop' },
  Resources: {
    methods: `AddPendingResources ListResources`,
  },
  SSHClient: {
    methods: `AllAddresses ModelCredentialForSSH PrivateAddress Proxy PublicAddress PublicKeys`,
  },
  Spaces: {
    methods: 'CreateSpaces ListSpaces MoveSubnets ReloadSpaces RemoveSpace RenameSpace ShowSpace',
  },
  SecretBackends: {
    methods: `AddSecretBackends ListSecretBackends RemoveSecretBackends UpdateSecretBackends`,
  },
  Secrets: {
    methods: `CreateSecrets GrantSecret ListSecrets RemoveSecrets RevokeSecret UpdateSecrets`,
    older: { 1: { less: 'CreateSecrets GrantSecret RemoveSecrets RevokeSecret UpdateSecrets' } },
  },
  SecretsRevisionWatcher: { methods: 'Next Stop' },
  Storage: {
    methods: `AddToUnit Attach CreatePool DetachStorage Import ListFilesystems ListPools ListStorageDetails
      ListVolumes Remove RemovePool StorageDetails UpdatePool`,
  },
  StringsWatcher: {
    methods: 'Next Stop',
  },
  Subnets: {
    methods: 'AllZones ListSubnets SubnetsByCIDR',
  },
  UserManager: {
    methods: `AddUser DisableUser EnableUser ModelUserInfo RemoveUser ResetPassword SetPassword UserInfo`,
  },
};
