/** The keys of a model's configuration (model-settings.md#model-config). */
import { requireModes } from '../requirements/requirement.ts';

export interface ConfigAttribute {
  /**
   * The type of the value: `list` is separated by commas, `map` is `k=v k=v` or a map, `size` e.g. `5G`. Values are
   * stored as text except those of bool, int and map.
   */
  readonly type:
    | 'string'
    | 'bool'
    | 'int'
    | 'map'
    | 'duration'
    | 'size'
    | 'base'
    | 'cidrs'
    | 'logging'
    | 'list';
  readonly description: string;
  /** The default; absent: the key does not exist until it is set. */
  readonly default?: string | number | boolean;
  readonly immutable?: boolean;
  /** The allowed values; for a list, those of its items. */
  readonly values?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** False: the value is kept and shown, and nothing reads it (model-settings.md#without-effect). */
  readonly hasEffect?: false;
}
export type ConfigSchema = Readonly<Record<string, ConfigAttribute>>;

const text = (description: string, initial = '') =>
  ({ type: 'string', description, default: initial }) as const;
/** A key without default, which exists only when it is set. */
const unset = (description: string) => ({ type: 'string', description }) as const;
const flag = (description: string, initial: boolean) =>
  ({ type: 'bool', description, default: initial }) as const;
const proxy = (what: string) => text(`Proxy for ${what}`);
const kept = <A extends ConfigAttribute>(attribute: A) => ({ ...attribute, hasEffect: false }) as const;
const localOnly = '127.0.0.1,localhost,::1';
const noProxy = (who: string) =>
  text(`Addresses that ${who} connect to without a proxy, separated by commas`, localOnly);

const attributes = {
  name: { type: 'string', description: 'The name of the model', immutable: true },
  type: { type: 'string', description: 'The type of the cloud', immutable: true },
  uuid: { type: 'string', description: "The model's uuid", immutable: true },
  'agent-version': { type: 'string', description: 'The version that agents run', immutable: true },
  'agent-stream': kept(text('The stream that agents come from', 'released')),
  'agent-metadata-url': kept(text('Where agents are listed')),
  'apt-mirror': text('Mirror that machines install packages from'),
  'apt-http-proxy': proxy('apt over http'),
  'apt-https-proxy': proxy('apt over https'),
  'apt-ftp-proxy': proxy('apt over ftp'),
  'apt-no-proxy': text('Addresses that apt connects to without a proxy, separated by commas'),
  'authorized-keys': text('Public SSH keys that may log in to machines, one per line'),
  'automatically-retry-hooks': flag('Whether a failed hook is retried automatically', true),
  'backup-dir': text('Folder of backups'),
  'charmhub-url': kept({ ...text('The charm store', 'https://api.charmhub.io'), immutable: true }),
  'cloudinit-userdata': text("User data for cloud-init, added to every machine's, as YAML"),
  'container-image-stream': kept(text('The stream that container images come from', 'released')),
  'container-image-metadata-url': kept(text('Where container images are listed')),
  'container-image-metadata-defaults-disabled': kept(
    flag('Whether the default sources of container images are disabled', false),
  ),
  'container-inherit-properties': kept(
    text("Keys of the host's cloud-init data that containers inherit, separated by commas"),
  ),
  'container-networking-method': kept({
    ...text('How containers are connected to the network'),
    values: ['', 'local', 'provider'],
  }),
  'default-base': {
    type: 'base',
    description: 'The base of applications that are deployed without one',
    default: '',
  },
  'default-space': text('The space of endpoints without a binding'),
  development: kept(flag('Whether development versions are allowed', false)),
  'disable-network-management': kept(
    flag('Whether machines keep their network as the provider set it up', false),
  ),
  'disable-telemetry': kept(flag('Whether telemetry is disabled', false)),
  'egress-subnets': {
    type: 'cidrs',
    description: "Source CIDRs of the model's outgoing traffic",
    default: '',
  },
  'enable-os-refresh-update': flag('Whether new machines refresh their package lists', true),
  'enable-os-upgrade': flag('Whether new machines upgrade their packages', true),
  'extra-info': unset('Free text that is kept with the model'),
  'firewall-mode': {
    ...text('Who opens ports: one firewall per instance, one for all, or none', 'instance'),
    values: ['instance', 'global', 'none'],
    immutable: true,
  },
  'ftp-proxy': proxy('ftp, on machines'),
  'hook-timeout': {
    type: 'duration',
    description: 'How long a hook may run before it is killed and fails; 0s = no limit',
    default: '0s',
    min: 0,
  },
  'http-proxy': proxy('http, on machines'),
  'https-proxy': proxy('https, on machines'),
  'no-proxy': noProxy('machines'),
  'juju-ftp-proxy': proxy('ftp, for agents and charms'),
  'juju-http-proxy': proxy('http, for agents and charms'),
  'juju-https-proxy': proxy('https, for agents and charms'),
  'juju-no-proxy': noProxy('agents and charms'),
  'ignore-machine-addresses': flag(
    "Whether addresses that only the machine's agent reports are ignored",
    false,
  ),
  'image-stream': text('The stream that images come from', 'released'),
  'image-metadata-url': text('Where images are listed'),
  'image-metadata-defaults-disabled': kept(flag('Whether the default sources of images are disabled', false)),
  'lost-machines': {
    ...text('What happens to a machine whose instance has disappeared: it is reported or replaced', 'report'),
    values: ['report', 'replace'],
  },
  'logging-config': {
    type: 'logging',
    description: 'What agents log: <module>=<level>;…',
    default: '<root>=INFO',
  },
  'logforward-enabled': kept(flag('Whether logs are forwarded', false)),
  'lxd-snap-channel': kept(text('The channel of the LXD snap on machines with containers', '5.0/stable')),
  'max-action-results-age': {
    type: 'duration',
    description: 'How long finished operations are kept, with their results; 0 = no limit',
    default: '336h',
  },
  'max-action-results-size': {
    type: 'size',
    description: 'Total size of finished operations that are kept, with their results; 0 = no limit',
    default: '5G',
  },
  'max-status-history-age': kept({
    type: 'duration',
    description: 'How long past statuses are kept',
    default: '336h',
  }),
  'max-status-history-size': kept({
    type: 'size',
    description: 'Total size of past statuses that are kept',
    default: '5G',
  }),
  mode: {
    type: 'list',
    description: 'Features of the command line',
    default: 'requires-prompts',
    values: ['requires-prompts', 'strict'],
  },
  'net-bond-reconfigure-delay': kept({
    type: 'int',
    description: 'Seconds to wait between taking a bond down and up',
    default: 17,
    min: 0,
  }),
  'num-provision-workers': {
    type: 'int',
    description: 'How many machines are started at a time',
    default: 16,
    min: 1,
    max: 100,
  },
  'num-container-provision-workers': {
    type: 'int',
    description: 'How many containers a machine starts at a time',
    default: 4,
    min: 1,
    max: 25,
  },
  'provisioner-harvest-mode': {
    ...text('Which instances are stopped: of removed machines, unknown ones, both or none', 'destroyed'),
    values: ['none', 'unknown', 'destroyed', 'all'],
  },
  'proxy-ssh': flag('Whether SSH connections are proxied through the controller', false),
  'require-endpoints': {
    ...text(
      "Which endpoints must be related before an application's units are placed: those that its charm declares to be required, all but the optional ones, or none of the charm's",
      'declared',
    ),
    values: requireModes,
  },
  'resource-tags': { type: 'map', description: "Tags on the model's resources in its cloud", default: '' },
  'reuse-machines': flag('Whether units without a placement may use machines without units', false),
  'saas-ingress-allow': {
    type: 'cidrs',
    description: 'Source CIDRs from which other models may connect to offers',
    default: '0.0.0.0/0,::/0',
  },
  'ssh-allow': {
    type: 'cidrs',
    description: 'Source CIDRs from which SSH to machines is allowed',
    default: '0.0.0.0/0,::/0',
  },
  'secret-backend': text('Where the contents of secrets are kept', 'auto'),
  'snap-http-proxy': proxy('snaps over http'),
  'snap-https-proxy': proxy('snaps over https'),
  'snap-store-proxy': kept(text('The id of a snap store proxy')),
  'snap-store-proxy-url': kept(text('The address of a snap store proxy')),
  'snap-store-assertions': kept(text('Assertions for a snap store proxy')),
  'ssl-hostname-verification': kept(
    flag("Whether the host name in the cloud's certificate is verified", true),
  ),
  'storage-default-block-source': unset('The default pool of block storage'),
  'storage-default-filesystem-source': unset('The default pool of filesystem storage'),
  'syslog-host': kept(unset('host:port that logs are forwarded to')),
  'test-mode': kept(flag('Whether the model is for tests only', false)),
  'transmit-vendor-metrics': kept(flag("Whether metrics of charms are sent to the charms' authors", true)),
  'update-status-hook-interval': {
    type: 'duration',
    description: 'Time between two update-status hooks, 10s to 60m',
    default: '5m',
    min: 10_000,
    max: 3_600_000,
  },
} as const satisfies ConfigSchema;

export const modelConfigSchema: ConfigSchema = attributes;

type Attributes = typeof attributes;
type ValueOf<A extends ConfigAttribute> = A['type'] extends 'bool'
  ? boolean
  : A['type'] extends 'int'
    ? number
    : A['type'] extends 'map'
      ? Readonly<Record<string, string>>
      : A extends { readonly type: 'string'; readonly values: readonly (infer V)[] }
        ? V
        : string;

/** The keys that have a value in every model, and the types of their values. */
export type ModelSettings = {
  readonly [
    K in keyof Attributes as Attributes[K] extends { readonly default: unknown } ? K : never
  ]: ValueOf<Attributes[K]>;
};
