/** Offers that a file has of another application than the model: they can only be made anew. */
import { ownValue } from '../bundle/own.ts';
import type { Bundle, BundleApplication, BundleOffer } from '../bundle/bundle.ts';
import { ByUser } from '../user/by-user.ts';
import type { ModelToPlan } from './plan-model.ts';
import type { Refused } from './plan.ts';
import type { RemovalStep } from './step.ts';

interface Moved {
  /** What is left to plan: without the offers in the model, and without the refused ones in the file. */
  readonly toPlan: ModelToPlan;
  /** Removals of the offers that may be made anew. */
  readonly steps: readonly RemovalStep[];
  readonly refused: readonly Refused[];
}

/** Sets apart the offers that the file has of other applications. */
export function moveOffers(toPlan: ModelToPlan): Moved {
  const { file, live, movable } = toPlan;
  const { state } = live.bundle;
  const has = ownersOf(state);
  const moved = [...ownersOf(file.bundle)]
    .flatMap(([offer, application]) => {
      const owner = has.get(offer) ?? application;
      if (owner === application) return [];
      return [{ application, offer, why: why(toPlan, { offer, owner, application }) }];
    })
    .sort((a, b) => (a.offer < b.offer ? -1 : 1));
  if (moved.length === 0) return { toPlan, steps: [], refused: [] };
  const refused = moved.filter(({ offer }) => !movable.has(offer));
  const names = moved.map(({ offer }) => offer);
  const bundle = { ...live.bundle, state: without(state, names) };
  const wanted = without(
    file.bundle,
    refused.map(({ offer }) => offer),
  );
  return {
    toPlan: { ...toPlan, live: { ...live, bundle }, file: { ...file, bundle: wanted } },
    steps: moved
      .filter(({ offer }) => movable.has(offer))
      .map(({ offer, why: replaced }) => ({ kind: 'remove-offer', offer, replaced })),
    refused,
  };
}

/** The flag that allows the replacement. */
export function replaceFlag({ application, offer }: Omit<Refused, 'why'>): string {
  return `--replace ${offer === undefined ? application : `offer:${offer}`}`;
}

/** The offer in `offer:NAME`, a value of the flag. */
export function offerIn(value: string): string | undefined {
  return /^offer:(.*)$/s.exec(value)?.[1];
}

/** Why the offer is made anew, and what its consumers lose. */
function why(
  { file, live: { access, bundle } }: ModelToPlan,
  { offer, owner, application }: { readonly [K in 'offer' | 'owner' | 'application']: string },
): string {
  const offerOf = (of: Bundle, name: string): BundleOffer | undefined =>
    ownValue(ownValue(of.applications, name)?.offers ?? {}, offer);
  const named = new ByUser(offerOf(file.bundle, application)?.acl);
  const ofModel = new ByUser(access);
  // Admins of the model are admins of its offers.
  const lost = Object.entries(offerOf(bundle.state, owner)?.acl ?? {})
    .filter(([user]) => !named.has(user) && ofModel.get(user) !== 'admin')
    .map(([user, level]) => `${user} (${level})`)
    .sort();
  const connections = ownValue(bundle.connections, offer) ?? 0;
  const ended = connections === 1 ? '1 relation ends' : `${connections} relations end`;
  return [
    `it is of application ${owner}${connections === 0 ? '' : `: ${ended}`}, and consumers have to consume it again`,
    ...(lost.length === 0 ? [] : [`access that the file does not name goes with it: ${shownUsers(lost)}`]),
  ].join('; ');
}

const usersMax = 10;

function shownUsers(users: readonly string[]): string {
  const more = users.length - usersMax;
  return [...users.slice(0, usersMax), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

/** The application of each offer. */
function ownersOf({ applications }: Bundle): Map<string, string> {
  return new Map(
    Object.entries(applications).flatMap(([name, { offers = {} }]) =>
      Object.keys(offers).map((offer) => [offer, name] as const),
    ),
  );
}

function without(bundle: Bundle, gone: readonly string[]): Bundle {
  const left = ({ offers, ...one }: BundleApplication): BundleApplication => {
    const kept = Object.entries(offers ?? {}).filter(([offer]) => !gone.includes(offer));
    return kept.length === 0 ? one : { ...one, offers: Object.fromEntries(kept) };
  };
  const applications = Object.entries(bundle.applications).map(([name, one]) => [name, left(one)]);
  return { ...bundle, applications: Object.fromEntries(applications) as Bundle['applications'] };
}
