/**
 * Cloud as the client knows it: built in, from clouds.yaml or public-clouds.yaml, or detected
 * (provider-rules.md#clouds-in-the-client).
 */
import type { CloudSpec, Credential, Provider } from '../../providers/contract/provider.ts';

export interface ClientCloud {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly defined: 'public' | 'built-in' | 'local';
  readonly authTypes: readonly string[];
  readonly endpoint: string;
  /** Regions in the file's order: the first is the default. */
  readonly regions: readonly { readonly name: string; readonly endpoint?: string }[];
  readonly caCertificates?: readonly string[];
  readonly skipTlsVerify?: boolean;
  readonly config: Readonly<Record<string, unknown>>;
  readonly regionConfig?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface NamedCredential extends Credential {
  readonly name: string;
}

/** Cloud, region and credential that a command uses. */
export interface ChosenCloud {
  readonly cloud: ClientCloud;
  readonly provider: Provider;
  /** Name of the region; '' when the cloud has none. */
  readonly region: string;
  /** Credential; absent when the cloud needs none (`empty`). */
  readonly credential?: NamedCredential;
  /** Argument of Provider.open and similar functions. */
  readonly spec: CloudSpec;
}
