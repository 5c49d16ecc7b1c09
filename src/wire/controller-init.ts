/** Messages between `bootstrap` and the `controller init` or `controller end` that it starts, as JSON. */

import type { Address } from '../core/machine/document.ts';
import type { Hardware } from '../core/machine/hardware.ts';

/** Configuration on the standard input of `controller init`. */
export interface InitConfig {
  readonly name: string;
  /** Cloud as the controller sees it. */
  readonly cloud: {
    readonly name: string;
    readonly type: string;
    /** Region of the controller. */
    readonly region: string;
    readonly config?: Readonly<Record<string, unknown>>;
    readonly endpoint?: string;
    /** All regions; absent = only the controller's own. */
    readonly regions?: readonly { readonly name: string; readonly endpoint?: string }[];
    readonly caCertificates?: readonly string[];
    readonly skipTlsVerify?: boolean;
  };
  /** Credential of the admin for that cloud; the model `controller` uses it. */
  readonly credential?: {
    readonly name: string;
    readonly authType: string;
    readonly attributes: Readonly<Record<string, string>>;
  };
  /**
   * Instance that the controller runs on, where that is not simply the host: created before it, with these uuids in its
   * tags.
   */
  readonly instance?: {
    readonly controllerUuid: string;
    readonly modelUuid: string;
    readonly nonce: string;
    readonly id: string;
    readonly displayName: string;
    /** Isolation of the instance from its host, for status; absent = a machine of its own. */
    readonly isolation?: string;
    readonly zone?: string;
    readonly hardware: Hardware;
    readonly addresses: readonly Address[];
    /** Marks a host that existed before, which no provider created. */
    readonly unmanaged?: true;
  };
  readonly adminUser: string;
  /** A random secret of at least 128 bits. */
  readonly adminPassword: string;
  /** Controller config: `api-port` (0 = any free one)… */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Config of the model called `controller`. */
  readonly modelConfig?: Readonly<Record<string, unknown>>;
  /** Default config of all models on that cloud; the model `controller` has its values in modelConfig. */
  readonly modelDefaults?: Readonly<Record<string, unknown>>;
  /** Constraints of the model `controller`, and so of machine 0: `mem=4G cores=2`. */
  readonly constraints?: string;
  /** Constraints of machine 0, over the model's. */
  readonly bootstrapConstraints?: string;
  /** Provider's directive for machine 0: `zone=z1`. */
  readonly placement?: string;
}

/** Result on the standard output of `controller init`. */
export interface InitResult {
  readonly uuid: string;
  readonly modelUuid: string;
  readonly caCert: string;
  /** Addresses of the controller as `host:port`, the most useful first. */
  readonly addresses: readonly string[];
  /** Warnings about settings that the cloud ignores. */
  readonly warnings: readonly string[];
}

/** Result on the standard output of `controller end`. */
export interface EndResult {
  /** Models that may have left something in their clouds, with the reasons. */
  readonly failures: readonly { readonly model: string; readonly message: string }[];
}
