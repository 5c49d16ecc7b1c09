/** Spaces in simulated worlds: their commands, the networks that charms are told of, and the conditions at the end. */
import { networkOf } from '../../core/cidr.ts';
import type { Entities } from '../../core/kinds.ts';
import { settingsId } from '../../core/settings/document.ts';
import { statusId } from '../../core/status.ts';
import { JujuError } from '../../core/errors.ts';
import type { HookContext } from '../../hooks/context.ts';
import type { Reader } from '../../store/store.ts';
import { applicationTag, spaceTag, subnetTag } from '../../wire/tags.ts';
import { Chance } from './chance.ts';
import { onlyResult, type Results } from './results.ts';
import type { Command, Step } from './script.ts';
import type { SimOperator } from './world.ts';

type View = Reader<Entities>;

/** Subnets of the cloud beside the subnet of all machines. */
export const otherSubnets = ['172.20.0.0/16', '172.21.0.0/16'] as const;
const mainSubnet = '10.0.0.0/8';
const spaceNames = ['dmz', 'back'] as const;
/** Endpoints that are bound, by application. */
const bound: Readonly<Record<string, string>> = { db: 'server', db2: 'server', web: 'db', cache: 'store' };
const rememberedAs = (binding: string): string => `network ${binding}`;

export type SpaceCommand =
  | { readonly do: 'reload-spaces' }
  /** Adds a space with one of the cloud's further subnets. */
  | { readonly do: 'add-space'; readonly space: string; readonly subnet: number }
  /** Moves a subnet; `subnet`: -1 = the subnet of all machines. */
  | {
      readonly do: 'move-to-space';
      readonly space: string;
      readonly subnet: number;
      readonly forced: boolean;
    }
  | { readonly do: 'remove-space'; readonly space: string; readonly forced: boolean }
  | {
      readonly do: 'bind';
      readonly application: string;
      /** Endpoint to bind; '' = the default. */
      readonly endpoint: string;
      readonly space: string;
      readonly forced: boolean;
    };

export function spaceText(command: SpaceCommand): string {
  switch (command.do) {
    case 'reload-spaces':
      return command.do;
    case 'add-space':
      return `add-space ${command.space} [subnet ${command.subnet}]`;
    case 'move-to-space':
      return `move-to-space ${command.space} [subnet ${command.subnet}]${command.forced ? ' --force' : ''}`;
    case 'remove-space':
      return `remove-space ${command.space}${command.forced ? ' --force' : ''}`;
    case 'bind':
      return `bind ${command.application} ${command.endpoint}=${command.space}${command.forced ? ' --force' : ''}`;
  }
}

/** Generates commands about spaces, from a random stream of their own: no other step of a script depends on them. */
export function spaceSteps(seed: number, endMs: number): Step[] {
  const chance = new Chance(seed ^ 0x59ace);
  const steps: Step[] = [];
  const add = (atMs: number, command: SpaceCommand): void =>
    void steps.push({ atMs, by: chance.is(0.5) ? 'alice' : 'bob', model: 0, ...command });
  add(20_000, { do: 'reload-spaces' });
  for (const [n, space] of spaceNames.entries()) add(22_000 + n, { do: 'add-space', space, subnet: n });
  for (let atMs = 25_000 + chance.below(60_000); atMs < endMs; atMs += 5_000 + chance.below(70_000)) {
    add(atMs, spaceCommand(chance));
    if (chance.is(0.15))
      steps.push({ atMs: atMs + chance.below(4_000), blow: 'crash-controller', step: 1 + chance.below(12) });
    if (chance.is(0.15))
      steps.push({ atMs: atMs + chance.below(4_000), blow: 'crash-agent', pick: chance.below(4), step: 3 });
  }
  return steps;
}

function spaceCommand(chance: Chance): SpaceCommand {
  const space = chance.of(['dmz', 'dmz', 'back', 'alpha']);
  const application = chance.of(Object.keys(bound));
  const endpoint = chance.is(0.7) ? bound[application]! : '';
  const forced = chance.is(0.6);
  const subnet = chance.below(otherSubnets.length + 1) - 1;
  return chance.of<() => SpaceCommand>([
    () => ({ do: 'bind', application, endpoint, space, forced }),
    () => ({ do: 'bind', application, endpoint, space, forced }),
    () => ({ do: 'bind', application, endpoint, space, forced }),
    () => ({ do: 'move-to-space', subnet, space, forced }),
    () => ({ do: 'move-to-space', subnet, space, forced }),
    () => ({ do: 'add-space', space: chance.of(spaceNames), subnet: Math.max(subnet, 0) }),
    () => ({ do: 'remove-space', space: chance.of(spaceNames), forced }),
    () => ({ do: 'reload-spaces' }),
  ])();
}

const isOfSpaces = new Set<string>([
  'reload-spaces',
  'add-space',
  'move-to-space',
  'remove-space',
  'bind',
] satisfies SpaceCommand['do'][]);

export function isSpaceCommand(command: Command): command is SpaceCommand {
  return isOfSpaces.has(command.do);
}

/** Gives a command in the model of `view`. Errors: those of the controller; `not found` (subnet). */
export async function giveSpaceCommand(
  operator: SimOperator,
  view: View,
  command: SpaceCommand,
): Promise<void> {
  const call = (facade: string, method: string, params: unknown): Promise<Results> =>
    operator.call<Results>(view.space, facade, method, params);
  switch (command.do) {
    case 'reload-spaces':
      await call('Spaces', 'ReloadSpaces', {});
      return;
    case 'add-space': {
      const spaces = [{ 'space-tag': spaceTag(command.space), cidrs: [otherSubnets[command.subnet]!] }];
      return void onlyResult(await call('Spaces', 'CreateSpaces', { spaces }));
    }
    case 'move-to-space': {
      const { space, subnet, forced: force } = command;
      const doc = view.get('subnet', otherSubnets[subnet] ?? mainSubnet);
      if (!doc) throw new JujuError('not found', 'there is no such subnet yet');
      const args = [{ 'space-tag': spaceTag(space), subnets: [subnetTag(doc.id)], force }];
      return void onlyResult(await call('Spaces', 'MoveSubnets', { args }));
    }
    case 'remove-space': {
      const params = [{ space: { tag: spaceTag(command.space) }, force: command.forced }];
      return void onlyResult(await call('Spaces', 'RemoveSpace', { 'space-param': params }));
    }
    case 'bind': {
      const { application, endpoint, space, forced: force } = command;
      const args = [
        { 'application-tag': applicationTag(application), bindings: { [endpoint]: space }, force },
      ];
      return void onlyResult(await call('Application', 'MergeBindings', { args }));
    }
  }
}

/** Records the answers of `network-get` for each binding, and forgets bindings of an earlier charm. */
export function rememberNetworks(context: HookContext): void {
  const { charmState } = context.changes;
  const bindings = ['', ...context.bindings()];
  const keys = new Set(bindings.map(rememberedAs));
  for (const key of Object.keys(context.charmState()))
    if (key.startsWith(rememberedAs('')) && !keys.has(key)) charmState.delete.add(key);
  for (const binding of bindings)
    charmState.set.set(rememberedAs(binding), (context.network(binding)?.ingress ?? []).toSorted().join(','));
}

/**
 * Yields sentences about units that were told of another network than they have, or announce another address to their
 * counterparts.
 */
export function* networksIn(view: View, where: string, skipped: (unit: string) => boolean): Iterable<string> {
  for (const unit of view.list('unit')) {
    const { name, application, machine } = unit;
    const doc = view.get('application', application);
    const told = view.get('unit-state', name)?.charm ?? {};
    if (machine === undefined || !doc || skipped(name)) continue;
    for (const [key, seen] of Object.entries(told)) {
      if (!key.startsWith(rememberedAs(''))) continue;
      const binding = key.slice(rememberedAs('').length);
      const has = addressesIn(view, machine, doc.endpointBindings, binding);
      if (seen !== has.toSorted().join(','))
        yield `unit ${name} ${where} was told of the network "${seen}" of binding "${binding}", it is "${has.join(',')}"`;
    }
    for (const { relation } of view.find('scope', 'unit', name)) {
      const ends = view.get('relation', relation)?.endpoints ?? [];
      const own = ends.find((end) => end.application === application)?.name ?? '';
      const has = addressesIn(view, machine, doc.endpointBindings, own);
      const announced = view.get('settings', settingsId({ relation, owner: name }))?.values[
        'ingress-address'
      ];
      if ((has.length > 0 || announced !== undefined) && !has.includes(announced ?? ''))
        yield `unit ${name} ${where} announces ${announced} in relation ${relation}, it has ${has.join(',')}`;
    }
  }
}

/**
 * Returns the addresses of a machine in the space that an endpoint is bound to; the first is also in the model's own
 * space.
 */
function addressesIn(
  view: View,
  machine: string,
  bindings: Readonly<Record<string, string>>,
  endpoint: string,
): string[] {
  const space = bindings[endpoint] ?? bindings[''] ?? 'alpha';
  const addresses = view.get('machine', machine)?.addresses ?? [];
  return addresses
    .filter(({ cidr = '' }, n) => {
      const subnet = view.get('subnet', networkOf(cidr) ?? '');
      return (subnet?.space ?? 'alpha') === space || (n === 0 && space === 'alpha');
    })
    .map(({ value }) => value);
}

/** Returns the spaces that prevent starts of machines: an operator gives these spaces up. */
export function spacesInTheWay(view: View): string[] {
  const isHeld = [...view.list('machine')].some(({ id }) => {
    const { status, message = '' } = view.get('status', statusId('instance', id)) ?? {};
    return status === 'provisioning error' && message.includes('space');
  });
  return isHeld ? [...view.list('space')].map(({ name }) => name) : [];
}
