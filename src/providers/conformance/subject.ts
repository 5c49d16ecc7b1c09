import type { CloudSpec, Credential, Environ, Provider, ProviderConfig } from '../contract/provider.ts';
import type { Instance, StartParams } from '../contract/start.ts';

/** A provider under test, with the facts that the cases need. Only the first three members are required. */
export interface Subject {
  readonly name: string;
  /** True, or the reason why the provider cannot run here: its cases are skipped then. */
  readonly possible: true | string;
  /**
   * Creates the provider as a newly started controller has it: all its knowledge is in the state folder and its cloud.
   */
  readonly fresh: () => Provider;
  /** Parameters of `open` besides those that each case chooses. */
  readonly open?: { readonly cloud?: Partial<CloudSpec>; readonly config?: ProviderConfig };
  /** Parameters that starts need, e.g. a placement, a base with an image, a first boot. */
  readonly start?: (machineId: string) => Partial<StartParams>;
  /** Number of machines that can exist at once, at least 3 (the default); their ids are `0`, `1`, … */
  readonly machines?: number;
  /** Time limit in milliseconds for a case and for its setup and cleanup; 60,000 when absent. */
  readonly timeoutMs?: number;
  /** Starts are cut off and cancelled at a few moments instead of many, for a suite that has little time. */
  readonly isBrief?: boolean;
  /** Parameters that make a start permanently impossible: a bad request. Absent = the placement `rack=7`. */
  readonly impossible?: Partial<StartParams>;
  /** Settings that configure at least two zones. */
  readonly zoned?: ProviderConfig;
  /** The provider only simulates machines: nothing runs, and no agent. */
  readonly runsNothing?: true;
  /** The provider can move models to other controllers, and refuses those of this configuration. */
  readonly refusesToMove?: true;
  /** The machines have no addresses of their own. */
  readonly sharesAddress?: boolean;
  /** Expected display name, where it follows a rule. */
  readonly displayName?: (modelUuid: string, machineId: string) => string;
  /** Name under which a volume is taken in again after its release, where that is not its id. */
  readonly releasedAs?: (modelUuid: string, id: string) => string;
  /** Credential that the cloud refuses. */
  readonly refused?: Credential;
  /** Texts that must never be shown, besides secret attributes and the agent's password, which the kit knows. */
  readonly secrets?: readonly string[];
  /**
   * Location from which another process loads the provider: the kit runs a start there and kills the process in the
   * middle. `module`: a URL; `name`: its export, which is the Provider or a function that creates it.
   */
  readonly process?: { readonly module: string; readonly name: string };
  /** Lists resources outside the state folder that the cases left behind; [] when there are none. */
  readonly leftovers?: (look: Look) => readonly string[] | Promise<readonly string[]>;
  /** Destroys the data of a released volume, outside of the state folder. Returns whether they were there. */
  readonly discard?: (volumeId: string) => Promise<boolean>;
  /**
   * Connects to a TCP port of the instance from outside the model: `through` when anything answers, including a refused
   * connection; `held` when the firewall blocks it.
   */
  readonly reach?: (instance: Instance, port: number, environ: Environ) => Promise<'through' | 'held'>;
}

export interface Look {
  /** `instances`: all instances were stopped, their models still exist. `everything`: the models were destroyed too. */
  readonly after: 'instances' | 'everything';
  /** Folder of the case; the state folder is inside. */
  readonly folder: string;
  readonly modelUuids: readonly string[];
  readonly controllerUuids: readonly string[];
}
