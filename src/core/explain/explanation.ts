/** What `explain` answers: why an entity is as it is, as a tree whose leaves say who must act. */
import type { Force, Life } from '../life.ts';
import type { ModelDoc } from '../model/document.ts';
import type { EntityRef, LivingKind } from '../entity-ref.ts';
import type { Impediment, Refs } from '../impediments.ts';
import type { Entities } from '../kinds.ts';

export interface Explanation {
  /** What has no life of its own (an offer, an attachment, running the controller) is named as its impediment is. */
  readonly kind:
    LivingKind | Impediment['kind'] | 'authority' | 'requirement' | 'store' | 'stray' | 'suspension' | 'task';
  readonly id: string;
  /** For people: `unit mysql/0`, `relation wordpress:db mysql:server`. */
  readonly name: string;
  readonly life?: Life;
  /** RFC 3339: when its end was asked for; absent while it is alive. */
  readonly since?: string;
  /** Of its own, or of what takes it along. */
  readonly force?: Force;
  /** How things stand with it, without a full stop. */
  readonly text: string;
  /** Who must act so that it gets on; absent where all that it waits for says so itself. */
  readonly actor?: Actor;
  /** Of what was asked about, while it is alive: how its end is asked for. */
  readonly removal?: Removal;
  readonly waitsFor: readonly Explanation[];
  /** So many more stand in the way that are not listed. */
  readonly more: number;
  /** It is told in full elsewhere in this answer, nearer to the top. */
  readonly above: boolean;
}

export interface Actor {
  readonly kind: 'agent' | 'charm' | 'cleaner' | 'operator' | 'placer' | 'provisioner' | 'undertaker';
  /** Whose agent or charm it is, or what the worker or operator has to see to: `unit mysql/0`. */
  readonly name: string;
  /** What it does, or has to do: `runs hook stop`. */
  readonly task: string;
  /** RFC 3339: for how long it has done, or not done, that. */
  readonly since?: string;
  /** The hook that failed: what it said is in the log. */
  readonly hook?: { readonly unit: string; readonly name: string };
  /** What the user may do about it, the gentlest first. */
  readonly commands: readonly HelpfulCommand[];
}
export interface Removal {
  /** What stands in the way of that; '' when nothing does. */
  readonly refused: string;
  readonly commands: readonly HelpfulCommand[];
}
export interface HelpfulCommand {
  /** `grigri resolved mysql/0` */
  readonly line: string;
  /** What it would do: `runs the hook again`. */
  readonly effect: string;
}

/** What explaining reads: the entity's model and what no document says. */
export interface ExplainView extends Refs {
  /** RFC 3339. */
  readonly now: string;
  readonly model: ModelDoc | undefined;
  /** RFC 3339: when the certificate ends that all trust the controller by; absent where nobody asks for it. */
  readonly authorityUntil?: string;
  /** Why the store takes no change; absent when it does. */
  readonly storeProblem?: string;
  /** Does the machine's agent have a connection? */
  present(machine: string): boolean;
  /** RFC 3339: when its last connection ended; undefined when nobody knows. */
  absentSince(machine: string): string | undefined;
  /** RFC 3339: when its connected agent was heard last, if only by a ping; undefined without a connection. */
  heardAt(machine: string): string | undefined;
}

/** `unit mysql/0`, `relation wordpress:db mysql:server`, `model default` */
export function nameOf({ kind, id }: EntityRef, view: ExplainView): string {
  if (kind === 'relation') return `relation ${view.get('relation', id)?.key ?? id}`;
  if (kind === 'model') return `model ${view.model?.name ?? id}`;
  return `${kind} ${id}`;
}

/** The document of an entity; a model's is not in its own space. */
export function livingDoc<P extends LivingKind>(
  kind: P,
  id: string,
  view: ExplainView,
): Entities[P] | undefined {
  return kind === 'model' ? (view.model as Entities[P] | undefined) : view.get(kind, id);
}
