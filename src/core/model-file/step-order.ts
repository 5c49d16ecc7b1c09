/** Which steps of a plan have to wait for which, so that the others may be carried out side by side. */
import type { UnitPlacement, UnitRef } from '../bundle/step.ts';
import { parseEndpointText } from '../relation/key.ts';
import type { ModelStep } from './step.ts';

/** What a step needs to be as earlier steps leave it, and what it changes. */
interface Touched {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/**
 * For each step, those before it that it waits for, by their places: what they change it needs or changes, too, or it
 * changes what they need.
 */
export function stepsBefore(steps: readonly ModelStep[]): readonly (readonly number[])[] {
  const written = new Map<string, number>();
  const read = new Map<string, number[]>();
  return steps.map((step, place) => {
    const { reads, writes } = touchedBy(step);
    const before = new Set<number>();
    for (const key of [whole, ...reads]) {
      const last = written.get(key);
      if (last !== undefined) before.add(last);
      if (!writes.includes(key)) push(read, key, place);
    }
    for (const key of writes) {
      const last = written.get(key);
      if (last !== undefined) before.add(last);
      for (const reader of read.get(key) ?? []) before.add(reader);
      written.set(key, place);
      read.set(key, []);
    }
    before.delete(place);
    return [...before];
  });
}

/** Key of the model itself: each step needs it. */
const whole = 'model';
const gates = 'gates';

function touchedBy(step: ModelStep): Touched {
  return (touched[step.kind] as (step: ModelStep) => Touched)(step);
}

/** A change of an application, whose options may name secrets. */
const ofApplication = (step: { readonly application: string }): Touched => ({
  reads: ['secrets'],
  writes: [application(step.application)],
});
/** A change of gates: in the order of the plan they close no circle (inOrderOfGates). */
const ofGates = (step: { readonly application: string }): Touched => ({
  reads: ['secrets'],
  writes: [application(step.application), gates],
});
const ofCharm = (step: {
  readonly application: string;
  readonly charm: { path: string } | { url: string };
}): Touched => ({
  reads: ['secrets', charm('path' in step.charm ? step.charm : { path: step.charm.url })],
  writes: [application(step.application)],
});
const ofRelation = ({ endpoints }: { readonly endpoints: readonly string[] }): Touched => {
  const ends = endpoints.map((end) => parseEndpointText(end).application);
  return { reads: ends.map(application), writes: ends.map(relations) };
};
const ofGrant = (step: { readonly secret: string; readonly application: string }): Touched => ({
  reads: ['secrets', application(step.application)],
  writes: [`grants ${step.secret}`],
});
const ofUser = ({ user }: { readonly user: string }): Touched => ({ reads: [], writes: [`access ${user}`] });
const ofOffer = (step: { readonly offer: string }): Touched => ({ reads: [], writes: [offer(step)] });
const ofModel = (): Touched => ({ reads: [], writes: [whole] });

const touched: {
  readonly [K in ModelStep['kind']]: (step: Extract<ModelStep, { kind: K }>) => Touched;
} = {
  upload: (step) => ({ reads: [], writes: [charm(step)] }),
  'restore-charm': ({ url }) => ({ reads: [], writes: [charm({ path: url })] }),
  'restore-resource': ofApplication,
  // An application that waits for others closes no circle when the gates before it are set.
  deploy: (step) => {
    const { reads, writes } = ofCharm(step);
    return { reads: step.after ? [...reads, gates] : reads, writes };
  },
  refresh: ofCharm,
  attach: ofApplication,
  'set-options': ofApplication,
  'reset-options': ofApplication,
  'set-constraints': ofApplication,
  'reset-constraints': ofApplication,
  'set-after': ofGates,
  'set-base': ofApplication,
  bind: ofApplication,
  expose: ofApplication,
  unexpose: ofApplication,
  'reset-after': ofGates,
  'reset-bindings': ofApplication,
  annotate: ({ on }) => ({
    reads: [],
    writes: 'application' in on ? [application(on.application)] : [made(`machine ${on.machine}`)],
  }),
  // A machine by its id in the model is told by nothing else: all steps come first.
  'reset-annotations': ({ on }) => ({
    reads: [],
    writes: ['application' in on ? application(on.application) : whole],
  }),
  consume: ({ saas }) => ({ reads: [], writes: [application(saas)] }),
  'remove-saas': ({ saas }) => ({ reads: [], writes: [application(saas), relations(saas)] }),
  integrate: ofRelation,
  'remove-relation': ofRelation,
  offer: (step) => ({ reads: [application(step.application)], writes: [offer(step)] }),
  grant: ofOffer,
  'revoke-offer': ofOffer,
  'remove-offer': (step) => ({ reads: [], writes: [offer(step), 'offers'] }),
  'add-machine': ({ id, at }) => ({ reads: placesOf(at), writes: [made(id)] }),
  'add-unit': ({ unit, at }) => ({
    reads: [application(unit.application), relations(unit.application), ...placesOf(at)],
    writes: [unitsOf(unit)],
  }),
  'remove-units': (step) => ({ reads: [], writes: [unitsOf(step)] }),
  // Offers of the application are gone by then.
  'remove-application': (step) => ({
    reads: ['offers'],
    writes: [application(step.application), relations(step.application), unitsOf(step)],
  }),
  'set-access': ofUser,
  'remove-access': ofUser,
  'set-secret': () => ({ reads: [], writes: ['secrets'] }),
  'reset-description': () => ({ reads: [], writes: ['secrets'] }),
  'grant-secret': ofGrant,
  'revoke-secret': ofGrant,
  'set-settings': ofModel,
  'reset-settings': ofModel,
  'set-model-constraints': ofModel,
  'reset-model-constraints': ofModel,
  'set-pool': ofModel,
  'remove-pool': ofModel,
  'remove-secret': ofModel,
  'remove-machine': ofModel,
};

function charm({ path }: { readonly path: string }): string {
  return `charm ${path}`;
}
function application(name: string): string {
  return `application ${name}`;
}
function relations(name: string): string {
  return `relations ${name}`;
}
function unitsOf({ application: name }: { readonly application: string }): string {
  return `units ${name}`;
}
function offer({ offer: name }: { readonly offer: string }): string {
  return `offer ${name}`;
}
function made(step: string): string {
  return `made ${step}`;
}

/** The machine, or the unit, that a unit or a machine is placed on. */
function placesOf({ on }: UnitPlacement): string[] {
  if (on.kind === 'made') return [made(on.step)];
  return on.kind === 'of-unit' ? [unitsOf(on.unit satisfies UnitRef)] : [];
}

function push(lists: Map<string, number[]>, key: string, place: number): void {
  const list = lists.get(key);
  if (list) list.push(place);
  else lists.set(key, [place]);
}
