import { notValid } from '../errors.ts';

const name = 'cloudinit-userdata';
/** Keys by which a machine is made reachable and its agent is started. */
const reservedKeys: Readonly<Record<string, string>> = {
  users: 'machines have the user ubuntu; create others with postruncmd',
  runcmd: 'use preruncmd or postruncmd',
  bootcmd: 'use preruncmd or postruncmd',
};

/**
 * Checks a model's parsed `cloudinit-userdata` (model-settings.md#cloudinit-userdata): all of cloud-init's keys are
 * allowed except those by which machines are set up. Errors: `not valid`.
 */
export function checkCloudinitUserdata(parsed: unknown): Readonly<Record<string, unknown>> {
  if (parsed === null || parsed === undefined) return {};
  if (!isMap(parsed)) throw notValid(`${name}: expected a map of cloud-init's keys`);
  for (const [key, value] of Object.entries(parsed)) {
    if (Object.hasOwn(reservedKeys, key))
      throw notValid(`${name}: ${key} is not allowed: ${reservedKeys[key]}`);
    check(key, value);
  }
  return parsed;
}

function check(key: string, value: unknown): void {
  switch (key) {
    case 'packages':
      if (!isListOf(value, (one) => isText(one) || isPair(one)))
        throw notValid(`${name}: packages: expected a list of names, or of [name, version]`);
      return;
    case 'preruncmd':
    case 'postruncmd':
      if (!isListOf(value, (one) => isText(one) || isListOf(one, isWord)))
        throw notValid(`${name}: ${key}: expected a list of commands`);
      return;
    case 'package_update':
    case 'package_upgrade':
      if (typeof value !== 'boolean') throw notValid(`${name}: ${key}: expected true or false`);
      return;
    case 'write_files':
      if (!isListOf(value, isMap)) throw notValid(`${name}: write_files: expected a list of files`);
  }
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
function isListOf(value: unknown, is: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}
function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
function isWord(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
function isPair(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every(isWord);
}
