/** Settings of the controller: which may change after bootstrap, and to what (controller-settings.md#changeable). */
import { parseDuration } from '../duration.ts';
import { JujuError, notValid } from '../errors.ts';
import { parseBool } from '../parse-bool.ts';
import { parseSize } from '../storage/directive.ts';

type SettingType = 'bool' | 'int' | 'size' | 'duration' | 'text' | 'list';

/** Settings that may change, with their types. */
const changeable: Readonly<Record<string, SettingType>> = {
  'agent-logfile-max-backups': 'int',
  'agent-logfile-max-size': 'size',
  'agent-ratelimit-max': 'int',
  'agent-ratelimit-rate': 'duration',
  'api-port-open-delay': 'duration',
  'application-resource-download-limit': 'int',
  'audit-log-capture-args': 'bool',
  'audit-log-exclude-methods': 'list',
  'audit-log-max-backups': 'int',
  'audit-log-max-size': 'size',
  'auditing-enabled': 'bool',
  'caas-image-repo': 'text',
  'controller-resource-download-limit': 'int',
  features: 'list',
  'http-server-idle-timeout': 'duration',
  'http-server-read-header-timeout': 'duration',
  'http-server-read-timeout': 'duration',
  'http-server-write-timeout': 'duration',
  'max-agent-state-size': 'int',
  'max-charm-state-size': 'int',
  'max-debug-log-duration': 'duration',
  'max-model-size': 'int',
  'max-prune-txn-batch-size': 'int',
  'max-prune-txn-passes': 'int',
  'migration-agent-wait-time': 'duration',
  'model-logfile-max-backups': 'int',
  'model-logfile-max-size': 'size',
  'model-logs-size': 'size',
  'mongo-memory-profile': 'text',
  'prune-txn-query-count': 'int',
  'prune-txn-sleep-time': 'duration',
  'public-dns-address': 'text',
  'query-tracing-enabled': 'bool',
  'query-tracing-threshold': 'duration',
};

/** Settings that Juju changes after bootstrap and this controller has no use for. */
const unsupported = new Set(['controller-api-port', 'juju-ha-space', 'juju-mgmt-space']);

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

export function isChangeable(key: string): boolean {
  return Object.hasOwn(changeable, key);
}

/**
 * Reads values for settings that may change, as users type them or as programs send them. Errors: `not valid` for an
 * unknown or unchangeable setting or a value of another type; `not supported` for one that this controller does not have.
 */
export function readControllerSettings(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      if (unsupported.has(key))
        throw new JujuError('not supported', `controller config setting "${key}" not supported`);
      if (fixed.has(key)) throw notValid(`can't change "${key}" after bootstrap`);
      if (!isChangeable(key)) throw notValid(`unknown controller config setting "${key}"`);
      return [key, readSetting(key, changeable[key]!, value)];
    }),
  );
}

function readSetting(key: string, type: SettingType, value: unknown): unknown {
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
    case 'text':
      return typeof value === 'string' ? value : refuse('a text');
  }
}
