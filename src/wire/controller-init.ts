/** What `bootstrap` and the `controller init` that it starts say to each other, as JSON; and `controller end`. */

import type { Address } from '../core/machine/document.ts';
import type { Hardware } from '../core/machine/hardware.ts';

/** On its standard input. */
export interface InitConfig {
  readonly name: string;
  /** As the controller sees it. */
  readonly cloud: {
    readonly name: string;
    readonly type: string;
    /** The controller's own. */
    readonly region: string;
    readonly config?: Readonly<Record<string, unknown>>;
    readonly endpoint?: string;
    /** All; absent = only the controller's own. */
    readonly regions?: readonly { readonly name: string; readonly endpoint?: string }[];
    readonly caCertificates?: readonly string[];
    readonly skipTlsVerify?: boolean;
  };
  /** The admin's, of that cloud; the model `controller` uses it. */
  readonly credential?: {
    readonly name: string;
    readonly authType: string;
    readonly attributes: Readonly<Record<string, string>>;
  };
  /** The instance that it runs on, where that is not simply the host: made before it, with these uuids in its tags. */
  readonly instance?: {
    readonly controllerUuid: string;
    readonly modelUuid: string;
    readonly nonce: string;
    readonly id: string;
    readonly displayName: string;
    /** What isolates it from its host, for status; absent = a machine of its own. */
    readonly isolation?: string;
    readonly zone?: string;
    readonly hardware: Hardware;
    readonly addresses: readonly Address[];
    /** No provider made it: a host that was there. */
    readonly unmanaged?: true;
  };
  readonly adminUser: string;
  readonly adminPassword: string;
  /** Controller config: `api-port` (0 = any free one)… */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Config of the model called `controller`. */
  readonly modelConfig?: Readonly<Record<string, unknown>>;
  /** Config of all models on that cloud that do not say otherwise; the model `controller` has them in modelConfig. */
  readonly modelDefaults?: Readonly<Record<string, unknown>>;
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

/** On the standard output of `controller end`. */
export interface EndResult {
  /** Models that something may be left of. */
  readonly failures: readonly { readonly model: string; readonly message: string }[];
}
