/** Rolling refreshes in simulated worlds: their steps, their promises, and the calls that end them. */
import type { ApplicationDoc } from '../../core/application/document.ts';
import type { Reader } from '../../store/store.ts';
import type { Entities } from '../../core/kinds.ts';
import { JujuError } from '../../core/errors.ts';
import { statusId } from '../../core/status.ts';
import { applicationTag } from '../../wire/tags.ts';
import { withResources } from './charms.ts';
import { Chance } from './chance.ts';
import type { Command, Step } from './script.ts';

type Rolling = Extract<Command, { do: 'roll-resource' }>['rolling'];
type Steering = Extract<Command, { do: 'rollout' }>;

/**
 * Generates rolling refreshes and steps about them, from a random stream of their own: no other step depends on them.
 */
export function rollouts(seed: number, endMs: number): Step[] {
  const chance = new Chance(seed ^ 0x0ba7c4);
  const steps: Step[] = [];
  const add = (atMs: number, command: Command): void =>
    void steps.push({ atMs, by: 'alice', model: 0, ...command });
  for (let atMs = 40_000 + chance.below(120_000); atMs < endMs; atMs += 40_000 + chance.below(120_000)) {
    const application = chance.of(['db', 'db', 'web', 'logger']);
    const rolling = { maxUnavailable: chance.of(['1', '1', '2', '50%']), canary: chance.is(0.3) };
    add(atMs, { do: 'refresh', application, forceUnits: chance.is(0.2), peer: chance.is(0.3), rolling });
    // The controller is killed during a batch.
    if (chance.is(0.4))
      steps.push({ atMs: atMs + chance.below(8_000), blow: 'crash-controller', step: chance.below(30) });
    let next = atMs;
    for (let acts = chance.below(3); acts > 0; acts--) {
      next += chance.below(25_000);
      add(next, { do: 'rollout', application, act: chance.of(['Resume', 'Resume', 'Abort', 'Rollback']) });
    }
    // Roll-outs that are left over must not block all later refreshes.
    add(next + 25_000, { do: 'rollout', application, act: chance.of(['Resume', 'Abort']) });
  }
  return [...steps, ...rolledResources(seed, endMs)];
}

/** Generates roll-outs of contents of resources, and steps about them, from another random stream of their own. */
function rolledResources(seed: number, endMs: number): Step[] {
  const chance = new Chance(seed ^ 0x5e50);
  const steps: Step[] = [];
  const add = (atMs: number, command: Command): void =>
    void steps.push({ atMs, by: 'alice', model: 0, ...command });
  for (let atMs = 30_000 + chance.below(60_000); atMs < endMs; atMs += 20_000 + chance.below(60_000)) {
    const application = chance.of(withResources);
    const rolling = { maxUnavailable: chance.of(['1', '2', '50%']), canary: chance.is(0.3) };
    add(atMs, { do: 'roll-resource', application, content: `rolled-${atMs}`, rolling });
    if (chance.is(0.3))
      steps.push({ atMs: atMs + chance.below(8_000), blow: 'crash-controller', step: chance.below(30) });
    if (chance.is(0.3))
      add(atMs + chance.below(15_000), { do: 'attach', application, content: `late-${atMs}` });
    const acts = ['Resume', 'Abort', 'Rollback', 'Rollback'] as const;
    for (let n = chance.below(3); n > 0; n--)
      add(atMs + chance.below(30_000), { do: 'rollout', application, act: chance.of(acts) });
    add(atMs + 45_000, { do: 'rollout', application, act: chance.of(['Resume', 'Abort']) });
  }
  return steps;
}

const alice = { by: 'alice', model: 0 } as const;
/**
 * Script in which a rolling refresh reaches units that operators told to go on without `start`: these units never get
 * active.
 */
export const unitsWithoutStart: readonly Step[] = [
  { atMs: 0, ...alice, do: 'deploy', application: 'db', units: 2 },
  { atMs: 1_000, ...alice, do: 'config', application: 'db', option: 'fail', value: 'start' },
  ...[0, 1].map((pick): Step => ({
    atMs: 120_000 + pick * 1_000,
    ...alice,
    do: 'resolve',
    application: 'db',
    pick,
    retry: false,
  })),
  {
    atMs: 150_000,
    ...alice,
    do: 'refresh',
    application: 'db',
    forceUnits: false,
    peer: false,
    rolling: { maxUnavailable: '1', canary: false },
  },
];

/** Announces a content for the charm's resource; returns its pending id. Errors: `not found`. */
export async function announce(
  call: <R>(facade: string, method: string, params: object) => Promise<R>,
  { application, charmUrl }: { readonly application: string; readonly charmUrl: string },
): Promise<string> {
  const resource = {
    name: 'data',
    type: 'file',
    path: '',
    origin: 'upload',
    revision: 0,
    fingerprint: '',
    size: 0,
  };
  const answer = await call<{ 'pending-ids': string[] }>('Resources', 'AddPendingResources', {
    tag: applicationTag(application),
    url: charmUrl,
    resources: [resource],
  });
  const [id] = answer['pending-ids'];
  if (id === undefined) throw new JujuError('not found', 'the charm has no such resource');
  return id;
}

/** Returns the parameters that only a rolling refresh has. */
export function rollingParams({ maxUnavailable, canary }: Rolling): object {
  return { 'max-unavailable': maxUnavailable, 'pause-after-canary': canary };
}

/** Returns the method of a refresh, with the parameters that only a rolling one has. */
export function refreshBy(rolling: Extract<Command, { do: 'refresh' }>['rolling']): {
  readonly facade: string;
  readonly method: string;
  readonly more: object;
} {
  if (!rolling) return { facade: 'Application', method: 'SetCharm', more: {} };
  return { facade: 'Rollouts', method: 'Begin', more: rollingParams(rolling) };
}

export function sentenceOfRollout({ application, act }: Steering): string {
  return `refresh ${application} --${act.toLowerCase()}`;
}

/** Whether a change is the one that the answer to the command promised. */
export function isSteered({ application, act }: Steering) {
  return ({ id, after }: { readonly id: string; readonly after: ApplicationDoc | undefined }): boolean => {
    const { rollout } = after ?? {};
    if (id !== application || !rollout) return false;
    if (act === 'Rollback') return rollout.kind === 'rollback';
    return rollout.state === (act === 'Abort' ? 'aborted' : 'rolling');
  };
}

/**
 * Returns the calls that bring the model's roll-outs to their ends; a roll-out that goes on by itself needs none.
 * `skipped`: whether a unit's charm was never told to start, so that it does not get active.
 */
export function endings(
  view: Reader<Entities>,
  skipped: (unit: string) => boolean,
): readonly (readonly [facade: string, method: string, params: object])[] {
  const calls: (readonly [string, string, object])[] = [];
  for (const { name: application, rollout, charmUrl } of view.find('application', 'rollout', 'rollout')) {
    if (rollout?.state === 'paused' || rollout?.state === 'stopped')
      calls.push(['Rollouts', 'Resume', { application }]);
    const waitsFor = [...view.find('unit', 'batch', application)].map(({ name }) => name).filter(skipped);
    if (rollout?.state === 'rolling' && waitsFor.some((unit) => !isActive(view, unit)))
      calls.push(['Rollouts', 'Abort', { application }]);
    if (rollout?.state === 'aborted')
      calls.push(['Application', 'SetCharm', { application, 'charm-url': charmUrl }]);
  }
  return calls;
}

function isActive(view: Reader<Entities>, unit: string): boolean {
  return view.get('status', statusId('workload', unit))?.status === 'active';
}
