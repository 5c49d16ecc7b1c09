/** Registry of all commands. The file of a command is loaded only when the command runs. */
import { findIn, type Entry, type Registry } from './command.ts';

export const registry: Registry = {
  'accept-restore': { load: async () => (await import('./commands/accept-restore.ts')).acceptRestore },
  actions: { load: async () => (await import('./commands/actions.ts')).actions, aliases: ['list-actions'] },
  'add-cloud': { load: async () => (await import('./commands/add-cloud.ts')).addCloud },
  'add-credential': { load: async () => (await import('./commands/add-credential.ts')).addCredential },
  'add-machine': { load: async () => (await import('./commands/add-machine.ts')).addMachine },
  'add-model': { load: async () => (await import('./commands/add-model.ts')).addModel },
  'add-ssh-key': {
    load: async () => (await import('./commands/add-ssh-key.ts')).addSshKey,
    aliases: ['add-ssh-keys'],
  },
  'add-secret-backend': {
    load: async () => (await import('./commands/add-secret-backend.ts')).addSecretBackend,
  },
  'add-space': { load: async () => (await import('./commands/add-space.ts')).addSpace },
  'add-secret': { load: async () => (await import('./commands/add-secret.ts')).addSecret },
  'add-storage': { load: async () => (await import('./commands/add-storage.ts')).addStorage },
  apply: { load: async () => (await import('./commands/apply.ts')).apply },
  'attach-storage': { load: async () => (await import('./commands/attach-storage.ts')).attachStorage },
  'detach-storage': { load: async () => (await import('./commands/detach-storage.ts')).detachStorage },
  'remove-storage': { load: async () => (await import('./commands/remove-storage.ts')).removeStorage },
  'import-filesystem': {
    load: async () => (await import('./commands/import-filesystem.ts')).importFilesystem,
  },
  storage: { load: async () => (await import('./commands/storage.ts')).storage, aliases: ['list-storage'] },
  'show-storage': { load: async () => (await import('./commands/show-storage.ts')).showStorage },
  'storage-pools': {
    load: async () => (await import('./commands/storage-pools.ts')).storagePools,
    aliases: ['list-storage-pools'],
  },
  'create-backup': { load: async () => (await import('./commands/create-backup.ts')).createBackup },
  'create-storage-pool': {
    load: async () => (await import('./commands/create-storage-pool.ts')).createStoragePool,
  },
  'update-secret-backend': {
    load: async () => (await import('./commands/update-secret-backend.ts')).updateSecretBackend,
  },
  'update-storage-pool': {
    load: async () => (await import('./commands/update-storage-pool.ts')).updateStoragePool,
  },
  'remove-storage-pool': {
    load: async () => (await import('./commands/remove-storage-pool.ts')).removeStoragePool,
  },
  'add-user': { load: async () => (await import('./commands/add-user.ts')).addUser },
  'add-unit': { load: async () => (await import('./commands/add-unit.ts')).addUnit },
  'application-storage': {
    load: async () => (await import('./commands/application-storage.ts')).applicationStorage,
  },
  'attach-resource': {
    load: async () => (await import('./commands/attach-resource.ts')).attachResource,
    aliases: ['attach'],
  },
  'autoload-credentials': {
    load: async () => (await import('./commands/autoload-credentials.ts')).autoloadCredentials,
  },
  backups: { load: async () => (await import('./commands/backups.ts')).backups },
  bind: { load: async () => (await import('./commands/bind.ts')).bind },
  bootstrap: { load: async () => (await import('./commands/bootstrap.ts')).bootstrap },
  'cancel-task': { load: async () => (await import('./commands/cancel-task.ts')).cancelTask },
  'change-user-password': {
    load: async () => (await import('./commands/change-user-password.ts')).changeUserPassword,
  },
  'charm-resources': {
    load: async () => (await import('./commands/charm-resources.ts')).charmResources,
    aliases: ['list-charm-resources'],
  },
  clouds: { load: async () => (await import('./commands/clouds.ts')).clouds, aliases: ['list-clouds'] },
  completion: { load: async () => (await import('./commands/completion.ts')).completion },
  config: { load: async () => (await import('./commands/config.ts')).config },
  constraints: {
    load: async () => (await import('./commands/constraints.ts')).constraints,
    aliases: ['get-constraints'],
  },
  controllers: {
    load: async () => (await import('./commands/controllers.ts')).controllers,
    aliases: ['list-controllers'],
  },
  'controller-config': {
    load: async () => (await import('./commands/controller-config.ts')).controllerConfig,
  },
  credentials: {
    load: async () => (await import('./commands/credentials.ts')).credentials,
    aliases: ['list-credentials'],
  },
  'debug-code': { load: async () => (await import('./commands/debug-code.ts')).debugCode },
  'debug-hooks': {
    load: async () => (await import('./commands/debug-hooks.ts')).debugHooks,
    aliases: ['debug-hook'],
  },
  'debug-log': { load: async () => (await import('./commands/debug-log.ts')).debugLog },
  'default-credential': {
    load: async () => (await import('./commands/default-credential.ts')).defaultCredential,
    aliases: ['set-default-credentials'],
  },
  'default-region': {
    load: async () => (await import('./commands/default-region.ts')).defaultRegion,
    aliases: ['set-default-region'],
  },
  deploy: { load: async () => (await import('./commands/deploy.ts')).deploy },
  'destroy-controller': {
    load: async () => (await import('./commands/destroy-controller.ts')).destroyController,
  },
  'destroy-model': { load: async () => (await import('./commands/destroy-model.ts')).destroyModel },
  'disable-command': { load: async () => (await import('./commands/disable-command.ts')).disableCommand },
  'disabled-commands': {
    load: async () => (await import('./commands/disabled-commands.ts')).disabledCommands,
    aliases: ['list-disabled-commands'],
  },
  'enable-command': { load: async () => (await import('./commands/enable-command.ts')).enableCommand },
  'enable-destroy-controller': {
    load: async () => (await import('./commands/enable-destroy-controller.ts')).enableDestroyController,
  },
  'disable-user': { load: async () => (await import('./commands/disable-user.ts')).disableUser },
  'enable-ha': { load: async () => (await import('./commands/enable-ha.ts')).enableHa },
  'download-backup': { load: async () => (await import('./commands/download-backup.ts')).downloadBackup },
  'enable-user': { load: async () => (await import('./commands/enable-user.ts')).enableUser },
  'dump-db': { load: async () => (await import('./commands/dump-db.ts')).dumpDb },
  'dump-model': { load: async () => (await import('./commands/dump-model.ts')).dumpModel },
  exec: { load: async () => (await import('./commands/exec.ts')).exec },
  diff: { load: async () => (await import('./commands/diff.ts')).diff },
  'diff-bundle': { load: async () => (await import('./commands/diff-bundle.ts')).diffBundle },
  explain: { load: async () => (await import('./commands/explain.ts')).explain },
  export: { load: async () => (await import('./commands/export.ts')).exportModel },
  'export-bundle': { load: async () => (await import('./commands/export-bundle.ts')).exportBundle },
  expose: { load: async () => (await import('./commands/expose.ts')).expose },
  'firewall-rules': {
    load: async () => (await import('./commands/firewall-rules.ts')).firewallRules,
    aliases: ['list-firewall-rules'],
  },
  grant: { load: async () => (await import('./commands/grant.ts')).grant },
  'grant-cloud': { load: async () => (await import('./commands/grant-cloud.ts')).grantCloud },
  'grant-secret': { load: async () => (await import('./commands/grant-secret.ts')).grantSecret },
  help: { load: async () => (await import('./commands/help.ts')).helpOn(registry) },
  history: { load: async () => (await import('./commands/history.ts')).history },
  'import-ssh-key': {
    load: async () => (await import('./commands/import-ssh-key.ts')).importSshKey,
    aliases: ['import-ssh-keys'],
  },
  init: { load: async () => (await import('./commands/init.ts')).init },
  integrate: {
    load: async () => (await import('./commands/integrate.ts')).integrate,
    aliases: ['relate', 'add-relation'],
  },
  'kill-controller': { load: async () => (await import('./commands/kill-controller.ts')).killController },
  'local-image': { load: async () => (await import('./commands/local-image.ts')).localImage },
  login: { load: async () => (await import('./commands/login.ts')).login },
  logout: { load: async () => (await import('./commands/logout.ts')).logout },
  machines: {
    load: async () => (await import('./commands/machines.ts')).machines,
    aliases: ['list-machines'],
  },
  migrate: { load: async () => (await import('./commands/migrate.ts')).migrate },
  'model-config': { load: async () => (await import('./commands/model-config.ts')).modelConfig },
  'model-defaults': {
    load: async () => (await import('./commands/model-defaults.ts')).modelDefaults,
    aliases: ['model-default'],
  },
  'model-constraints': {
    load: async () => (await import('./commands/model-constraints.ts')).modelConstraints,
    aliases: ['get-model-constraints'],
  },
  'model-secret-backend': {
    load: async () => (await import('./commands/model-secret-backend.ts')).modelSecretBackend,
  },
  models: { load: async () => (await import('./commands/models.ts')).models, aliases: ['list-models'] },
  operations: {
    load: async () => (await import('./commands/operations.ts')).operations,
    aliases: ['list-operations'],
  },
  'move-to-space': { load: async () => (await import('./commands/move-to-space.ts')).moveToSpace },
  plan: { load: async () => (await import('./commands/plan.ts')).plan },
  pending: { load: async () => (await import('./commands/pending.ts')).pending },
  refresh: {
    load: async () => (await import('./commands/refresh.ts')).refresh,
    aliases: ['upgrade-charm'],
  },
  regions: { load: async () => (await import('./commands/regions.ts')).regions, aliases: ['list-regions'] },
  register: { load: async () => (await import('./commands/register.ts')).registerCommand },
  'reload-spaces': { load: async () => (await import('./commands/reload-spaces.ts')).reloadSpaces },
  removals: { load: async () => (await import('./commands/removals.ts')).removals },
  'remove-application': {
    load: async () => (await import('./commands/remove-application.ts')).removeApplication,
    aliases: ['destroy-service', 'remove-service', 'destroy-application'],
  },
  'remove-cloud': { load: async () => (await import('./commands/remove-cloud.ts')).removeCloud },
  'remove-credential': {
    load: async () => (await import('./commands/remove-credential.ts')).removeCredential,
  },
  'remove-machine': {
    load: async () => (await import('./commands/remove-machine.ts')).removeMachine,
    aliases: ['destroy-machine', 'terminate-machine'],
  },
  'remove-relation': {
    load: async () => (await import('./commands/remove-relation.ts')).removeRelation,
    aliases: ['destroy-relation'],
  },
  'remove-ssh-key': {
    load: async () => (await import('./commands/remove-ssh-key.ts')).removeSshKey,
    aliases: ['remove-ssh-keys'],
  },
  'remove-secret-backend': {
    load: async () => (await import('./commands/remove-secret-backend.ts')).removeSecretBackend,
  },
  'remove-space': { load: async () => (await import('./commands/remove-space.ts')).removeSpace },
  'remove-secret': { load: async () => (await import('./commands/remove-secret.ts')).removeSecret },
  'remove-unit': {
    load: async () => (await import('./commands/remove-unit.ts')).removeUnit,
    aliases: ['destroy-unit'],
  },
  'remove-user': { load: async () => (await import('./commands/remove-user.ts')).removeUser },
  'rename-space': { load: async () => (await import('./commands/rename-space.ts')).renameSpace },
  'reprovision-machine': {
    load: async () => (await import('./commands/reprovision-machine.ts')).reprovisionMachine,
  },
  resolved: { load: async () => (await import('./commands/resolved.ts')).resolved, aliases: ['resolve'] },
  'restore-backup': {
    load: async () => (await import('./commands/restore-backup.ts')).restoreBackup,
    aliases: ['restore'],
  },
  resources: {
    load: async () => (await import('./commands/resources.ts')).resources,
    aliases: ['list-resources'],
  },
  'retry-provisioning': {
    load: async () => (await import('./commands/retry-provisioning.ts')).retryProvisioning,
  },
  revert: { load: async () => (await import('./commands/revert.ts')).revert },
  revoke: { load: async () => (await import('./commands/revoke.ts')).revoke },
  'revoke-cloud': { load: async () => (await import('./commands/revoke-cloud.ts')).revokeCloud },
  run: { load: async () => (await import('./commands/run.ts')).run },
  'revoke-secret': { load: async () => (await import('./commands/revoke-secret.ts')).revokeSecret },
  'secret-backends': {
    load: async () => (await import('./commands/secret-backends.ts')).secretBackends,
    aliases: ['list-secret-backends'],
  },
  secrets: { load: async () => (await import('./commands/secrets.ts')).secrets, aliases: ['list-secrets'] },
  scp: { load: async () => (await import('./commands/scp.ts')).scp },
  'set-after': { load: async () => (await import('./commands/set-after.ts')).setAfter },
  'set-application-base': {
    load: async () => (await import('./commands/set-application-base.ts')).setApplicationBase,
  },
  'set-constraints': { load: async () => (await import('./commands/set-constraints.ts')).setConstraints },
  'set-firewall-rule': {
    load: async () => (await import('./commands/set-firewall-rule.ts')).setFirewallRule,
  },
  'set-credential': { load: async () => (await import('./commands/set-credential.ts')).setCredential },
  'set-model-constraints': {
    load: async () => (await import('./commands/set-model-constraints.ts')).setModelConstraints,
  },
  'show-user': { load: async () => (await import('./commands/show-user.ts')).showUser },
  'show-action': { load: async () => (await import('./commands/show-action.ts')).showAction },
  'show-application': { load: async () => (await import('./commands/show-application.ts')).showApplication },
  'show-cloud': { load: async () => (await import('./commands/show-cloud.ts')).showCloud },
  'show-controller': { load: async () => (await import('./commands/show-controller.ts')).showController },
  'show-credential': {
    load: async () => (await import('./commands/show-credential.ts')).showCredential,
    aliases: ['show-credentials'],
  },
  'show-machine': {
    load: async () => (await import('./commands/show-machine.ts')).showMachine,
    aliases: ['show-machines'],
  },
  'show-restore': { load: async () => (await import('./commands/show-restore.ts')).showRestore },
  'show-model': { load: async () => (await import('./commands/show-model.ts')).showModel },
  payloads: {
    load: async () => (await import('./commands/payloads.ts')).payloads,
    aliases: ['list-payloads'],
  },
  'show-operation': { load: async () => (await import('./commands/show-operation.ts')).showOperation },
  'show-space': { load: async () => (await import('./commands/show-space.ts')).showSpace },
  'show-secret-backend': {
    load: async () => (await import('./commands/show-secret-backend.ts')).showSecretBackend,
  },
  'show-secret': { load: async () => (await import('./commands/show-secret.ts')).showSecret },
  'show-status-log': { load: async () => (await import('./commands/show-status-log.ts')).showStatusLog },
  'show-task': { load: async () => (await import('./commands/show-task.ts')).showTask },
  'show-unit': { load: async () => (await import('./commands/show-unit.ts')).showUnit },
  spaces: { load: async () => (await import('./commands/spaces.ts')).spaces, aliases: ['list-spaces'] },
  ssh: { load: async () => (await import('./commands/ssh.ts')).ssh },
  'ssh-keys': {
    load: async () => (await import('./commands/ssh-keys.ts')).sshKeys,
    aliases: ['list-ssh-keys'],
  },
  status: { load: async () => (await import('./commands/status.ts')).status },
  'store-repair': { load: async () => (await import('./commands/store-repair.ts')).storeRepair },
  'store-report': { load: async () => (await import('./commands/store-report.ts')).storeReport },
  subnets: { load: async () => (await import('./commands/subnets.ts')).subnets, aliases: ['list-subnets'] },
  switch: { load: async () => (await import('./commands/switch.ts')).switchCommand },
  'sync-agent-binary': {
    load: async () => (await import('./commands/sync-agent-binary.ts')).syncAgentBinary,
  },
  trust: { load: async () => (await import('./commands/trust.ts')).trust },
  test: { load: async () => (await import('./commands/test.ts')).test },
  consume: { load: async () => (await import('./commands/consume.ts')).consume },
  'find-offers': { load: async () => (await import('./commands/find-offers.ts')).findOffers },
  offer: { load: async () => (await import('./commands/offer.ts')).offer },
  offers: { load: async () => (await import('./commands/offers.ts')).offers, aliases: ['list-offers'] },
  'remove-offer': { load: async () => (await import('./commands/remove-offer.ts')).removeOffer },
  'remove-saas': {
    load: async () => (await import('./commands/remove-saas.ts')).removeSaas,
    aliases: ['remove-consumed-application'],
  },
  'resume-relation': { load: async () => (await import('./commands/resume-relation.ts')).resumeRelation },
  'show-offer': {
    load: async () => (await import('./commands/show-offer.ts')).showOffer,
    aliases: ['show-endpoints'],
  },
  'suspend-relation': {
    load: async () => (await import('./commands/suspend-relation.ts')).suspendRelation,
  },
  unexpose: { load: async () => (await import('./commands/unexpose.ts')).unexpose },
  unregister: { load: async () => (await import('./commands/unregister.ts')).unregister },
  'update-cloud': { load: async () => (await import('./commands/update-cloud.ts')).updateCloud },
  'update-credential': {
    load: async () => (await import('./commands/update-credential.ts')).updateCredential,
    aliases: ['update-credentials'],
  },
  'update-secret': { load: async () => (await import('./commands/update-secret.ts')).updateSecret },
  'update-public-clouds': {
    load: async () => (await import('./commands/update-public-clouds.ts')).updatePublicClouds,
    aliases: ['update-clouds'],
  },
  'upgrade-controller': {
    load: async () => (await import('./commands/upgrade-controller.ts')).upgradeController,
  },
  'upgrade-model': { load: async () => (await import('./commands/upgrade-model.ts')).upgradeModel },
  version: { load: async () => (await import('./commands/version.ts')).version },
  'wait-for': { load: async () => (await import('./commands/wait-for.ts')).waitFor },
  users: { load: async () => (await import('./commands/users.ts')).users, aliases: ['list-users'] },
  'what-if': { load: async () => (await import('./commands/what-if.ts')).whatIf },
  whoami: { load: async () => (await import('./commands/whoami.ts')).whoami },
  __complete: {
    load: async () => (await import('./commands/complete.ts')).completeFrom(registry),
    hidden: true,
  },
  __share: { load: async () => (await import('./commands/share.ts')).shareFrom(registry), hidden: true },
};

/** Finds a command by name or alias. */
export function findCommand(name: string): { readonly name: string; readonly entry: Entry } | undefined {
  return findIn(registry, name);
}
