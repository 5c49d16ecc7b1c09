/** Parsed form of a scenario; docs/testing-charms.md describes the grammar, and parse.ts parses it. */

export interface Scenario {
  /** File name without its extension. */
  readonly name: string;
  /** First line of the file. */
  readonly title: string;
  readonly steps: readonly Step[];
}

export type Step = StepAt & Action;

interface StepAt {
  /** Line number in the file, from 1. */
  readonly line: number;
  readonly text: string;
}

export type Action =
  | { readonly kind: 'charm'; readonly charm: ScenarioCharm }
  /** A file `./<name>`, for a resource. */
  | { readonly kind: 'file'; readonly name: string; readonly content: string }
  | { readonly kind: 'command'; readonly command: Command; readonly fails: boolean }
  /** `wait`: until all of them hold; `expect`: they hold now. */
  | { readonly kind: 'wait' | 'expect'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'let'; readonly unit: string; readonly hook: string; readonly outcome: Outcome }
  | { readonly kind: 'kill-agent'; readonly machine: string; readonly forGood: boolean }
  | { readonly kind: 'kill-controller' }
  | { readonly kind: 'cloud'; readonly event: CloudEvent };

/** Events in the cloud. */
export type CloudEvent =
  | { readonly kind: 'starts'; readonly possible: boolean }
  /** `machines`: maximum number of machines; 0 = unlimited. */
  | { readonly kind: 'room'; readonly machines: number }
  /** Mebibytes of memory of the largest machine that the cloud offers. */
  | { readonly kind: 'largest'; readonly mem: number }
  | { readonly kind: 'credential'; readonly accepted: boolean }
  | { readonly kind: 'zone'; readonly zone: string; readonly works: boolean }
  /** The machine's instance disappears without a request. */
  | { readonly kind: 'loses'; readonly machine: string };

/** Whether a scenario has events that only a cloud with accounts and sizes can cause, and not this host. */
export function isForSimulationOnly({ steps }: Scenario): boolean {
  return steps.some(
    (step) => step.kind === 'cloud' && ['room', 'largest', 'credential'].includes(step.event.kind),
  );
}

export interface Command {
  /**
   * Arguments without `grigri`. `$MODEL` stands for the scenario's model, other such words for values found before.
   */
  readonly argv: readonly string[];
  /** Expected output, on either stream, in this order; `{name}` matches any word and keeps it. */
  readonly output: readonly string[];
}

/** Outcomes of a hook that `let` can set; until then the charm's own outcome applies. */
export const outcomes = ['succeed', 'fail', 'wait'] as const;
export type Outcome = (typeof outcomes)[number];
/** Name that stands for every hook of the unit in `let`. */
export const everyHook = 'every';

export interface ScenarioCharm {
  readonly name: string;
  readonly subordinate: boolean;
  readonly endpoints: readonly CharmEndpoint[];
  readonly storage: readonly CharmStorage[];
  /** Names of resources, text files, whose contents each unit shows after `start` and `upgrade-charm`. */
  readonly resources: readonly string[];
  /** Hook → its behaviour; hooks that are not named succeed at once. */
  readonly hooks: Readonly<Record<string, Behaviour>>;
}
export interface CharmEndpoint {
  readonly role: 'provides' | 'requires' | 'peers';
  readonly name: string;
  readonly interface: string;
  readonly container: boolean;
  /** `optional: false`: the application is not deployed without a relation of the endpoint. */
  readonly required: boolean;
}

/** A file system; each unit that gets it writes its own name there, and shows the names that it finds. */
export interface CharmStorage {
  readonly name: string;
  /** Whether units may be without the storage. */
  readonly optional: boolean;
}

export type Behaviour =
  | { readonly kind: 'led'; readonly first: Exclude<Outcome, 'succeed'> }
  | { readonly kind: 'takes'; readonly seconds: number };

export const nouns = ['unit', 'machine', 'application', 'relation', 'storage', 'instance', 'model'] as const;
export type Noun = (typeof nouns)[number];

export type Condition =
  | {
      readonly kind: 'is';
      readonly noun: Noun;
      /** Name of the subject; '' = the model. An instance has its machine's name. */
      readonly name: string;
      readonly state: string;
      /** Text in the status's message; '' = any. */
      readonly message: string;
    }
  | { readonly kind: 'units'; readonly application: string; readonly count: number }
  /**
   * Each unit is idle, and active or blocked. `missing`: what the units may wait for; when it is empty, none may be
   * blocked.
   */
  | { readonly kind: 'settled'; readonly application: string; readonly missing?: readonly string[] }
  /** No application, machine, relation or storage, and no instance without a machine. */
  | { readonly kind: 'nothing-left' }
  /** The last hooks of the unit are these, in this order. */
  | { readonly kind: 'last-hooks'; readonly unit: string; readonly hooks: readonly string[] }
  | { readonly kind: 'prints'; readonly command: Command };
