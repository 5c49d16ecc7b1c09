/** Calls of methods that are answered without an error, one for each method whose smallest arguments are refused. */
import type { Callers } from '../call.ts';
import { storedUnit } from './world.ts';

/** Function that makes a method's arguments in a world, from the answer to an earlier call where needed. */
type Arguments = (callers: Callers) => unknown;

const entity = (tag: string): { entities: { tag: string }[] } => ({ entities: [{ tag }] });
const fixed =
  (value: unknown): Arguments =>
  () =>
    value;
const ofModel =
  (make: (modelTag: string) => unknown): Arguments =>
  ({ model }) =>
    make(`model-${model}`);
/** Returns the tag of the first document of a kind. */
const first =
  (kind: 'task' | 'operation' | 'secret', prefix: string): Arguments =>
  (callers) => {
    const [found] = callers.view().list(kind);
    return `${prefix}${found?.id ?? ''}`;
  };
const task: Arguments = (callers) => entity(first('task', 'action-')(callers) as string);
const secret =
  (more: object): Arguments =>
  (callers) => ({ uri: first('secret', 'secret:')(callers), label: '', ...more });
const home = {
  type: 'test',
  'auth-types': ['empty', 'userpass'],
  endpoint: '',
  regions: [{ name: 'here' }, { name: 'there' }],
};
const credentials = (name: string): object => ({
  credentials: [
    {
      tag: `cloudcred-home_admin_${name}`,
      credential: { 'auth-type': 'userpass', attrs: { username: 'u', password: 'p' } },
    },
  ],
});
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh fuzz';
const otherKey = key.replace('YWFh fuzz', 'YWFi other');
const pool = { pools: [{ name: 'fast', provider: 'rootfs', attrs: {} }] };
const refresh = { application: 'web', 'charm-url': 'local:web-1' };
const bob = (rest: object): object => ({ changes: [{ 'user-tag': 'user-bob', action: 'grant', ...rest }] });

/** Calls in their order; methods that are not in the table are called before them, with their smallest arguments. */
export const calls: Readonly<Record<string, Arguments>> = {
  'Action.EnqueueOperation': fixed({ actions: [{ receiver: 'unit-web-0', name: 'backup', parameters: {} }] }),
  'Action.Run': fixed({ commands: 'true', timeout: 1e9, units: ['web/0'] }),
  'Action.Actions': task,
  'Action.ApplicationsCharmsActions': fixed(entity('application-web')),
  'Action.Operations': (callers) => entity(first('operation', 'operation-')(callers) as string),
  'Action.WatchActionsProgress': task,
  'Action.Cancel': task,
  'Annotations.Set': fixed({ annotations: [{ entity: 'application-web', annotations: { note: 'x' } }] }),
  'Annotations.Get': fixed(entity('application-web')),
  'Application.Deploy': fixed({
    applications: [{ application: 'db', 'charm-url': 'local:db-0', 'num-units': 1 }],
  }),
  'Application.AddRelation': fixed({ endpoints: ['web:db', 'db:db'] }),
  'Application.AddUnits': fixed({ application: 'web', 'num-units': 1 }),
  'Application.ApplicationsInfo': fixed(entity('application-web')),
  'Application.Expose': fixed({ application: 'web' }),
  'Application.Unexpose': fixed({ application: 'web' }),
  'Application.Leader': fixed({ tag: 'application-web' }),
  'Application.MergeBindings': fixed({
    args: [{ 'application-tag': 'application-web', bindings: { db: 'alpha' } }],
  }),
  'Application.ResolveUnitErrors': fixed({ all: true }),
  'Application.SetCharm': fixed({ application: 'web', 'charm-url': 'local:web-0' }),
  'Application.SetConfigs': fixed({ Args: [{ application: 'web', config: { text: 'x' } }] }),
  'Application.UnsetApplicationsConfig': fixed({ Args: [{ application: 'web', options: ['text'] }] }),
  'Application.UpdateApplicationBase': fixed({
    args: [{ tag: { tag: 'application-web' }, channel: '24.04/stable' }],
  }),
  'Application.UpdateApplicationStorage': fixed({
    'storage-updates': [
      { 'application-tag': 'application-web', 'storage-constraints': { data: { size: 2048 } } },
    ],
  }),
  'Application.UnitsInfo': fixed(entity('unit-web-0')),
  'Application.DestroyRelation': fixed({ endpoints: ['web:db', 'db:db'] }),
  'Application.DestroyUnit': fixed({ units: [{ 'unit-tag': 'unit-web-0' }] }),
  'Application.DestroyApplication': fixed({ applications: [{ 'application-tag': 'application-web' }] }),
  'ApplicationOffers.Offer': ofModel((tag) => ({
    Offers: [{ 'model-tag': tag, 'offer-name': 'o', 'application-name': 'web', endpoints: { site: 'site' } }],
  })),
  'ApplicationOffers.ApplicationOffers': fixed({ 'offer-urls': ['admin/default.o'] }),
  'ApplicationOffers.ListApplicationOffers': fixed({
    Filters: [{ 'model-name': 'default', 'owner-name': 'admin' }],
  }),
  'ApplicationOffers.GetConsumeDetails': fixed({ 'offer-urls': { 'offer-urls': ['admin/default.o'] } }),
  'ApplicationOffers.RemoteApplicationInfo': fixed({ 'offer-urls': ['admin/default.o'] }),
  'Block.SwitchBlockOn': fixed({ type: 'BlockDestroy', message: 'no' }),
  'Block.List': fixed({}),
  'Block.SwitchBlockOff': fixed({ type: 'BlockDestroy' }),
  'Charms.ResolveCharms': fixed({
    resolve: [{ reference: 'local:web-0', 'charm-origin': { source: 'local' } }],
  }),
  'Client.StatusHistory': fixed({
    requests: [{ historyKind: 'unit', size: 5, filter: { size: 5, exclude: [] }, tag: 'unit-web-0' }],
  }),
  'Cloud.AddCloud': fixed({ name: 'moon', cloud: home }),
  'Cloud.UpdateCloud': fixed({ clouds: [{ name: 'moon', cloud: home }] }),
  'Cloud.AddCredentials': fixed(credentials('one')),
  'Cloud.CheckCredentialsModels': fixed(credentials('one')),
  'Cloud.UpdateCredentialsCheckModels': fixed({ ...credentials('one'), force: false }),
  'Cloud.Credential': fixed(entity('cloudcred-home_admin_one')),
  'Cloud.CredentialContents': fixed({ 'include-secrets': true }),
  'Cloud.UserCredentials': fixed({
    'user-clouds': [{ 'user-tag': 'user-admin', 'cloud-tag': 'cloud-home' }],
  }),
  'Cloud.ModifyCloudAccess': fixed(bob({ access: 'add-model', 'cloud-tag': 'cloud-home' })),
  'Cloud.CloudInfo': fixed(entity('cloud-home')),
  'Cloud.RevokeCredentialsCheckModels': fixed({
    credentials: [{ tag: 'cloudcred-home_admin_one', force: true }],
  }),
  'Cloud.RemoveClouds': fixed(entity('cloud-moon')),
  'Controller.ConfigSet': fixed({ config: { 'auditing-enabled': true } }),
  'Controller.GetControllerAccess': fixed(entity('user-admin')),
  'Controller.ModifyControllerAccess': fixed(bob({ access: 'superuser' })),
  'Controller.RemoveBlocks': fixed({ all: true }),
  'Controller.DestroyController': fixed({ 'destroy-models': true, 'destroy-storage': true }),
  'KeyManager.AddKeys': fixed({ user: 'admin', 'ssh-keys': [key, otherKey] }),
  'KeyManager.DeleteKeys': fixed({ user: 'admin', 'ssh-keys': ['other'] }),
  'Lives.Explain': fixed({ names: ['web/0'] }),
  'Lives.ExplainUser': fixed({ tag: 'user-admin' }),
  'Lives.History': fixed({ names: ['web'], limit: 10 }),
  'Lives.PlanControllerRemoval': fixed({ 'destroy-models': true, 'destroy-storage': true }),
  'Lives.PlanModelRemoval': ofModel((tag) => ({ models: [{ 'model-tag': tag, 'destroy-storage': true }] })),
  'Lives.PlanRemoval': fixed({ targets: [{ tag: 'unit-web-0' }] }),
  'Lives.StatusAt': ({ store }) => ({ revision: store.read().revision, patterns: [] }),
  'MachineManager.AddMachines': fixed({
    params: [{ base: { name: 'ubuntu', channel: '24.04' }, jobs: ['JobHostUnits'] }],
  }),
  'MachineManager.RetryProvisioning': fixed({ all: true }),
  'MachineManager.DestroyMachineWithParams': fixed({ 'machine-tags': ['machine-0'], force: true }),
  'ModelConfig.ModelSet': fixed({ config: { 'test-size': 4 } }),
  'ModelFiles.Begin': (callers) => Promise.resolve({ file: 'shop', revision: callers.store.read().revision }),
  'ModelFiles.End': fixed({ failure: 'x' }),
  'ModelFiles.Join': async (callers) => {
    await callers.call('ModelFiles', 'Begin', { file: 'shop', revision: callers.store.read().revision });
    return { 'model-tag': `model-${callers.model}` };
  },
  'ModelFiles.Owned': fixed({ file: 'shop' }),
  'ModelManager.CreateModel': fixed({ name: 'fresh', 'owner-tag': 'user-admin', config: {} }),
  'ModelManager.ChangeModelCredential': ofModel((tag) => ({
    'model-credentials': [{ 'model-tag': tag, 'credential-tag': 'cloudcred-home_admin_default' }],
  })),
  'ModelManager.DestroyModels': ofModel((tag) => ({
    models: [{ 'model-tag': tag, 'destroy-storage': true }],
  })),
  'ModelManager.ListModels': fixed({ tag: 'user-admin' }),
  'ModelManager.ModelDefaultsForClouds': fixed(entity('cloud-home')),
  'ModelManager.ModifyModelAccess': ofModel((tag) => bob({ access: 'read', 'model-tag': tag })),
  'ModelManager.SetModelDefaults': fixed({ config: [{ config: { 'test-size': 5 } }] }),
  'ModelManager.UnsetModelDefaults': fixed({ keys: [{ keys: ['test-size'] }] }),
  'Provisioning.CheckConstraints': fixed({ constraints: { mem: 1024 } }),
  'Provisioning.RetryMachines': fixed({ all: true }),
  'Provisioning.ReprovisionMachines': fixed({ machines: ['machine-1'], force: true }),
  'Requirements.SetAfter': fixed({ application: 'web', after: { later: '' } }),
  'Resources.AddPendingResources': fixed({
    tag: 'application-web',
    url: 'local:web-0',
    resources: [{ name: 'blob', type: 'file', path: 'blob.tgz', origin: 'upload', revision: 0, size: 0 }],
  }),
  'Rollouts.Plan': fixed(refresh),
  'Rollouts.Begin': fixed({ ...refresh, 'max-unavailable': '1' }),
  'Rollouts.PlanRollback': fixed({ application: 'web' }),
  'Rollouts.Get': fixed({ application: 'web' }),
  'Rollouts.Resume': async (callers) => {
    await callers.change((tx) => {
      const web = tx.get('application', 'web')!;
      tx.put('application', 'web', { ...web, rollout: { ...web.rollout!, state: 'paused' } });
    });
    return { application: 'web' };
  },
  'Rollouts.Rollback': fixed({ application: 'web' }),
  'Rollouts.Abort': fixed({ application: 'web' }),
  'SSHClient.PrivateAddress': fixed(entity('machine-0')),
  'SSHClient.PublicAddress': fixed(entity('machine-0')),
  'SSHClient.PublicKeys': fixed(entity('machine-0')),
  'SecretBackends.ListSecretBackends': fixed({}),
  'SecretBackends.UpdateSecretBackends': fixed({
    args: [{ name: 'vault', 'name-change': 'safe', force: true }],
  }),
  'SecretBackends.RemoveSecretBackends': fixed({ args: [{ name: 'safe' }] }),
  'Secrets.CreateSecrets': ofModel((tag) => ({
    args: [{ 'owner-tag': tag, label: 'token', content: { data: { token: 'dmFsdWU=' } } }],
  })),
  'Secrets.ListSecrets': fixed({ 'show-secrets': false, filter: {} }),
  'Secrets.GrantSecret': secret({ applications: ['web'] }),
  'Secrets.RevokeSecret': secret({ applications: ['web'] }),
  'Secrets.UpdateSecrets': (callers) => ({ args: [secret({ description: 'new' })(callers)] }),
  'Secrets.RemoveSecrets': (callers) => ({ args: [secret({})(callers)] }),
  'Spaces.CreateSpaces': fixed({ spaces: [{ cidrs: [], 'space-tag': 'space-inner', public: false }] }),
  'Spaces.MoveSubnets': fixed({ args: [{ subnets: ['subnet-1'], 'space-tag': 'space-inner', force: true }] }),
  'Spaces.ShowSpace': fixed(entity('space-inner')),
  'Spaces.RenameSpace': fixed({
    changes: [{ 'from-space-tag': 'space-inner', 'to-space-tag': 'space-outer' }],
  }),
  'Spaces.RemoveSpace': fixed({ 'space-param': [{ space: { tag: 'space-outer' }, force: true }] }),
  'Storage.AddToUnit': fixed({ storages: [{ unit: 'unit-web-0', name: 'data', storage: { count: 1 } }] }),
  'Storage.StorageDetails': fixed(entity('storage-data-0')),
  'Storage.CreatePool': fixed(pool),
  'Storage.UpdatePool': fixed(pool),
  'Storage.RemovePool': fixed({ pools: [{ name: 'fast' }] }),
  'Storage.ListFilesystems': fixed({ filters: [{}] }),
  'Storage.ListVolumes': fixed({ filters: [{}] }),
  'Storage.DetachStorage': fixed({
    ids: { ids: [{ 'storage-tag': 'storage-kept-8', 'unit-tag': `unit-${storedUnit}` }] },
  }),
  'Storage.Attach': fixed({ ids: [{ 'storage-tag': 'storage-kept-9', 'unit-tag': `unit-${storedUnit}` }] }),
  'Storage.Remove': fixed({ storage: [{ tag: 'storage-kept-7', 'destroy-storage': true }] }),
  'Subnets.SubnetsByCIDR': fixed({ cidrs: ['10.0.8.0/24'] }),
  'UserManager.AddUser': fixed({ users: [{ username: 'eve', 'display-name': '' }] }),
  'UserManager.UserInfo': fixed({ entities: [], 'include-disabled': true }),
  'UserManager.ModelUserInfo': ofModel((tag) => entity(tag)),
  'UserManager.SetPassword': fixed({ changes: [{ tag: 'user-bob', password: 'sesame' }] }),
  'UserManager.ResetPassword': fixed(entity('user-bob')),
  'UserManager.DisableUser': fixed(entity('user-bob')),
  'UserManager.EnableUser': fixed(entity('user-bob')),
  'UserManager.RemoveUser': fixed(entity('user-bob')),
};

/**
 * Methods that always return an error in this world, with the error's message: their objects do not exist here, or
 * another program has to answer first. Other tests show that they succeed where they can.
 */
export const refusals: Readonly<Record<string, RegExp>> = {
  'Application.Consume': /is not a valid model tag/,
  'Cloud.InstanceTypes': /InstanceTypes not supported/,
  'Controller.InitiateMigration': /is not a valid controller tag/,
  'HighAvailability.EnableHA': /a second controller machine not supported/,
  'KeyManager.ImportKeys': /importing keys of .* not supported/,
  'LocalImages.Add': /no model of this controller is on a cloud of type local|base string/,
  'LocalImages.List': /no model of this controller is on a cloud of type local/,
  'LocalImages.Remove': /no model of this controller is on a cloud of type local/,
  'MachineManager.InstanceTypes': /InstanceTypes not supported/,
  'MachineManager.ProvisioningScript': /was not enlisted/,
  'ModelConfig.SetSLALevel': /SLA level/,
  'ModelUpgrader.UpgradeModel': /invalid version|no upgrades available/,
  'ModelArrivals.Activate': /migration "[^"]*" not found/,
  'ModelArrivals.AdoptResources': /migration "[^"]*" not found/,
  'ModelArrivals.Import': /the record does not fit/,
  'ModelArrivals.ImportContent': /migration "[^"]*" not found/,
  'ModelArrivals.ImportDocuments': /migration "[^"]*" not found/,
  'ModelArrivals.ImportSecrets': /migration "[^"]*" not found/,
  'ModelArrivals.MissingContents': /migration "[^"]*" not found/,
  'ModelArrivals.Prechecks': /the record does not fit/,
  'Storage.Import': /storage kind "unknown" not supported/,
  'SecretBackends.AddSecretBackends': /backend name "" not valid/,
};
