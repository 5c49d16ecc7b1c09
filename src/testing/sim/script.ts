/**
 * Script of a simulated world: commands of operators, and faults, with their times. A script is generated from a
 * seed; a part of it is a script too, so a failing one can be shrunk.
 */
import { blowText } from './blow-text.ts';
import { accessText, type AccessCommand } from './access.ts';
import { fileText, type FileCommand } from './file-commands.ts';
import { offerText, type OfferCommand } from './offer-commands.ts';
import { spaceText, type SpaceCommand } from './spaces.ts';
import type { RestoreBlow } from './restores.ts';
import type { FaultKind } from '../../forecast/world/faults.ts';

/** Options of a forced removal; absent = not forced. `maxWaitS` absent = the default, 0 = --no-wait. */
export interface Forced {
  readonly maxWaitS?: number;
}

/** Placement of a unit or machine; zones are given by their numbers. */
export interface Where {
  /** Placement on the `pick`-th machine; with `container`, in a new container on it. */
  readonly onMachine?: number;
  /** Placement in a new container, on a new machine unless a machine is named. */
  readonly container?: boolean;
  /** Placement `zone=`. */
  readonly zone?: number;
}

/** Requirements of a machine. */
export interface Wishes {
  /** Constraint zones. */
  readonly zones?: readonly number[];
  /** Constraint mem, in MiB. */
  readonly mem?: number;
}

/** Command of an operator. Its subject is chosen when the command is given: the `pick`-th entity that exists then. */
export type Command =
  | {
      readonly do: 'deploy';
      readonly application: string;
      readonly units: number;
      readonly where?: Where;
      readonly wishes?: Wishes;
      readonly reuse?: boolean;
      /** Required endpoints. */
      readonly require?: readonly string[];
      /** Gates: application → health. */
      readonly after?: Readonly<Record<string, string>>;
      /** Pool of the application's storage. */
      readonly storage?: StoragePool;
    }
  | {
      readonly do: 'add-unit';
      readonly application: string;
      readonly units: number;
      readonly where?: Where;
      readonly reuse?: boolean;
      /** Index of the storage that the unit takes over, among those that no unit uses. */
      readonly attach?: number;
    }
  | {
      readonly do: 'remove-unit';
      readonly application: string;
      readonly pick: number;
      /** Prefers a unit that has no agent yet. */
      readonly fresh: boolean;
      readonly force?: Forced;
      readonly destroyStorage?: boolean;
    }
  | {
      readonly do: 'remove-application';
      readonly application: string;
      readonly force?: Forced;
      readonly destroyStorage?: boolean;
    }
  | { readonly do: 'integrate'; readonly ends: readonly [string, string] }
  | {
      readonly do: 'remove-relation';
      readonly ends: readonly [string, string];
      readonly force?: Forced;
    }
  | {
      readonly do: 'add-machine';
      /** Number of machines; default: one. */
      readonly machines?: number;
      readonly where?: Where;
      readonly wishes?: Wishes;
    }
  | { readonly do: 'retry-provisioning' }
  /** Resolves one of the machines whose start failed permanently. */
  | { readonly do: 'resolve-machine'; readonly pick: number; readonly mem?: number }
  /** Prefers a machine that is lost. */
  | { readonly do: 'reprovision-machine'; readonly pick: number; readonly anyway: boolean }
  | { readonly do: 'model-config'; readonly option: ModelOption | 'secret-backend'; readonly value: string }
  /** Makes the model keep its secrets in this backend from now on. */
  | { readonly do: 'secret-backend'; readonly backend: 'vault' | 'internal' }
  | {
      readonly do: 'remove-machine';
      readonly pick: number;
      /** Prefers a machine without an instance. */
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
  /** Refreshes to another revision of the charm; `peer`: a revision with one more peer relation than the others. */
  | {
      readonly do: 'refresh';
      readonly application: string;
      readonly forceUnits: boolean;
      readonly peer: boolean;
      /** Set for a rolling refresh. */
      readonly rolling?: { readonly maxUnavailable: string; readonly canary: boolean };
    }
  /** Rolls out a content for the charm's resource to units in batches. */
  | {
      readonly do: 'roll-resource';
      readonly application: string;
      readonly content: string;
      readonly rolling: { readonly maxUnavailable: string; readonly canary: boolean };
    }
  | {
      readonly do: 'rollout';
      readonly application: string;
      readonly act: 'Resume' | 'Abort' | 'Rollback';
    }
  | {
      readonly do: 'resolve';
      readonly application: string;
      readonly pick: number;
      readonly retry: boolean;
    }
  /** Uploads a content for the charm's resource. */
  | { readonly do: 'attach'; readonly application: string; readonly content: string }
  | { readonly do: 'expose' | 'unexpose'; readonly application: string }
  | { readonly do: 'exec'; readonly application: string; readonly pick: number }
  | { readonly do: 'run-action'; readonly application: string; readonly pick: number }
  /** Cancels a task; the newest of the tasks that have not ended is the first. */
  | { readonly do: 'cancel-task'; readonly pick: number }
  | { readonly do: 'status' }
  /** Begins the migration of the model to one of the other controllers; default: the first. */
  | { readonly do: 'migrate'; readonly to?: number }
  | { readonly do: 'add-model' }
  /** Destroys a model; its storage is destroyed, or released. */
  | { readonly do: 'destroy-model'; readonly force?: Forced; readonly release?: boolean }
  | StorageCommand
  | SpaceCommand
  | AccessCommand
  | FileCommand
  | OfferCommand;

export type StoragePool = 'simulated' | 'rootfs' | 'loop';
export type StorageCommand =
  | {
      readonly do: 'add-storage';
      readonly application: string;
      readonly pick: number;
      readonly pool: StoragePool;
    }
  /** Attaches a storage that no unit uses. */
  | {
      readonly do: 'attach-storage';
      readonly application: string;
      readonly pick: number;
      readonly storage: number;
    }
  | { readonly do: 'detach-storage'; readonly pick: number; readonly forced: boolean }
  | { readonly do: 'import-filesystem'; readonly pick: number }
  /** Removes a storage, preferably one that no unit uses. */
  | {
      readonly do: 'remove-storage';
      readonly pick: number;
      readonly forced: boolean;
      readonly release: boolean;
    };

/** Model settings that scripts change, and their values. */
export const modelOptions = {
  'provisioner-harvest-mode': ['none', 'unknown', 'destroyed', 'all'],
  'lost-machines': ['report', 'replace'],
  'reuse-machines': ['false', 'true'],
  'require-endpoints': ['declared', 'all', 'none'],
} as const;
export type ModelOption = keyof typeof modelOptions;

/** Fault at a given time; `pick` as in commands, among the running machines. */
export type Blow =
  /** Kills the controller right before its `step`-th step from now. */
  | { readonly blow: 'crash-controller'; readonly step: number; readonly which?: number }
  /** Cuts one controller, or each, off from the others. */
  | { readonly blow: 'cut-controllers'; readonly forMs: number; readonly which?: number }
  | { readonly blow: 'crash-agent'; readonly pick: number; readonly step: number }
  | { readonly blow: 'reboot'; readonly pick: number }
  /** Loses the machine permanently. */
  | { readonly blow: 'lose'; readonly pick: number; readonly instance: 'stays' | 'vanishes' }
  | { readonly blow: 'cut-off'; readonly pick: number; readonly forMs: number }
  /** Stops the machine's instance, which is still listed. */
  | { readonly blow: 'halt'; readonly pick: number }
  | { readonly blow: 'zone-down'; readonly zone: number; readonly forMs: number }
  /** Limits the quota: only `spare` more instances may be started, until the limit is lifted. */
  | { readonly blow: 'quota'; readonly spare: number; readonly forMs: number }
  | { readonly blow: 'credential'; readonly forMs: number }
  /** Adds a stray, tagged with a model and one of its machines, or a machine that does not exist. */
  | { readonly blow: 'stray'; readonly place: number; readonly machine: number | 'none' }
  | RestoreBlow;

/** Random faults of a kind for a while: `rate` as in world.ts. */
export interface Trouble {
  readonly trouble: FaultKind;
  readonly rate: number;
  readonly forMs: number;
}

export type CommandName = Command['do'];
/** Alice and bob are both the admin; eve is a user of her own. */
export type By = 'alice' | 'bob' | 'eve';

export type Step = {
  /** Milliseconds after the beginning. */
  readonly atMs: number;
} & ((Command & { readonly by: By; readonly model: number }) | Blow | Trouble);

export interface Script {
  readonly seed: number;
  readonly hours: number;
  /** Number of places for models; default: two. */
  readonly places?: number;
  readonly controllers?: 1 | 2 | 3;
  readonly steps: readonly Step[];
}

/** Describes a step in one line. */
export function sentenceOf(step: Step): string {
  const at = clockText(step.atMs);
  if ('trouble' in step) {
    const often = perHour.test(step.trouble) ? `${step.rate} times an hour` : `${step.rate * 100} %`;
    return `${at}  ${step.trouble}: ${often}, for ${step.forMs / 1000} s`;
  }
  if ('blow' in step) return `${at}  ${blowText(step)}`;
  return `${at}  ${step.by}, model ${step.model}: ${commandText(step)}`;
}

/** Kinds whose rate is per hour; the rate of other kinds is a probability. */
const perHour = /^(controller-crash|agent-crash|machine-|partition|clock-|operator-)/;

function commandText(command: Command): string {
  switch (command.do) {
    case 'deploy':
      return `deploy ${command.application} -n ${command.units}${toText(command.where)}${wishText(command.wishes)}${reuseText(command)}${requireText(command)}${command.storage ? ` --storage data=${command.storage}` : ''}`;
    case 'add-unit':
      return `add-unit ${command.application} -n ${command.units}${toText(command.where)}${reuseText(command)}${command.attach === undefined ? '' : ` --attach-storage [${command.attach}]`}`;
    case 'remove-unit':
      return `remove-unit ${command.application}/[${command.fresh ? 'fresh ' : ''}${command.pick}]${forceText(command.force)}${destroyText(command)}`;
    case 'remove-application':
      return `remove-application ${command.application}${forceText(command.force)}${destroyText(command)}`;
    case 'integrate':
      return `integrate ${command.ends.join(' ')}`;
    case 'remove-relation':
      return `remove-relation ${command.ends.join(' ')}${forceText(command.force)}`;
    case 'remove-machine':
      return `remove-machine [${command.fresh ? 'fresh ' : ''}${command.pick}]${command.keep ? ' --keep-instance' : ''}${forceText(command.force)}`;
    case 'config':
      return `config ${command.application} ${command.option}=${command.value}`;
    case 'attach':
      return `attach-resource ${command.application} data=${command.content}`;
    case 'refresh':
      return `refresh ${command.application}${command.peer ? ' with another peer relation' : ''}${command.forceUnits ? ' --force-units' : ''}${rollingText(command)}`;
    case 'roll-resource':
      return `refresh ${command.application} --resource data=${command.content}${rollingText(command)}`;
    case 'rollout':
      return `refresh ${command.application} --${command.act.toLowerCase()}`;
    case 'resolve':
      return `resolve ${command.application}/[${command.pick}]${command.retry ? '' : ' --no-retry'}`;
    case 'expose':
    case 'unexpose':
      return `${command.do} ${command.application}`;
    case 'exec':
      return `exec --unit ${command.application}/[${command.pick}]`;
    case 'run-action':
      return `run ${command.application}/[${command.pick}] work`;
    case 'cancel-task':
      return `cancel-task [${command.pick}]`;
    case 'add-machine':
      return `add-machine${command.machines === undefined ? '' : ` -n ${command.machines}`}${toText(command.where)}${wishText(command.wishes)}`;
    case 'retry-provisioning':
      return 'retry-provisioning --all';
    case 'resolve-machine':
      return `resolved [failed ${command.pick}]${wishText(command)}`;
    case 'reprovision-machine':
      return `reprovision-machine [lost ${command.pick}]${command.anyway ? ' --force' : ''}`;
    case 'model-config':
      return `model-config ${command.option}=${command.value}`;
    case 'secret-backend':
      return `model-secret-backend ${command.backend}`;
    case 'migrate':
      return `migrate to [${command.to ?? 0}]`;
    case 'add-model':
    case 'status':
      return command.do;
    case 'destroy-model':
      return `destroy-model${forceText(command.force)} ${command.release ? '--release-storage' : '--destroy-storage'}`;
    case 'add-storage':
      return `add-storage ${command.application}/[${command.pick}] ${command.pool === 'loop' ? 'disk' : 'data'}=${command.pool}`;
    case 'attach-storage':
      return `attach-storage ${command.application}/[${command.pick}] [detached ${command.storage}]`;
    case 'detach-storage':
      return `detach-storage [${command.pick}]${command.forced ? ' --force' : ''}`;
    case 'import-filesystem':
      return command.do;
    case 'remove-storage':
      return `remove-storage [${command.pick}]${command.forced ? ' --force' : ''}${command.release ? ' --no-destroy' : ''}`;
    case 'reload-spaces':
    case 'add-space':
    case 'move-to-space':
    case 'remove-space':
    case 'bind':
      return spaceText(command);
    case 'disable-command':
    case 'enable-command':
    case 'grant':
    case 'revoke':
      return accessText(command);
    case 'apply':
    case 'revert':
      return fileText(command);
    default:
      return offerText(command);
  }
}

function toText({ onMachine, container, zone }: Where = {}): string {
  if (zone !== undefined) return ` --to zone=${zone + 1}`;
  const machine = onMachine === undefined ? '' : `[${onMachine}]`;
  if (container) return ` --to lxd${machine && `:${machine}`}`;
  return machine && ` --to ${machine}`;
}

function wishText({ zones, mem }: Wishes = {}): string {
  const wishes = [
    ...(zones ? [`zones=${zones.map((zone) => zone + 1).join(',')}`] : []),
    ...(mem === undefined ? [] : [`mem=${mem}M`]),
  ];
  return wishes.length === 0 ? '' : ` --constraints "${wishes.join(' ')}"`;
}

function destroyText({ destroyStorage }: { readonly destroyStorage?: boolean }): string {
  return destroyStorage ? ' --destroy-storage' : '';
}

function reuseText({ reuse }: { readonly reuse?: boolean }): string {
  return reuse ? ' --reuse-machines' : '';
}

function rollingText({ rolling }: Pick<Extract<Command, { do: 'refresh' }>, 'rolling'>): string {
  if (!rolling) return '';
  return ` --rolling --max-unavailable ${rolling.maxUnavailable}${rolling.canary ? ' --pause-after canary' : ''}`;
}

function requireText({
  require = [],
  after = {},
}: Pick<Extract<Command, { do: 'deploy' }>, 'require' | 'after'>): string {
  const gates = Object.entries(after).map((gate) => ` --after ${gate.join('=')}`);
  return `${require.length === 0 ? '' : ` --require ${require.join(',')}`}${gates.join('')}`;
}

function forceText(force: Forced | undefined): string {
  if (!force) return '';
  if (force.maxWaitS === undefined) return ' --force';
  return force.maxWaitS === 0 ? ' --force --no-wait' : ` --force --max-wait ${force.maxWaitS}s`;
}

/** Formats a time: `0:07:03.250`. */
export function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const rest = Math.floor(ms % 1000);
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${String(rest).padStart(3, '0')}`;
}
