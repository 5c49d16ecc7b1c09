/** What a charm says about itself (facts: domain-facts §6.1). */
import type { ConfigValue } from '../entities.ts';

export type Role = 'provider' | 'requirer' | 'peer';
export type Scope = 'global' | 'container';

export interface Endpoint {
  readonly name: string;
  readonly role: Role;
  readonly interface: string;
  readonly scope: Scope;
  /** Most relations on this endpoint; 0 = no limit. */
  readonly limit: number;
  readonly optional: boolean;
}

export interface CharmMeta {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly subordinate: boolean;
  /** Endpoint name → endpoint, without the implicit juju-info. */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  readonly tags: readonly string[];
  readonly terms: readonly string[];
  readonly minJujuVersion: string;
  readonly series: readonly string[];
  /** Kept for clients that ask (CharmInfo); not acted on. */
  readonly storage: Readonly<Record<string, unknown>>;
  readonly resources: Readonly<Record<string, { readonly type: string; readonly path: string; readonly description: string }>>;
  readonly extraBindings: readonly string[];
  readonly assumes: unknown;
}

export interface ConfigOption {
  readonly type: 'string' | 'int' | 'float' | 'boolean' | 'secret';
  readonly description: string;
  readonly default?: ConfigValue;
}

export interface ActionSpec {
  readonly description: string;
  /** JSON schema of the parameters. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly parallel: boolean;
  readonly executionGroup: string;
}
