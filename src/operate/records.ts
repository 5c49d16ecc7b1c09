/** Client's records of controllers, accounts and models. The command-line client keeps them in Juju's files. */
export interface ClientRecords {
  /** Location of the records, for messages. */
  readonly dir: string;
  controllers(): Promise<Readonly<Record<string, ControllerDetails>>>;
  currentController(): Promise<string | undefined>;
  updateController(name: string, details: ControllerDetails): Promise<void>;
  account(controller: string): Promise<AccountDetails | undefined>;
  /** Slices of macaroons that log the account's user in, in JSON. */
  macaroons(controller: string): Promise<readonly (readonly unknown[])[]>;
  /** Replaces the macaroons. */
  setMacaroon(controller: string, slice: readonly unknown[]): Promise<void>;
  models(controller: string): Promise<Readonly<Record<string, ModelDetails>>>;
  currentModel(controller: string): Promise<string | undefined>;
  /** Replaces the models that were `known` when the controller was asked. */
  setModels(
    controller: string,
    models: Readonly<Record<string, ModelDetails>>,
    known: Readonly<Record<string, ModelDetails>>,
  ): Promise<void>;
}

export interface ControllerDetails {
  readonly uuid: string;
  /** Addresses as `host:port`. */
  readonly 'api-endpoints': readonly string[];
  readonly 'ca-cert': string;
  readonly cloud: string;
  readonly region?: string;
  /** Type of the provider. */
  readonly type?: string;
  readonly 'agent-version'?: string;
  readonly 'controller-machine-count'?: number;
  readonly 'active-controller-machine-count'?: number;
  readonly 'machine-count'?: number;
}

export interface AccountDetails {
  readonly user: string;
  readonly password?: string;
  readonly 'last-known-access'?: string;
  /** Set by grigri when the user has chosen the password, and so may be asked for it. */
  readonly 'password-chosen'?: boolean;
}

export interface ModelDetails {
  readonly uuid: string;
  readonly type: string;
}
