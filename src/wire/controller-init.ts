/** What `bootstrap` and the `controller init` that it starts say to each other, as JSON. */

/** On its standard input. */
export interface InitConfig {
  readonly name: string;
  readonly cloud: {
    readonly name: string;
    readonly type: string;
    readonly region: string;
    readonly config?: Readonly<Record<string, unknown>>;
  };
  readonly adminUser: string;
  readonly adminPassword: string;
  /** Controller config: `api-port` (0 = any free one)… */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Config of the model called `controller`. */
  readonly modelConfig?: Readonly<Record<string, unknown>>;
  /** Of that model, and so of machine 0: `mem=4G cores=2`. */
  readonly constraints?: string;
  /** Of machine 0, over the model's. */
  readonly bootstrapConstraints?: string;
  /** The provider's directive for machine 0: `zone=z1`. */
  readonly placement?: string;
}

/** On its standard output. */
export interface InitResult {
  readonly uuid: string;
  readonly modelUuid: string;
  readonly caCert: string;
  /** `host:port`, the most useful first. */
  readonly addresses: readonly string[];
  /** What the cloud will ignore. */
  readonly warnings: readonly string[];
}
