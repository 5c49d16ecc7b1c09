/** Commands about offers, by the calls that the CLI makes for them. */
import { JujuError } from '../../core/errors.ts';
import type { Entities } from '../../core/kinds.ts';
import type { Reader } from '../../store/store.ts';
import { applicationTag, modelTag, userTag } from '../../wire/tags.ts';
import { guest } from './access.ts';
import { pick } from './choose.ts';
import { forced } from './command-params.ts';
import type { Desk } from './give-command.ts';
import { onlyResult, type Result, type Results } from './results.ts';
import type { Command, Forced } from './script.ts';

type View = Reader<Entities>;

export type OfferCommand =
  | { readonly do: 'offer'; readonly application: string; readonly endpoint: string }
  /** Consumes the offer of that application, from the model in another place. */
  | { readonly do: 'consume'; readonly application: string; readonly from: number }
  /** Lets the guest consume that offer, or takes all access to it away. */
  | { readonly do: 'grant-offer' | 'revoke-offer'; readonly application: string }
  /** Suspends, resumes or removes one of the relations through the model's offers. */
  | { readonly do: 'suspend-relation' | 'resume-relation'; readonly pick: number }
  | { readonly do: 'remove-offered-relation'; readonly pick: number; readonly force?: Forced }
  | { readonly do: 'remove-offer'; readonly application: string; readonly forced: boolean }
  | { readonly do: 'remove-saas'; readonly application: string; readonly force?: Forced };

interface Consumable extends Result {
  readonly offer?: object;
  readonly macaroon?: unknown;
  readonly 'external-controller'?: unknown;
}

/** Returns the name of a consumed application: the application's own name is taken. */
export const farName = (application: string): string => `far-${application}`;

export function offerText(command: OfferCommand): string {
  switch (command.do) {
    case 'offer':
      return `offer ${command.application}:${command.endpoint}`;
    case 'consume':
      return `consume [model ${command.from}].${command.application} ${farName(command.application)}`;
    case 'grant-offer':
      return `grant ${guest} consume ${command.application}`;
    case 'revoke-offer':
      return `revoke ${guest} read ${command.application}`;
    case 'suspend-relation':
    case 'resume-relation':
      return `${command.do} [${command.pick}]`;
    case 'remove-offered-relation':
      return `remove-relation [offered ${command.pick}]${command.force ? ' --force' : ''}`;
    case 'remove-offer':
      return `remove-offer ${command.application}${command.forced ? ' --force' : ''}`;
    case 'remove-saas':
      return `remove-saas ${farName(command.application)}${command.force ? ' --force' : ''}`;
  }
}

const isOfOffers = new Set<string>([
  'offer',
  'consume',
  'grant-offer',
  'revoke-offer',
  'suspend-relation',
  'resume-relation',
  'remove-offered-relation',
  'remove-offer',
  'remove-saas',
] satisfies OfferCommand['do'][]);

export function isOfferCommand(command: Command): command is OfferCommand {
  return isOfOffers.has(command.do);
}

/**
 * Gives a command in the model of `view`. Errors: those of the controller; `not found` when nothing that it is about
 * exists.
 */
export async function giveOfferCommand(
  { operator, models, onForce }: Pick<Desk, 'operator' | 'models' | 'onForce'>,
  view: View,
  command: OfferCommand,
): Promise<void> {
  const model = view.space;
  const offers = <R extends Result = Result>(method: string, params: unknown, of = model): Promise<R> =>
    operator
      .callController<{ readonly results: readonly R[] }>(of, 'ApplicationOffers', method, params)
      .then(onlyResult);
  const call = (method: string, params: unknown): Promise<Results> =>
    operator.call<Results>(model, 'Application', method, params);
  switch (command.do) {
    case 'offer': {
      const { application, endpoint } = command;
      const one = {
        'model-tag': modelTag(model),
        'offer-name': application,
        'application-name': application,
        'application-description': '',
        endpoints: { [endpoint]: endpoint },
      };
      return void (await offers('Offer', { Offers: [one] }));
    }
    case 'consume': {
      const from = models[command.from] ?? '';
      const urls = { 'offer-urls': [urlOf(view, from, command.application)], 'bakery-version': 3 };
      const { offer, ...told } = await offers<Consumable>('GetConsumeDetails', { 'offer-urls': urls }, from);
      // The controller knows an offer of its own.
      const args = [{ ...offer, ...told, 'application-alias': farName(command.application) }];
      return void onlyResult(await call('Consume', { args }));
    }
    case 'grant-offer':
    case 'revoke-offer': {
      const [action, access] = command.do === 'grant-offer' ? ['grant', 'consume'] : ['revoke', 'read'];
      const url = urlOf(view, model, command.application);
      const change = { 'user-tag': userTag(guest), action, access, 'offer-url': url };
      return void (await offers('ModifyOfferAccess', { changes: [change] }));
    }
    case 'suspend-relation':
    case 'resume-relation': {
      const { id } = pickOffered(view, command.pick);
      const suspended = command.do === 'suspend-relation';
      const args = [{ 'relation-id': id, suspended, message: suspended ? 'audit' : '' }];
      return void onlyResult(await call('SetRelationsSuspended', { args }));
    }
    case 'remove-offered-relation': {
      const { id } = pickOffered(view, command.pick);
      return void (await call('DestroyRelation', { 'relation-id': id, ...forced(command.force) }));
    }
    case 'remove-offer': {
      const urls = { 'offer-urls': [urlOf(view, model, command.application)] };
      return void (await offers('DestroyOffers', { ...urls, force: command.forced }));
    }
    case 'remove-saas': {
      if (command.force) onForce(model, 'relation', farName(command.application));
      const one = {
        'application-tag': applicationTag(farName(command.application)),
        ...forced(command.force),
      };
      return void onlyResult(await call('DestroyConsumedApplications', { applications: [one] }));
    }
  }
}

function urlOf(view: View, model: string, offer: string): string {
  const name = view.in('').get('model', model)?.name;
  if (name === undefined) throw new JujuError('not found', 'there is no such model');
  return `admin/${name}.${offer}`;
}

function pickOffered(view: View, number: number): Entities['relation'] {
  return pick([...view.find('relation', 'remote', 'offered')], number);
}
