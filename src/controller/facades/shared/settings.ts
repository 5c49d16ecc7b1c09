import type { ApplicationDoc } from '../../../core/application/document.ts';
import type { CharmDoc } from '../../../core/charm/document.ts';
import type { ConfigValue } from '../../../core/charm/metadata.ts';
import { defined } from '../../../core/defined.ts';

interface Setting {
  readonly type: string;
  readonly description: string;
  readonly source: 'user' | 'default' | 'unset';
  readonly value?: ConfigValue;
  readonly default?: ConfigValue;
}

/** Options of the charm with their values and sources. */
export function describeSettings(application: ApplicationDoc, charm: CharmDoc): Record<string, Setting> {
  const described: Record<string, Setting> = {};
  for (const [name, option] of Object.entries(charm.config)) {
    const configured = application.config[name];
    const isOwnValue = configured !== undefined && configured !== option.default;
    const value = isOwnValue ? configured : option.default;
    described[name] = {
      type: option.type,
      description: option.description,
      source: isOwnValue ? 'user' : option.default === undefined ? 'unset' : 'default',
      ...defined({ value, default: option.default }),
    };
  }
  return described;
}

/** Setting of trust, which every application has beside its charm's options. */
export function describeTrust(application: ApplicationDoc): Setting {
  return {
    type: 'bool',
    description: 'Does this application have access to trusted credentials',
    source: application.trust ? 'user' : 'default',
    value: application.trust,
    default: false,
  };
}
