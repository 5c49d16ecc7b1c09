/** Names of instances, and the tags that show their owner. */
import { tagKeys, type OpenParams } from '../../contract/provider.ts';

/** Name of the cloud that is this host's LXD. */
export const localCloud = 'localhost';

/** Scope of a query: the model of an environ, or its whole controller. */
export type Owner = 'model' | 'controller';

/** Returns `juju-3f9a2c-0-lxd-1` for machine 0/lxd/1 (provider-rules.md#instance-names). */
export function instanceName(modelUuid: string, machineId: string): string {
  return `juju-${modelUuid.slice(-6)}-${machineId.replaceAll('/', '-')}`;
}

/** Returns the machine id of an instance name: `0/lxd/1`. */
export function machineIdOf(instance: string): string {
  return instance.replace(/^juju-[^-]*-/, '').replaceAll('-', '/');
}

/** Tells whether the name of an instance is consistent with the owner. */
export function mayBeOwned(
  name: string,
  { modelUuid }: Pick<OpenParams, 'modelUuid'>,
  owner: Owner,
): boolean {
  return owner === 'model' ? name.startsWith(instanceName(modelUuid, '')) : /^juju-[0-9a-f]{6}-\d/.test(name);
}

/** Validates a name, which users may have entered: an invalid one must not become part of a path. */
export function isInstanceName(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9-]{0,62}$/.test(text);
}

/** Prefix of tags, which are stored as LXD's free-form keys: `user.juju-machine-id`. */
export const tagPrefix = 'user.';

/** Prefix of notes that are stored with an instance beside its tags: `user.grigri-ports`. */
const notePrefix = 'grigri-';

/** Keys that LXD and cloud-init interpret themselves. */
const reserved = new Set(['user-data', 'vendor-data', 'meta-data', 'network-config', 'network_mode']);

export function tagsToConfig(tags: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(tags)
      .filter(([key]) => !reserved.has(key))
      .map(([key, value]) => [tagPrefix + key, value]),
  );
}

export function tagsOfConfig(config: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(config)
      .filter(([key]) => key.startsWith(tagPrefix))
      .map(([key, value]) => [key.slice(tagPrefix.length), value] as const)
      .filter(([key]) => !reserved.has(key) && !key.startsWith(notePrefix)),
  );
}

/** Tells whether the tags of an instance, profile or volume name the owner. */
export function isOwned(
  config: Readonly<Record<string, string>>,
  { controllerUuid, modelUuid }: Pick<OpenParams, 'controllerUuid' | 'modelUuid'>,
  owner: Owner = 'model',
): boolean {
  return (
    config[tagPrefix + tagKeys.controller] === controllerUuid &&
    (owner === 'controller' || config[tagPrefix + tagKeys.model] === modelUuid)
  );
}
