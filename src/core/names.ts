/** Valid names, and the parts of a unit's name (placing.md#names). */

const number = '(?:0|[1-9][0-9]*)';
// These patterns have one way only to match each part, so that time stays linear in the length.
const application = '[a-z][a-z0-9]*(?:-[0-9]*[a-z][a-z0-9]*)*';
const machine = `${number}(?:/[a-z]+/${number})*`;

const patterns = {
  application: new RegExp(`^${application}$`),
  unit: new RegExp(`^(${application})/(${number})$`),
  machine: new RegExp(`^${machine}$`),
  cloud: /^[a-zA-Z0-9][a-zA-Z0-9.-]*$/,
  credential: /^[a-zA-Z0-9][a-zA-Z0-9.@_+-]*$/,
  model: /^[a-z0-9][a-z0-9-]*$/,
  endpoint: /^[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*$/,
  space: /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
} as const;

export function isApplicationName(text: string): boolean {
  return patterns.application.test(text);
}

/** Whether the text is a unit name: `mysql/0`. */
export function isUnitName(text: string): boolean {
  return patterns.unit.test(text);
}

/** Whether the text is a machine id: `0`, or `0/lxd/1` for a container. */
export function isMachineId(text: string): boolean {
  return patterns.machine.test(text);
}

/** The outermost host of a machine id: `0/lxd/1` → `0`. */
export function hostOf(machine: string): string {
  const slash = machine.indexOf('/');
  return slash < 0 ? machine : machine.slice(0, slash);
}

export function isCloudName(text: string): boolean {
  return patterns.cloud.test(text);
}

export function isCredentialName(text: string): boolean {
  return patterns.credential.test(text);
}

export function isControllerName(text: string): boolean {
  return /^[a-zA-Z0-9][a-zA-Z0-9.+-]*$/.test(text);
}

export function isModelName(text: string): boolean {
  return patterns.model.test(text);
}

export function isEndpointName(text: string): boolean {
  return patterns.endpoint.test(text);
}

export function isSpaceName(text: string): boolean {
  return patterns.space.test(text);
}

/** Whether the name is reserved for Juju itself: `juju`, `juju-*`. */
export function isReservedName(text: string): boolean {
  return text === 'juju' || text.startsWith('juju-');
}

/** The application of a unit name: `mysql/0` → `mysql`. */
export function unitApplication(unit: string): string {
  return unit.slice(0, unit.lastIndexOf('/'));
}

/** Compares names in natural order: `mysql/2` before `mysql/10`, `0/lxd/2` before `0/lxd/10`. */
export function compareNames(a: string, b: string): number {
  const left = a.match(/\d+|\D+/g) ?? [];
  const right = b.match(/\d+|\D+/g) ?? [];
  for (let i = 0; i < left.length && i < right.length; i++) {
    const l = left[i]!;
    const r = right[i]!;
    if (l === r) continue;
    const byNumber = /^\d/.test(l) && /^\d/.test(r) ? Number(l) - Number(r) : 0;
    return byNumber || (l < r ? -1 : 1);
  }
  return left.length - right.length;
}
