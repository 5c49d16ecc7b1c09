/** The answer of `explain`: an entity's state as a tree whose leaves name who must act. */
import type { Force, Life } from '../life.ts';
import type { ModelDoc } from '../model/document.ts';
import type { EntityRef, LivingKind } from '../entity-ref.ts';
import type { Impediment, Refs } from '../impediments.ts';
import type { Entities } from '../kinds.ts';

export interface Explanation {
  /**
   * Causes that are not living entities (an offer, an attachment, running the controller) have their impediment's kind.
   */
  readonly kind:
    | LivingKind
    | Impediment['kind']
    | 'authority'
    | 'gate'
    | 'requirement'
    | 'restore'
    | 'saas'
    | 'secret'
    | 'secret-grant'
    | 'secret-revision'
    | 'store'
    | 'stray'
    | 'suspension'
    | 'task';
  readonly id: string;
  /** The entity's name for people: `unit mysql/0`, `relation wordpress:db mysql:server`. */
  readonly name: string;
  readonly life?: Life;
  /** RFC 3339: when the removal was requested; absent while the entity is alive. */
  readonly since?: string;
  /** The force that will clear the entity: its own, or that of an entity that takes it along. */
  readonly force?: Force;
  /** The state as a phrase, without a full stop. */
  readonly text: string;
  /** The actor that ends the wait; absent when everything in `waitsFor` names its own. */
  readonly actor?: Actor;
  /** How the entity is removed; only on the explained entity itself, and only while it is alive. */
  readonly removal?: Removal;
  readonly waitsFor: readonly Explanation[];
  /** Number of further causes that are not listed. */
  readonly more: number;
  /** Whether the entity is explained in full elsewhere in this answer, nearer to the top. */
  readonly above: boolean;
}

export interface Actor {
  readonly kind: 'agent' | 'charm' | 'cleaner' | 'operator' | 'placer' | 'provisioner' | 'undertaker';
  /** The entity whose agent or charm acts, or that the worker or operator has to act on: `unit mysql/0`. */
  readonly name: string;
  /** The actor's task, current or due: `runs hook stop`. */
  readonly task: string;
  /** RFC 3339: since when the task has been running or due. */
  readonly since?: string;
  /** The failed hook; its output is in the log. */
  readonly hook?: { readonly unit: string; readonly name: string };
  /** Commands that the user may run, the least drastic first. */
  readonly commands: readonly HelpfulCommand[];
}
export interface Removal {
  /** The reason why the removal would be refused; '' = it would be accepted. */
  readonly refused: string;
  readonly commands: readonly HelpfulCommand[];
}
export interface HelpfulCommand {
  /** The command line, without the program's name: `resolved mysql/0`. */
  readonly line: string;
  /** The command's effect: `runs the hook again`. */
  readonly effect: string;
}

/** The input of an explanation: the entity's model, and facts that no document records. */
export interface ExplainView extends Refs {
  /** Current time, RFC 3339. */
  readonly now: string;
  readonly model: ModelDoc | undefined;
  /** RFC 3339: when the controller's CA certificate expires; absent when expiry is not to be explained. */
  readonly authorityUntil?: string;
  /** The reason why the store is read-only; absent when it is writable. */
  readonly storeProblem?: string;
  /** Whether the machine's agent is connected. */
  present(machine: string): boolean;
  /** RFC 3339: when the agent's last connection ended; undefined when unknown. */
  absentSince(machine: string): string | undefined;
  /** RFC 3339: when the connected agent was last heard, pings included; undefined without a connection. */
  heardAt(machine: string): string | undefined;
}

/** The name for people: `unit mysql/0`, `relation wordpress:db mysql:server`, `model default`. */
export function nameOf({ kind, id }: EntityRef, view: ExplainView): string {
  if (kind === 'relation') return `relation ${view.get('relation', id)?.key ?? id}`;
  if (kind === 'model') return `model ${view.model?.name ?? id}`;
  return `${kind} ${id}`;
}

/** The document of a living entity. A model's document is `view.model`: it is not in the model's own space. */
export function livingDoc<P extends LivingKind>(
  kind: P,
  id: string,
  view: ExplainView,
): Entities[P] | undefined {
  return kind === 'model' ? (view.model as Entities[P] | undefined) : view.get(kind, id);
}
