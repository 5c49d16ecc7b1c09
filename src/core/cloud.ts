/** Where machines come from, as the controller keeps it (wire-facts, "clouds.yaml"). */

/** Controller space; id = cloud name. */
export interface CloudDoc {
  readonly name: string;
  readonly type: string;
  readonly authTypes: readonly string[];
  readonly endpoint: string;
  readonly identityEndpoint?: string;
  readonly storageEndpoint?: string;
  /** The first is the default. */
  readonly regions: readonly CloudRegion[];
  /** PEM. */
  readonly caCertificates?: readonly string[];
  readonly skipTlsVerify?: boolean;
  readonly config: Readonly<Record<string, unknown>>;
  /** By region, over config. */
  readonly regionConfig?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
export interface CloudRegion {
  readonly name: string;
  readonly endpoint?: string;
  readonly identityEndpoint?: string;
  readonly storageEndpoint?: string;
}

/** Controller space; id = `<cloud>_<owner>_<name>`. */
export interface CredentialDoc {
  readonly cloud: string;
  readonly owner: string;
  readonly name: string;
  readonly authType: string;
  /** Those that the provider calls secret, or does not know, are sealed (controller/sealer.ts). */
  readonly attributes: Readonly<Record<string, string>>;
  /** Nobody may use it until it is updated. */
  readonly revoked?: true;
}
