/** Request bodies for creating instances. */
import type { Constraints } from '../../../core/constraints.ts';
import { tagKeys, type BootstrapParams, type OpenParams, type StartParams } from '../../contract/provider.ts';
import { renderUserData } from '../../toolkit/user-data/index.ts';
import type { LxdClient } from './client.ts';
import { tagsToConfig } from './names.ts';
import { defined } from '../../../core/defined.ts';

type Device = Readonly<Record<string, string>>;

/** Body as in the API, without profiles. */
interface InstanceBody {
  readonly name: string;
  readonly description: string;
  readonly type: 'container' | 'virtual-machine';
  readonly source: { readonly type: 'image'; readonly fingerprint: string };
  readonly config: Readonly<Record<string, string>>;
  readonly devices: Readonly<Record<string, Device>>;
  /** Instance type: `t2.micro`, `c2-m4`. */
  readonly instance_type?: string;
}

export function isVirtualMachine(constraints: Constraints): boolean {
  return constraints['virt-type'] === 'virtual-machine';
}

export async function instanceBody(needs: {
  readonly open: OpenParams;
  readonly params: StartParams | BootstrapParams;
  readonly name: string;
  /** Fingerprint of the image. */
  readonly image: string;
  readonly arch: string;
  /** Devices in addition to those of the default profile. */
  readonly devices: Readonly<Record<string, Device>>;
}): Promise<InstanceBody> {
  const { open, params, name, image, arch, devices } = needs;
  const { boot, constraints } = params;
  const agent = 'agent' in params ? { agent: params.agent } : {};
  const userData = boot && (await renderUserData({ ...params, boot, ...agent }, arch));
  return {
    name,
    description: `grigri: machine ${params.machineId} of model ${open.modelName}`,
    type: isVirtualMachine(constraints) ? 'virtual-machine' : 'container',
    source: { type: 'image', fingerprint: image },
    config: {
      ...tagsToConfig({
        ...params.tags,
        [tagKeys.model]: open.modelUuid,
        [tagKeys.controller]: open.controllerUuid,
        [tagKeys.machine]: params.machineId,
        [tagKeys.nonce]: params.nonce,
      }),
      ...defined({
        'limits.cpu': constraints.cores ? String(constraints.cores) : undefined,
        'limits.memory': constraints.mem ? `${constraints.mem}MiB` : undefined,
        'user.user-data': userData,
        'user.network-config': networkConfig(devices),
      }),
    },
    devices,
    ...defined({ instance_type: constraints['instance-type'] || undefined }),
  };
}

/**
 * Returns the root disk when a size or a pool is requested; the disk replaces the default profile's under the same
 * name.
 */
export async function rootOf(
  client: LxdClient,
  constraints: Constraints,
  signal: AbortSignal,
): Promise<Record<string, Device>> {
  const { 'root-disk': size, 'root-disk-source': pool } = constraints;
  if (!size && !pool) return {};
  const { devices } = await client.request<DefaultProfile>(
    { method: 'GET', path: '/1.0/profiles/default' },
    signal,
  );
  const [name, device] = rootDisk(devices) ?? ['root', { type: 'disk', path: '/', pool: 'default' }];
  return {
    [name]: { ...device, ...defined({ pool: pool || undefined, size: size ? `${size}MiB` : undefined }) },
  };
}

export interface DefaultProfile {
  readonly devices: Readonly<Record<string, Device>>;
}

export function rootDisk(
  devices: DefaultProfile['devices'],
): readonly [name: string, device: Device] | undefined {
  return Object.entries(devices).find(([, { type, path }]) => type === 'disk' && path === '/');
}

/**
 * Returns the configuration of network cards for the first boot, when they are not those of the profile: cloud-init by
 * itself asks for an address on the first card only. The document has cloud-init's version 1, which every image
 * understands. Undefined for the profile's own cards.
 */
function networkConfig(devices: Readonly<Record<string, Device>>): string | undefined {
  const cards = Object.values(devices).flatMap(({ type, name, hwaddr }) =>
    type === 'nic' && name ? [{ name, hwaddr }] : [],
  );
  if (cards.length === 0) return undefined;
  const config = cards
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, hwaddr }) => ({
      type: 'physical',
      name,
      ...defined({ mac_address: hwaddr }),
      subnets: [{ type: 'dhcp', control: 'auto' }],
    }));
  // JSON is valid YAML.
  return JSON.stringify({ version: 1, config });
}
