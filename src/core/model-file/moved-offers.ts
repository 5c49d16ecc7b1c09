/** Offers that a file has of another application than the model: they can only be made anew. */
import { ownValue } from '../bundle/own.ts';
import type { Bundle, BundleApplication } from '../bundle/bundle.ts';
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
  const { state, connections } = live.bundle;
  const has = ownersOf(state);
  const moved = [...ownersOf(file.bundle)]
    .flatMap(([offer, application]) => {
      const owner = has.get(offer) ?? application;
      if (owner === application) return [];
      return [{ application, offer, why: why(owner, ownValue(connections, offer) ?? 0) }];
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
export function replaceFlag({ application, offer }: Refused): string {
  return `--replace ${offer === undefined ? application : `offer:${offer}`}`;
}

/** The offer in `offer:NAME`, a value of the flag. */
export function offerIn(value: string): string | undefined {
  return /^offer:(.*)$/s.exec(value)?.[1];
}

/** Why the offer is made anew, and what its consumers lose. */
function why(owner: string, connections: number): string {
  const ended = connections === 1 ? '1 relation ends' : `${connections} relations end`;
  return `it is of application ${owner}${connections === 0 ? '' : `: ${ended}`}, and consumers have to consume it again`;
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
