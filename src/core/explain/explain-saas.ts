/**
 * Explanations of applications of other models (SAAS): whether their models are reached, and what their relations wait
 * for.
 */
import { defined } from '../defined.ts';
import { formatOfferUrl, parseOfferUrl } from '../offer/url.ts';
import type { RelationDoc } from '../relation/document.ts';
import type { RemoteApplicationDoc, Saas } from '../remote-application/document.ts';
import { permissionRevoked, refusedNetwork, unreachable } from '../remote-application/trouble.ts';
import { statusId } from '../status.ts';
import type { Actor, Explanation, ExplainView, HelpfulCommand } from './explanation.ts';
import { lookMax, plural } from './walk.ts';

/** Something that stands between the two models, and who ends that. */
interface Trouble {
  readonly text: string;
  readonly actor: Actor;
}

type Consumed = RemoteApplicationDoc & { readonly saas: Saas };

const shownMax = 10;

/**
 * Finds a consumed application by `saas <name>`, or by its name alone; undefined when the words name something else.
 */
export function saasNamed(names: readonly string[], view: ExplainView): Consumed | undefined {
  const words = names.flatMap((name) => name.split(' ', 3));
  const [name = ''] = words.length === 2 && words[0] === 'saas' ? words.slice(1) : words;
  if (words.length > 2 || (words.length === 2 && words[0] !== 'saas')) return undefined;
  return consumed(name, view);
}

/** Explains a consumed application, with those of its relations that are in trouble. */
export function explainSaas(remote: Consumed, view: ExplainView): Explanation {
  const { name, saas, ending } = remote;
  const count = view.count('relation', 'application', name);
  const trouble = troubleOfSaas(remote);
  const troubled = first(view.find('relation', 'application', name)).flatMap((relation) => {
    const found = troubleOfRelation(relation, view);
    return found ? [entry('relation', String(relation.id), `relation ${relation.key}`, found)] : [];
  });
  const shown = troubled.slice(0, shownMax);
  const state = `of ${saas.url}, ${trouble?.text ?? saas.status.status}; ${plural(count, 'relation')}`;
  return {
    ...entry('saas', name, `saas ${name}`, {
      text: ending ? `${state}, with the last of which it goes` : state,
      actor: trouble?.actor,
    }),
    ...(ending
      ? {}
      : {
          removal: {
            refused: '',
            commands: [{ line: `remove-saas ${name}`, effect: 'ends its relations, and forgets it' }],
          },
        }),
    waitsFor: shown,
    more: troubled.length - shown.length,
  };
}

/** SAAS applications and their relations that are in trouble: the first `shownMax`, and how many. */
export function betweenModels(
  view: ExplainView,
  shownMax: number,
): { readonly shown: Explanation[]; readonly total: number } {
  const found: Explanation[] = [];
  for (const { name } of first(view.find('remote-application', 'saas', 'saas'))) {
    const remote = consumed(name, view);
    const trouble = remote && troubleOfSaas(remote);
    if (trouble) found.push(entry('saas', name, `saas ${name}`, trouble));
  }
  for (const relation of first(view.find('relation', 'remote', 'consumed'))) {
    const remote = consumed(relation.remote?.application ?? '', view);
    const trouble =
      remote && !troubleOfSaas(remote) && relation.life === 'alive' && troubleOfRelation(relation, view);
    if (trouble) found.push(entry('relation', String(relation.id), `relation ${relation.key}`, trouble));
  }
  return { shown: found.slice(0, shownMax), total: found.length };
}

/** The trouble that keeps a relation with another model from working: an unreachable model, a refusal, a suspension. */
export function troubleOfRelation(relation: RelationDoc, view: ExplainView): Trouble | undefined {
  const remote = consumed(relation.remote?.application ?? '', view);
  if (!remote) return suspension(relation, remote, view);
  return troubleOfSaas(remote) ?? suspension(relation, remote, view) ?? refusal(relation, remote, view);
}

function troubleOfSaas({ name, saas }: Consumed): Trouble | undefined {
  const { status, message } = saas.status;
  if (status === 'terminated')
    return {
      text: 'whose offer has been removed',
      actor: operator(`saas ${name}`, 'remove it, or consume the offer once it is there again', [
        { line: `remove-saas ${name}`, effect: 'forgets it' },
      ]),
    };
  if (status !== 'error') return undefined;
  return {
    text: message,
    actor: message.startsWith(unreachable)
      ? operator(controllerOf(saas), 'make it run, at an address that this controller reaches', [
          { line: `consume ${saas.url} ${name}`, effect: 'tells where it is now, when it has moved' },
        ])
      : atOffer(saas, 'see to it that it can be used'),
  };
}

function suspension(
  { id, suspended, remote }: RelationDoc,
  of: Consumed | undefined,
  view: ExplainView,
): Trouble | undefined {
  if (!suspended) return undefined;
  const text = `suspended${suspended.reason === '' ? '' : `: ${suspended.reason}`}`;
  if (!of) {
    const { user = '', offer = '' } = remote?.offered ?? {};
    const grant = `grant ${user} consume ${view.model?.name ?? ''}.${offer}`;
    const commands = [
      ...(suspended.reason === permissionRevoked ? [{ line: grant, effect: `lets ${user} again` }] : []),
      { line: `resume-relation ${id}`, effect: 'lets the units of both models enter it' },
    ];
    return { text, actor: operator(`relation ${id}`, 'resume it once its reason is gone', commands) };
  }
  const { saas } = of;
  if (suspended.reason === permissionRevoked)
    return {
      text,
      actor: operator(`offer ${saas.url}`, `let ${saas.user} consume it again, and resume the relation`, [
        { line: `grant ${saas.user} consume ${saas.url}`, effect: `lets ${saas.user}` },
        numbers(saas),
      ]),
    };
  return { text, actor: operator(`offer ${saas.url}`, 'resume the relation there', [numbers(saas)]) };
}

function refusal({ id }: RelationDoc, { saas }: Consumed, view: ExplainView): Trouble | undefined {
  const { status, message = '' } = view.get('status', statusId('relation', String(id))) ?? {};
  if (status !== 'error') return undefined;
  const network = refusedNetwork(message);
  if (network === undefined) return { text: message, actor: atOffer(saas, 'see to it that it accepts this') };
  const model = modelOf(saas);
  return {
    text: message,
    actor: operator(`model ${model}`, `let network ${network} in, or integrate anew with --via`, [
      {
        line: `model-config -m ${model} saas-ingress-allow=<networks>`,
        effect: `opens it to these, of which ${network} is to be one`,
      },
    ]),
  };
}

function numbers(saas: Saas): HelpfulCommand {
  const model = modelOf(saas);
  return { line: `offers -m ${model}`, effect: `shows the number for resume-relation -m ${model}` };
}

function atOffer({ url }: Saas, task: string): Actor {
  return operator(`offer ${url}`, task, [{ line: `show-offer ${url}`, effect: 'shows who may' }]);
}

function operator(name: string, task: string, commands: Actor['commands']): Actor {
  return { kind: 'operator', name, task, commands };
}

function modelOf({ url }: Saas): string {
  const text = formatOfferUrl(parseOfferUrl(url));
  return text.slice(0, text.lastIndexOf('.'));
}

function controllerOf({ url }: Saas): string {
  return `controller ${parseOfferUrl(url).controller}`;
}

function consumed(name: string, view: ExplainView): Consumed | undefined {
  const remote = view.get('remote-application', name);
  return remote?.saas && { ...remote, saas: remote.saas };
}

function first<T>(found: Iterable<T>): T[] {
  const list: T[] = [];
  for (const one of found) if (list.push(one) === lookMax) break;
  return list;
}

/** A line of an explanation that has nothing below it. */
export function entry(
  kind: 'relation' | 'saas',
  id: string,
  name: string,
  { text, actor }: { readonly text: string; readonly actor?: Actor | undefined },
): Explanation {
  return { kind, id, name, text, ...defined({ actor }), waitsFor: [], more: 0, above: false };
}
