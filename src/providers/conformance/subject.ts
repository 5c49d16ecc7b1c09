import type { CloudSpec, Credential, Environ, Provider, ProviderConfig } from '../contract/provider.ts';
import type { Instance, StartParams } from '../contract/start.ts';

/** A provider under test: what the cases cannot know of it. Only the first three must be given. */
export interface Subject {
  readonly name: string;
  /** Or why it is not possible here: its cases are skipped then. */
  readonly possible: true | string;
  /** The provider as a newly started controller has it: all it knows is in the state folder, and in its cloud. */
  readonly fresh: () => Provider;
  /** What `open` is given beside what each case chooses. */
  readonly open?: { readonly cloud?: Partial<CloudSpec>; readonly config?: ProviderConfig };
  /** What its starts need, e.g. a placement, a base that there is an image of, a first boot. */
  readonly start?: (machineId: string) => Partial<StartParams>;
  /** How many machines can be there at once, at least 3 (the default): their ids are `0`, `1`, … */
  readonly machines?: number;
  /** Milliseconds that a case may take, and what comes before and after it; 60,000 when absent. */
  readonly timeoutMs?: number;
  /** What makes any start impossible for ever: a bad request. Absent = the placement `rack=7`. */
  readonly impossible?: Partial<StartParams>;
  /** Settings that give it at least two zones. */
  readonly zoned?: ProviderConfig;
  /** It only pretends to have machines: nothing runs, and no agent. */
  readonly runsNothing?: true;
  /** Machines have no address of their own. */
  readonly sharesAddress?: boolean;
  /** Given where `displayName` follows a rule. */
  readonly displayName?: (modelUuid: string, machineId: string) => string;
  /** A credential that its cloud refuses. */
  readonly refused?: Credential;
  /** Texts that nobody may ever see, beside secret attributes and the agent's password, which the kit knows. */
  readonly secrets?: readonly string[];
  /**
   * Where another process finds the provider: the kit runs a start there and kills the process in the middle. `module`:
   * a URL; `name`: an export of it, the Provider or a function that makes it.
   */
  readonly process?: { readonly module: string; readonly name: string };
  /** What is left outside the state folder of what the cases made; [] when there is nothing. */
  readonly leftovers?: (look: Look) => readonly string[] | Promise<readonly string[]>;
  /**
   * Connects to a TCP port of the instance from outside the model: `through` when anything answers, be it that nobody
   * listens, `held` when its firewall does not let it.
   */
  readonly reach?: (instance: Instance, port: number, environ: Environ) => Promise<'through' | 'held'>;
}

export interface Look {
  /** `instances`: all instances were stopped, their models are still there. `everything`: those are destroyed too. */
  readonly after: 'instances' | 'everything';
  /** The case's own; its state folder is in it. */
  readonly folder: string;
  readonly modelUuids: readonly string[];
  readonly controllerUuids: readonly string[];
}
