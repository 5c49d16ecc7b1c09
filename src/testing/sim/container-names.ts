/** Names of containers in the simulated world. */

/** Returns the instance of the host that a container is on; any other instance is returned unchanged. */
export function hostOf(instance: string): string {
  return instance.split('-box-')[0] ?? instance;
}
