/**
 * What is done to a simulated world, and when: commands of operators, and faults. A script is made from a seed; a part
 * of it is a script too, so a failing one can be made smaller.
 */
import type { FaultKind } from './world.ts';

/** How a removal is forced; absent = not at all. `maxWaitS` absent = the default, 0 = --no-wait. */
export interface Forced {
  readonly maxWaitS?: number;
}

/** Who is meant is found when the command is given: the `pick`-th of those that there are then. */
export type Command =
  | {
      readonly do: 'deploy';
      readonly application: string;
      readonly units: number;
      readonly onMachine?: number;
    }
  | {
      readonly do: 'add-unit';
      readonly application: string;
      readonly units: number;
      readonly onMachine?: number;
    }
  | {
      readonly do: 'remove-unit';
      readonly application: string;
      readonly pick: number;
      /** Rather one that has no agent yet. */
      readonly fresh: boolean;
      readonly force?: Forced;
    }
  | { readonly do: 'remove-application'; readonly application: string; readonly force?: Forced }
  | { readonly do: 'integrate'; readonly ends: readonly [string, string] }
  | {
      readonly do: 'remove-relation';
      readonly ends: readonly [string, string];
      readonly force?: Forced;
    }
  | { readonly do: 'add-machine' }
  | {
      readonly do: 'remove-machine';
      readonly pick: number;
      /** Rather one without an instance. */
      readonly fresh: boolean;
      readonly keep: boolean;
      readonly force?: Forced;
    }
  | {
      readonly do: 'config';
      readonly application: string;
      readonly option: 'n' | 'slow' | 'fail';
      readonly value: string;
    }
  | {
      readonly do: 'resolve';
      readonly application: string;
      readonly pick: number;
      readonly retry: boolean;
    }
  | { readonly do: 'expose' | 'unexpose'; readonly application: string }
  | { readonly do: 'exec'; readonly application: string; readonly pick: number }
  | { readonly do: 'status' }
  | { readonly do: 'add-model' }
  | { readonly do: 'destroy-model'; readonly force?: Forced };

/** Something that goes wrong at a moment; `pick` as in commands, among the machines that run. */
export type Blow =
  /** Killed right before its `step`-th step from now. */
  | { readonly blow: 'crash-controller'; readonly step: number }
  | { readonly blow: 'crash-agent'; readonly pick: number; readonly step: number }
  | { readonly blow: 'reboot'; readonly pick: number }
  /** It never comes back. */
  | { readonly blow: 'lose'; readonly pick: number; readonly instance: 'stays' | 'vanishes' }
  | { readonly blow: 'cut-off'; readonly pick: number; readonly forMs: number };

/** Something that may go wrong at any time, for a while: `rate` as world.ts has it. */
export interface Trouble {
  readonly trouble: FaultKind;
  readonly rate: number;
  readonly forMs: number;
}

export type CommandName = Command['do'];
/** Two may do something at once. */
export type By = 'alice' | 'bob';

export type Step = {
  /** Milliseconds after the begin. */
  readonly atMs: number;
} & ((Command & { readonly by: By; readonly model: number }) | Blow | Trouble);

export interface Script {
  readonly seed: number;
  readonly hours: number;
  readonly steps: readonly Step[];
}

/** One line for people. */
export function sentenceOf(step: Step): string {
  const at = clockText(step.atMs);
  if ('trouble' in step) {
    const often = perHour.test(step.trouble) ? `${step.rate} times an hour` : `${step.rate * 100} %`;
    return `${at}  ${step.trouble}: ${often}, for ${step.forMs / 1000} s`;
  }
  if ('blow' in step) return `${at}  ${blowText(step)}`;
  return `${at}  ${step.by}, model ${step.model}: ${commandText(step)}`;
}

/** Kinds whose rate is so much an hour; of the others it is a chance. */
const perHour = /^(controller-crash|agent-crash|machine-|partition|clock-|operator-)/;

function commandText(command: Command): string {
  switch (command.do) {
    case 'deploy':
      return `deploy ${command.application} -n ${command.units}${toText(command.onMachine)}`;
    case 'add-unit':
      return `add-unit ${command.application} -n ${command.units}${toText(command.onMachine)}`;
    case 'remove-unit':
      return `remove-unit ${command.application}/[${command.fresh ? 'fresh ' : ''}${command.pick}]${forceText(command.force)}`;
    case 'remove-application':
      return `remove-application ${command.application}${forceText(command.force)}`;
    case 'integrate':
      return `integrate ${command.ends.join(' ')}`;
    case 'remove-relation':
      return `remove-relation ${command.ends.join(' ')}${forceText(command.force)}`;
    case 'remove-machine':
      return `remove-machine [${command.fresh ? 'fresh ' : ''}${command.pick}]${command.keep ? ' --keep-instance' : ''}${forceText(command.force)}`;
    case 'config':
      return `config ${command.application} ${command.option}=${command.value}`;
    case 'resolve':
      return `resolve ${command.application}/[${command.pick}]${command.retry ? '' : ' --no-retry'}`;
    case 'expose':
    case 'unexpose':
      return `${command.do} ${command.application}`;
    case 'exec':
      return `exec --unit ${command.application}/[${command.pick}]`;
    case 'add-machine':
    case 'add-model':
    case 'status':
      return command.do;
    case 'destroy-model':
      return `destroy-model${forceText(command.force)}`;
  }
}

function blowText(blow: Blow): string {
  switch (blow.blow) {
    case 'crash-controller':
      return `the controller is killed before its step ${blow.step} from here`;
    case 'crash-agent':
      return `the agent of machine [${blow.pick}] is killed before its step ${blow.step} from here`;
    case 'reboot':
      return `machine [${blow.pick}] reboots`;
    case 'lose':
      return `machine [${blow.pick}] is gone for good, its instance ${blow.instance}`;
    case 'cut-off':
      return `machine [${blow.pick}] is cut off for ${blow.forMs / 1000} s`;
  }
}

function toText(onMachine: number | undefined): string {
  return onMachine === undefined ? '' : ` --to [${onMachine}]`;
}

function forceText(force: Forced | undefined): string {
  if (!force) return '';
  if (force.maxWaitS === undefined) return ' --force';
  return force.maxWaitS === 0 ? ' --force --no-wait' : ` --force --max-wait ${force.maxWaitS}s`;
}

/** `0:07:03.250` */
export function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const rest = Math.floor(ms % 1000);
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${String(rest).padStart(3, '0')}`;
}
