/** Names of a controller's entities, by the method that takes them and the member that holds them. */
import type { Entities } from '../../src/core/kinds.ts';
import type { Reader } from '../../src/store/store.ts';
import type { Words } from '../../src/testing/fuzz/arguments.ts';

type View = Reader<Entities>;
/** Lists of names, made on demand. */
type Lists = Readonly<Record<string, () => readonly string[]>>;

export interface Of {
  readonly facade: string;
  readonly method: string;
}

/** Returns the names for the members of a method's arguments; `member key` for the keys of a map. */
export function namesFor(view: View, model: string, { facade, method }: Of): Words {
  const lists = listsOf(view, model);
  const all = (names: string): readonly string[] =>
    names.split(' ').flatMap((name) => lists[name]?.() ?? [name]);
  const tags =
    tagsOf[`${facade}.${method}`] ?? tagsOf[facade] ?? 'unitTags machineTags applicationTags modelTags';
  return (member) => {
    const found = ofMember[`${facade} ${member}`] ?? ofMember[member];
    if (found !== undefined) return all(found);
    return /(^|-)tags?$/.test(member) || member === 'entity' || member === 'receiver' ? all(tags) : [];
  };
}

function listsOf(view: View, model: string): Lists {
  const root = view.in('');
  const units = (): string[] => first(view.list('unit')).map(({ name }) => name);
  const machines = (): string[] => first(view.list('machine')).map(({ id }) => id);
  const applications = (): string[] => first(view.list('application')).map(({ name }) => name);
  const storage = (): string[] => first(view.list('storage')).map(({ id }) => id);
  const tasks = (): string[] => first(view.list('task')).map(({ id }) => id);
  const operations = (): string[] => first(view.list('operation')).map(({ id }) => id);
  const users = (): string[] => [...first(root.list('user'), 8)].map(({ name }) => name);
  const clouds = (): string[] => first(root.list('cloud')).map(({ name }) => name);
  const spaces = (): string[] => ['alpha', ...first(view.list('space')).map(({ name }) => name)];
  const offers = (): string[] => first(view.list('offer')).map(({ name }) => name);
  const modelName = root.get('model', model)?.name ?? '';
  const secrets = (): string[] => first(view.list('secret')).map(({ id }) => id);
  const dashed = (kind: string, names: readonly string[]): string[] =>
    names.map((name) => `${kind}-${name.replaceAll('/', '-')}`);
  return {
    units,
    machines,
    applications,
    storage,
    tasks,
    operations,
    users,
    clouds,
    spaces,
    unitTags: () => dashed('unit', units()),
    machineTags: () => dashed('machine', machines()),
    applicationTags: () => dashed('application', applications()),
    modelTags: () => [`model-${model}`],
    storageTags: () => dashed('storage', storage()),
    actionTags: () => dashed('action', tasks()),
    operationTags: () => dashed('operation', operations()),
    userTags: () => dashed('user', users()),
    cloudTags: () => dashed('cloud', clouds()),
    spaceTags: () => dashed('space', spaces()),
    credentialTags: () => [
      ...first(root.list('credential')).map(
        ({ cloud, owner, name }) => `cloudcred-${cloud}_${owner}_${name}`,
      ),
      ...users().map((user) => `cloudcred-test_${user}_default`),
    ],
    charms: () => first(view.list('charm')).map(({ url }) => url),
    offers,
    offerUuids: () => first(view.list('offer')).map(({ uuid }) => uuid),
    offerUrls: () => offers().map((name) => `admin/${modelName}.${name}`),
    modelNames: () => [modelName],
    remotes: () => first(view.list('remote-application')).map(({ name }) => name),
    remoteTags: () =>
      dashed(
        'application',
        first(view.list('remote-application')).map(({ name }) => name),
      ),
    secretUris: () => secrets().map((id) => `secret:${id}`),
    secretIds: secrets,
    relations: () => first(view.list('relation')).map(({ id }) => String(id)),
    subnets: () => first(view.list('subnet')).map(({ id }) => `subnet-${id}`),
    cidrs: () => [...first(view.list('subnet')).map(({ cidr }) => cidr), '10.0.0.0/8'],
    backends: () => ['internal', ...first(root.list('secret-backend')).map(({ name }) => name)],
    pools: () => ['rootfs', 'loop', 'simulated', ...first(view.list('storage-pool')).map(({ name }) => name)],
    key: () => ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh fuzz'],
    nothing: () => [''],
    newUser: () => ['bob', 'eve', 'mary'],
    newModel: () => ['fresh', 'second'],
    any: () => ['x'],
    tokens: () => [
      ...first(view.list('relation'), 50).flatMap(({ remote }) => (remote ? [remote.token] : [])),
      'c0de0000-0000-4000-8000-000000000000',
    ],
    consumingTag: () => ['model-c0de0000-0000-4000-8000-000000000001'],
  };
}

function first<T>(items: Iterable<T>, most = 5): T[] {
  const taken: T[] = [];
  for (const item of items) if (taken.push(item) >= most) break;
  return taken;
}

/** Tags that a facade, or one of its methods, takes. */
const tagsOf: Readonly<Record<string, string>> = {
  Action: 'actionTags',
  'Action.ApplicationsCharmsActions': 'applicationTags',
  'Action.EnqueueOperation': 'unitTags',
  'Action.Operations': 'operationTags',
  Annotations: 'unitTags machineTags applicationTags modelTags storageTags',
  Application: 'applicationTags',
  'Application.DestroyConsumedApplications': 'remoteTags',
  'Application.DestroyUnit': 'unitTags',
  'Application.ResolveUnitErrors': 'unitTags',
  'Application.UnitsInfo': 'unitTags applicationTags',
  Client: 'unitTags machineTags applicationTags modelTags',
  Cloud: 'cloudTags',
  'Cloud.AddCredentials': 'credentialTags',
  'Cloud.CheckCredentialsModels': 'credentialTags',
  'Cloud.Credential': 'credentialTags',
  'Cloud.RevokeCredentialsCheckModels': 'credentialTags',
  'Cloud.UpdateCredentialsCheckModels': 'credentialTags',
  Controller: 'modelTags',
  'Controller.GetControllerAccess': 'userTags',
  'Lives.ExplainUser': 'userTags',
  MachineManager: 'machineTags',
  ModelManager: 'modelTags',
  'ModelManager.ListModels': 'userTags',
  Resources: 'applicationTags',
  SSHClient: 'unitTags machineTags',
  Storage: 'storageTags',
  UserManager: 'userTags',
  'UserManager.ModelUserInfo': 'modelTags',
};

/** Names by member, or by facade and member. */
const ofMember: Readonly<Record<string, string>> = {
  'user-tag': 'userTags',
  'owner-tag': 'userTags',
  'Secrets owner-tag': 'modelTags applicationTags unitTags',
  'model-tag': 'modelTags',
  'cloud-tag': 'cloudTags',
  'credential-tag': 'credentialTags',
  credential: 'credentialTags',
  'source-model-tag': 'modelTags',
  'offer-urls': 'offerUrls',
  'offer-url': 'offerUrls',
  'offer-uuid': 'offerUuids',
  'offer-name': 'offers',
  'application-name': 'applications',
  'application-alias': 'remotes nothing near',
  'application-description': 'nothing',
  'ApplicationOffers owner-name': 'nothing admin',
  'ApplicationOffers model-name': 'modelNames',
  'ApplicationOffers endpoints key': 'server',
  'ApplicationOffers endpoints': 'server',
  'ApplicationOffers role': 'nothing provider',
  'ApplicationOffers interface': 'nothing mysql',
  'ApplicationOffers name': 'nothing server',
  'application-user': 'nothing admin',
  'CrossModelRelations source-model-tag': 'consumingTag consumingTag modelTags',
  'CrossModelRelations relation-token': 'tokens',
  'CrossModelRelations application-token': 'tokens c0de0000-0000-4000-8000-000000000002',
  'CrossModelRelations local-endpoint-name': 'server',
  'CrossModelRelations role': 'requirer',
  'CrossModelRelations interface': 'mysql',
  'CrossModelRelations name': 'db db db cache',
  'CrossModelRelations life': 'alive alive alive alive dying dead',
  'CrossModelRelations networks': 'cidrs',
  'CrossModelRelations bakery-version': '3 2',
  'allowed-users': 'users',
  'connected-users': 'users',
  'unit-tag': 'unitTags',
  'application-tag': 'applicationTags',
  'storage-tag': 'storageTags',
  'attach-storage': 'storageTags',
  'storage-tags': 'storageTags',
  'space-tag': 'spaceTags',
  'from-space-tag': 'spaceTags',
  'to-space-tag': 'space-inner space-outer',
  'machine-tags': 'machineTags',
  unit: 'units',
  units: 'units',
  application: 'applications',
  applications: 'applications',
  machine: 'machines',
  machines: 'machines',
  'machine-id': 'machines',
  'parent-id': 'machines nothing',
  'charm-url': 'charms',
  charmUrl: 'charms',
  url: 'charms',
  id: 'tasks nothing',
  'Resources id': 'nothing',
  'Storage id': 'storage',
  storage: 'storage',
  relation: 'relations',
  'relation-id': 'relations',
  uri: 'secretUris',
  secret: 'secretIds',
  'backend-id': 'nothing',
  subnets: 'subnets',
  cidrs: 'cidrs',
  'via-cidrs': 'cidrs',
  'expose-to-cidrs': 'cidrs',
  'expose-to-spaces': 'spaces',
  'endpoint-bindings': 'spaces',
  bindings: 'spaces',
  endpoints: 'web:db mysql:server web mysql far',
  owner: 'units applications',
  names: 'units applications machines relations',
  patterns: 'units applications machines',
  'Storage names': 'pools',
  'Storage name': 'pools pool-a',
  pool: 'pools',
  provider: 'rootfs simulated',
  'SecretBackends names': 'backends',
  'Secrets name': 'any token',
  'Action name': 'backup juju-exec',
  'ModelManager name': 'newModel',
  'Cloud name': 'clouds home',
  username: 'newUser users',
  user: 'users',
  password: 'any sesame-sesame',
  access: 'read write admin login superuser add-model',
  action: 'grant revoke',
  'Block type': 'BlockDestroy BlockRemove BlockChange',
  type: 'nothing simulated',
  'auth-type': 'empty',
  'auth-types': 'empty',
  region: 'default nothing',
  'cloud-region': 'default nothing',
  'cloud-name': 'clouds',
  'credential-name': 'default',
  'ssh-keys': 'key',
  commands: 'true',
  actions: 'backup',
  status: 'active idle error started blocked pending running completed',
  historyKind: 'unit application machine juju-unit workload',
  generation: 'nothing',
  branch: 'nothing',
  source: 'local',
  arch: 'amd64',
  architecture: 'amd64',
  base: 'ubuntu@24.04',
  channel: '24.04/stable',
  scope: '# nothing',
  directive: 'machines zone=a',
  policy: 'nothing',
  jobs: 'JobHostUnits',
  'container-type': 'nothing lxd',
  container: 'nothing lxd',
  'virt-type': 'nothing virtual-machine',
  'config key': 'text number',
  config: 'any 3',
  'config-settings key': 'text number',
  options: 'text number',
  'ModelConfig config key': 'update-status-hook-interval test-mode logging-config',
  'ModelConfig config': '5m true',
  'ModelConfig keys': 'update-status-hook-interval test-mode',
  keys: 'update-status-hook-interval default-series',
  'annotations key': 'note colour',
  'data key': 'token password',
  data: 'dmFsdWU=',
  'rotate-policy': 'never daily',
  kind: '1',
  range: '80/tcp 8000-8100/udp icmp',
  yaml: 'applications:{web:{charm:local:web}}',
  reference: 'local:web-0 ch:web',
  'execution-group': 'nothing group',
  date: '2026-01-01T00:00:00Z',
  'target-version': '3.6.28 3.6.29',
  'resources key': 'blob',
  'provider-id': 'volume-1 fs-1',
};
