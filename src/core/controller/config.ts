/** Settings of the controller: which may change after bootstrap, and to what (controller-settings.md#changeable). */
import { parseDuration } from '../duration.ts';
import { JujuError, notValid } from '../errors.ts';
import { limits } from '../limits.ts';
import { parseBool } from '../parse-bool.ts';
import { parseSize } from '../storage/directive.ts';

/** Type of a setting's value. `none`: the controller does not have the setting, and takes only its initial value. */
type SettingType = 'bool' | 'int' | 'size' | 'duration' | 'text' | 'list' | 'none';

interface Setting {
  readonly type: SettingType;
  /** Value where none is set. */
  readonly initial: unknown;
}

/** Settings that may change. A setting that is set nowhere has Juju's value, except for limits, which differ here. */
const changeable: Readonly<Record<string, Setting>> = {
  'agent-logfile-max-backups': { type: 'int', initial: 2 },
  'agent-logfile-max-size': { type: 'size', initial: '100M' },
  // No limit: a controller of 100,000 machines would take hours to let them in again.
  'agent-ratelimit-max': { type: 'int', initial: 0 },
  'agent-ratelimit-rate': { type: 'duration', initial: '250ms' },
  'api-port-open-delay': { type: 'duration', initial: '2s' },
  'application-resource-download-limit': { type: 'int', initial: 0 },
  'audit-log-capture-args': { type: 'bool', initial: false },
  'audit-log-exclude-methods': { type: 'list', initial: ['ReadOnlyMethods'] },
  'audit-log-max-backups': { type: 'int', initial: 10 },
  'audit-log-max-size': { type: 'size', initial: '300M' },
  'auditing-enabled': { type: 'bool', initial: true },
  'caas-image-repo': { type: 'text', initial: '' },
  'controller-api-port': { type: 'none', initial: 0 },
  'controller-resource-download-limit': { type: 'int', initial: 0 },
  features: { type: 'list', initial: [] },
  'http-server-idle-timeout': { type: 'duration', initial: undefined },
  'http-server-read-header-timeout': { type: 'duration', initial: undefined },
  'http-server-read-timeout': { type: 'duration', initial: undefined },
  'http-server-write-timeout': { type: 'duration', initial: undefined },
  'juju-ha-space': { type: 'none', initial: '' },
  'juju-mgmt-space': { type: 'none', initial: '' },
  'max-agent-state-size': { type: 'int', initial: limits.agentState.max },
  'max-charm-state-size': { type: 'int', initial: limits.charmState.max },
  'max-debug-log-duration': { type: 'duration', initial: '24h0m0s' },
  'max-model-size': { type: 'int', initial: limits.modelBytes.max },
  'max-prune-txn-batch-size': { type: 'int', initial: 1_000_000 },
  'max-prune-txn-passes': { type: 'int', initial: 100 },
  'migration-agent-wait-time': { type: 'duration', initial: '15m0s' },
  'model-logfile-max-backups': { type: 'int', initial: 2 },
  'model-logfile-max-size': { type: 'size', initial: '10M' },
  'model-logs-size': { type: 'size', initial: '20M' },
  'mongo-memory-profile': { type: 'text', initial: 'default' },
  'prune-txn-query-count': { type: 'int', initial: 1000 },
  'prune-txn-sleep-time': { type: 'duration', initial: '10ms' },
  'public-dns-address': { type: 'text', initial: '' },
  'query-tracing-enabled': { type: 'none', initial: false },
  'query-tracing-threshold': { type: 'duration', initial: '1s' },
};

/** Settings that bootstrap decides. */
const fixed = new Set([
  'allow-model-access',
  'api-port',
  'autocert-dns-name',
  'autocert-url',
  'ca-cert',
  'charmhub-url',
  'controller-name',
  'controller-uuid',
  'identity-public-key',
  'identity-url',
  'juju-db-snap-channel',
  'login-token-refresh-url',
  'max-history-revisions',
  'max-txn-log-size',
  'set-numa-control-policy',
  'state-port',
]);

/** Longest time between two logins of agents that a controller lets in. */
const rateMaxMs = 60_000;

type Config = Readonly<Record<string, unknown>>;

/** All settings that may change: as `config` has them, else with their initial values. */
export function withInitialValues(config: Config): Record<string, unknown> {
  const initial = Object.entries(changeable).filter(([, { initial }]) => initial !== undefined);
  return { ...Object.fromEntries(initial.map(([key, { initial }]) => [key, initial])), ...config };
}

function valueOf(config: Config, key: string): unknown {
  return config[key] ?? changeable[key]?.initial;
}

/** Value of a setting that is a text. */
export function textSetting(config: Config, key: string): string {
  const value = valueOf(config, key);
  return typeof value === 'string' ? value : '';
}

/** Value of a setting that is a number. */
export function numberSetting(config: Config, key: string): number {
  return Number(valueOf(config, key));
}

/** Value of a setting that is a duration, in milliseconds. */
export function durationSetting(config: Config, key: string): number {
  return parseDuration(String(valueOf(config, key)));
}

/** Value of a setting that is a size, in bytes. */
export function sizeSetting(config: Config, key: string): number {
  return (parseSize(String(valueOf(config, key))) ?? 0) * 1024 * 1024;
}

export function isChangeable(key: string): boolean {
  return Object.hasOwn(changeable, key);
}

/**
 * Reads values for settings that may change, as users type them or as programs send them. Errors: `not valid` for an
 * unknown or unchangeable setting or a value of another type; `not supported` for one that this controller does not
 * have.
 */
export function readControllerSettings(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      if (fixed.has(key)) throw notValid(`can't change "${key}" after bootstrap`);
      if (!isChangeable(key)) throw notValid(`unknown controller config setting "${key}"`);
      return [key, readSetting(key, changeable[key]!, value)];
    }),
  );
}

/** Settings of an identity provider, or of certificates from elsewhere, which this controller does not use. */
const unsupported = new Set([
  'autocert-dns-name',
  'autocert-url',
  'identity-public-key',
  'identity-url',
  'login-token-refresh-url',
]);

/** Whether a setting given at bootstrap is the controller's own, and not one of its first model. */
export function isControllerSetting(key: string): boolean {
  return key !== 'charmhub-url' && (isChangeable(key) || fixed.has(key));
}

/**
 * Reads values given at bootstrap; `readFixed` reads those that only bootstrap decides. Errors: as
 * readControllerSettings.
 */
export function readFirstSettings(
  values: Config,
  readFixed: (value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      if (isChangeable(key)) return [key, readSetting(key, changeable[key]!, value)];
      const read = readFixed(value);
      if ((unsupported.has(key) && read !== '') || (key === 'allow-model-access' && read !== false))
        throw new JujuError('not supported', `controller config setting "${key}" not supported`);
      return [key, read];
    }),
  );
}

function readSetting(key: string, { type, initial }: Setting, value: unknown): unknown {
  const refuse = (expected: string): never => {
    throw notValid(`${key}: expected ${expected}, got ${JSON.stringify(value)}`);
  };
  switch (type) {
    case 'bool':
      return (typeof value === 'boolean' ? value : parseBool(String(value))) ?? refuse('a boolean');
    case 'int': {
      const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d{1,15}$/.test(value));
      const number = isNumber ? Number(value) : -1;
      return Number.isSafeInteger(number) && number >= 0
        ? number
        : refuse('a whole number that is not negative');
    }
    case 'size':
      if (typeof value !== 'string' || parseSize(value) === undefined) refuse('a size such as 100M');
      return value;
    case 'duration': {
      const time = typeof value === 'string' ? parseDuration(value) : -1;
      if (time < 0) refuse('a duration such as 5m');
      if (key === 'agent-ratelimit-rate' && (time === 0 || time > rateMaxMs))
        refuse('a duration above 0 of at most 1m');
      return value;
    }
    case 'list':
      if (typeof value === 'string')
        return value
          .split(',')
          .map((one) => one.trim())
          .filter((one) => one !== '');
      return Array.isArray(value) && value.every((one) => typeof one === 'string')
        ? value
        : refuse('a list of words');
    case 'none':
      if (String(value) === String(initial)) return initial;
      throw new JujuError('not supported', `controller config setting "${key}" not supported`);
    case 'text':
      return typeof value === 'string' ? value : refuse('a text');
  }
}
