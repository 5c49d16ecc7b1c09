/** What a scenario's text says; its grammar is told in test/scenarios/README.md, and read by parse.ts. */

export interface Scenario {
  /** The file's, without its extension. */
  readonly name: string;
  /** The first line. */
  readonly title: string;
  readonly steps: readonly Step[];
}

export type Step = StepAt & Action;

interface StepAt {
  /** In the file, from 1. */
  readonly line: number;
  readonly text: string;
}

export type Action =
  | { readonly kind: 'charm'; readonly charm: ScenarioCharm }
  | { readonly kind: 'command'; readonly command: Command; readonly fails: boolean }
  /** `wait`: until all of them hold; `expect`: they hold now. */
  | { readonly kind: 'wait' | 'expect'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'let'; readonly unit: string; readonly hook: string; readonly outcome: Outcome }
  | { readonly kind: 'kill-agent'; readonly machine: string; readonly forGood: boolean }
  | { readonly kind: 'kill-controller' }
  | { readonly kind: 'cloud'; readonly event: CloudEvent };

/** What becomes of the cloud. */
export type CloudEvent =
  | { readonly kind: 'starts'; readonly possible: boolean }
  /** `machines`: as many may exist; 0 = any number. */
  | { readonly kind: 'room'; readonly machines: number }
  /** Mebibytes of memory of the largest machine that it can make. */
  | { readonly kind: 'largest'; readonly mem: number }
  | { readonly kind: 'credential'; readonly accepted: boolean }
  | { readonly kind: 'zone'; readonly zone: string; readonly works: boolean }
  /** The instance is gone, and nobody was asked. */
  | { readonly kind: 'loses'; readonly machine: string };

/** It is told of what happens only to clouds with accounts and sizes: not to this host. */
export function isForSimulationOnly({ steps }: Scenario): boolean {
  return steps.some(
    (step) => step.kind === 'cloud' && ['room', 'largest', 'credential'].includes(step.event.kind),
  );
}

export interface Command {
  /** Without `grigri`. `$MODEL` stands for the scenario's model, other such words for what was found before. */
  readonly argv: readonly string[];
  /** What it prints, on whichever stream, contains these, in this order; `{name}` is any word, to be kept. */
  readonly output: readonly string[];
}

/** What becomes of a hook that fails or waits: until `let` says something else it is as the charm has it. */
export const outcomes = ['succeed', 'fail', 'wait'] as const;
export type Outcome = (typeof outcomes)[number];
/** `let` for whatever hook of the unit. */
export const everyHook = 'every';

export interface ScenarioCharm {
  readonly name: string;
  readonly subordinate: boolean;
  readonly endpoints: readonly CharmEndpoint[];
  /** Hook → what it does; those that are not named succeed at once. */
  readonly hooks: Readonly<Record<string, Behaviour>>;
}
export interface CharmEndpoint {
  readonly role: 'provides' | 'requires' | 'peers';
  readonly name: string;
  readonly interface: string;
  readonly container: boolean;
  /** `optional: false`: it is not deployed without. */
  readonly required: boolean;
}

export type Behaviour =
  | { readonly kind: 'led'; readonly first: Exclude<Outcome, 'succeed'> }
  | { readonly kind: 'takes'; readonly seconds: number };

export const nouns = ['unit', 'machine', 'application', 'relation', 'instance', 'model'] as const;
export type Noun = (typeof nouns)[number];

export type Condition =
  | {
      readonly kind: 'is';
      readonly noun: Noun;
      /** '' = the model. An instance has its machine's. */
      readonly name: string;
      readonly state: string;
      /** Of the status; '' = any. */
      readonly message: string;
    }
  | { readonly kind: 'units'; readonly application: string; readonly count: number }
  /** No application, machine, relation, nor an instance without a machine. */
  | { readonly kind: 'nothing-left' }
  /** These, in this order, and none after them. */
  | { readonly kind: 'last-hooks'; readonly unit: string; readonly hooks: readonly string[] }
  | { readonly kind: 'prints'; readonly command: Command };
