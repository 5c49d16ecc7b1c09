/** A cloud as the client knows it: built in, from clouds.yaml, or detected (provider-rules.md#clouds-in-the-client). */
import type { CloudSpec, Credential, Provider } from '../../providers/contract/provider.ts';

export interface ClientCloud {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly defined: 'built-in' | 'local';
  readonly authTypes: readonly string[];
  readonly endpoint: string;
  /** In the file's order: the first is the default. */
  readonly regions: readonly { readonly name: string; readonly endpoint?: string }[];
  readonly caCertificates?: readonly string[];
  readonly skipTlsVerify?: boolean;
  readonly config: Readonly<Record<string, unknown>>;
  readonly regionConfig?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface NamedCredential extends Credential {
  readonly name: string;
}

/** What a command that uses a cloud was pointed at. */
export interface ChosenCloud {
  readonly cloud: ClientCloud;
  readonly provider: Provider;
  /** '' where the cloud has none. */
  readonly region: string;
  /** Absent where the cloud takes none (`empty`). */
  readonly credential?: NamedCredential;
  /** What Provider.open and the others take. */
  readonly spec: CloudSpec;
}
