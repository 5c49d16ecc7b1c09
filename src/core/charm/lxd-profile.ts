import type { LxdProfile } from './document.ts';
import { notValid } from '../errors.ts';
import { readMap, readText } from './raw.ts';

const file = 'lxd-profile.yaml';

/**
 * Parses lxd-profile.yaml. `raw` is the file as parsed; undefined is returned when it requests nothing. checkLxdProfile
 * decides what it may request. Other keys are ignored: some charms have what `lxc profile show` prints, with `used_by`.
 * Errors: `not valid`.
 */
export function parseLxdProfile(raw: unknown): LxdProfile | undefined {
  const stated = readMap(raw, file);
  const config = texts(stated['config'], `${file}: config`);
  const devices = Object.fromEntries(
    Object.entries(readMap(stated['devices'], `${file}: devices`)).map(([name, device]) => [
      name,
      texts(device, `${file}: devices.${name}`),
    ]),
  );
  if (Object.keys(config).length === 0 && Object.keys(devices).length === 0) return undefined;
  return { description: readText(stated['description'], `${file}: description`), config, devices };
}

/** Prefixes of settings that belong to the model: boot, limits and migration of an instance. */
const forbiddenConfig = ['boot.', 'limits.', 'migration.'];
/** Device types that a charm may request; disks and networks are excluded. */
const allowedDevices = ['unix-char', 'unix-block', 'gpu', 'usb'];

/** Refuses requests that Juju does not allow without --force. Errors: `not valid`, naming what is not allowed. */
export function checkLxdProfile({ config, devices }: LxdProfile): void {
  for (const key of Object.keys(config))
    if (forbiddenConfig.some((prefix) => key.startsWith(prefix)))
      throw notValid(`invalid ${file}: contains config value "${key}"`);
  for (const { type = '' } of Object.values(devices))
    if (!allowedDevices.includes(type)) throw notValid(`invalid ${file}: contains device type "${type}"`);
}

function texts(value: unknown, what: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(readMap(value, what)).map(([key, text]) => [key, readText(text, `${what}.${key}`)]),
  );
}
