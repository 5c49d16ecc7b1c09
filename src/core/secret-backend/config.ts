/** The configuration of secret backends: keys, checks (secrets.md#backend-config). */
import { JujuError, notValid } from '../errors.ts';
import { checkLimit, limits } from '../limits.ts';

export type BackendConfig = Readonly<Record<string, string>>;

interface Attribute {
  readonly secret?: true;
  readonly required?: true;
}

const vaultConfig: Readonly<Record<string, Attribute>> = {
  endpoint: { required: true },
  token: { secret: true },
  namespace: {},
  'mount-path': {},
  'ca-cert': {},
  'client-cert': {},
  'client-key': { secret: true },
  'tls-server-name': {},
};

// Each way to match has one reading only, so time stays linear in the length.
const namePattern = /^[a-z](?:-?[a-z0-9])*$/;

/** Whether the value of the key is never shown, and is sealed in the store. */
export function isSecretBackendKey(key: string): boolean {
  return vaultConfig[key]?.secret === true;
}

/** Checks a name and a type. Errors: `not valid`; `not found` for another type. */
export function checkBackend({ name, type }: { readonly name: string; readonly type: string }): void {
  checkBackendName(name);
  if (type === 'controller' || type === 'kubernetes')
    throw notValid(`creating backend with type "${type}" not valid`);
  if (type !== 'vault')
    throw new JujuError('not found', `secret backend type ${JSON.stringify(type.slice(0, 100))} not found`);
}

/** Checks the name of a backend. Errors: `not valid`. */
export function checkBackendName(name: string): void {
  if (name === 'internal' || name === 'auto' || !namePattern.test(name) || name.length > 100)
    throw notValid(`backend name ${JSON.stringify(name.slice(0, 100))} not valid`);
}

/** Reads a whole configuration as it was sent: every value a text. Errors: `not valid`. */
export function readBackendConfig(given: Readonly<Record<string, unknown>>): BackendConfig {
  const config: Record<string, string> = {};
  for (const [key, value] of Object.entries(given)) {
    if (!Object.hasOwn(vaultConfig, key))
      throw notValid(`unknown key ${JSON.stringify(key.slice(0, 100))} of a vault backend`);
    if (typeof value !== 'string') throw notValid(`${key}: expected string, got ${typeof value}`);
    if (value !== '') config[key] = value;
  }
  return config;
}

/** Checks a configuration that is complete. Errors: `not valid`, `quota limit exceeded`. */
export function checkBackendConfig(config: BackendConfig): void {
  checkLimit(
    limits.secretBackendConfig,
    Object.values(config).reduce((sum, value) => sum + value.length, 0),
  );
  for (const [key, { required }] of Object.entries(vaultConfig))
    if (required && config[key] === undefined) throw notValid(`${key}: expected string, got nothing`);
  const url = URL.parse(config['endpoint'] ?? '');
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw notValid('endpoint: expected an http or https URL without credentials');
  const [cert, key] = [config['client-cert'], config['client-key']];
  if (cert !== undefined && key === undefined) throw notValid('vault config missing client key');
  if (cert === undefined && key !== undefined) throw notValid('vault config missing client certificate');
  if (
    !/^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)?$/.test(config['mount-path'] ?? '')
  )
    throw notValid(`mount-path: ${JSON.stringify((config['mount-path'] ?? '').slice(0, 100))} not valid`);
  for (const text of [config['token'], config['namespace']])
    if (text !== undefined && !/^[\x21-\x7e]+$/.test(text))
      throw notValid('token and namespace: expected printable characters');
}
