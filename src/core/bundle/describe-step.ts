import { formatBase } from '../base.ts';
import { formatConstraints } from '../constraints.ts';
import { gateWords } from '../gates/gate.ts';
import { compareNames, hostOf } from '../names.ts';
import { formatStorage } from './storage.ts';
import { exposedToAll, type Exposures } from './plan-network.ts';
import { anywhere } from '../application/exposed-rules.ts';
import type { BundleStep, UnitPlacement, UnitRef } from './step.ts';

/** Names in the model: known for what is made already, otherwise as they will probably be. */
export interface StepNames {
  unit(unit: UnitRef): string;
  /** The id of the machine that the `add-machine` step of this id made; undefined before. */
  machineMadeBy(step: string): string | undefined;
  /** What the unit waits for: `relations: db (mysql)`; undefined when it does not wait. */
  waitsFor(application: string): string | undefined;
}

/** A step as one line: `add unit mysql/0 to new machine`. */
export function describeStep(step: BundleStep, names: StepNames): string {
  switch (step.kind) {
    case 'upload':
      return `upload charm ${step.path}`;
    case 'deploy': {
      const charm = 'path' in step.charm ? step.charm.path : step.charm.url;
      const resources = Object.keys(step.resources ?? {}).sort();
      const sent = resources.length === 0 ? '' : ` with resources ${resources.join(', ')}`;
      const storage = Object.entries(formatStorage(step.storage)).map((pair) => pair.join('='));
      const asked = storage.length === 0 ? '' : ` with storage ${storage.join(' ')}`;
      return `deploy application ${step.application} on ${formatBase(step.base)} using ${charm}${sent}${asked}`;
    }
    case 'attach':
      return `attach resource ${step.resource} to ${step.application}`;
    case 'refresh':
      return `upgrade ${step.application} to charm ${'path' in step.charm ? step.charm.path : step.charm.url}`;
    case 'set-options':
      return `set application options for ${step.application}: ${Object.keys(step.options).sort().join(', ')}`;
    case 'set-constraints':
      return `set constraints for ${step.application} to "${formatConstraints(step.constraints)}"`;
    case 'set-after': {
      const gates = Object.entries(step.after).map(([application, health]) =>
        gateWords({ application, health }),
      );
      return `set what ${step.application} waits for: ${gates.join(', ') || 'nothing'}`;
    }
    case 'bind': {
      const { '': fallback, ...endpoints } = step.bindings;
      const pairs = Object.entries(endpoints)
        .sort(([a], [b]) => compareNames(a, b))
        .map((pair) => pair.join('='));
      return `set bindings for ${step.application} to "${[fallback ?? [], ...pairs].flat().join(' ')}"`;
    }
    case 'expose':
      return exposeLines(step).join('\n  ');
    case 'offer': {
      const verb = step.changes ? 'update' : 'create';
      return `${verb} offer ${step.offer} using ${step.application}:${step.endpoints.join(',')}`;
    }
    case 'grant':
      return `grant user ${step.user} ${step.access} access to offer ${step.offer}`;
    case 'consume':
      return `consume offer ${step.saas} at ${step.url}`;
    case 'integrate':
      return `add relation ${step.endpoints.join(' - ')}`;
    case 'add-machine': {
      const { container, on } = step.at;
      const machineText = container === undefined ? 'new machine' : `${container} container`;
      const id = names.machineMadeBy(step.id);
      const isPlain = container === undefined && on.kind === 'new';
      const place = isPlain ? '' : ` on ${whereText(step.at, names)}`;
      const purpose =
        'machine' in step.for ? `bundle machine ${step.for.machine}` : `for ${names.unit(step.for.unit)}`;
      return `add ${machineText}${id === undefined ? '' : ` ${id}`}${place} (${purpose})`;
    }
    case 'add-unit': {
      const waits = step.waits ? names.waitsFor(step.unit.application) : undefined;
      const why = waits === undefined ? '' : ` (waits for ${waits})`;
      return `add unit ${names.unit(step.unit)} to ${placeText(step.at, names)}${why}`;
    }
    case 'annotate':
      return `set annotations for ${'application' in step.on ? step.on.application : `bundle machine ${step.on.machine}`}`;
  }
}

/** A place in words: `lxd on machine 3`. */
function placeText(placement: UnitPlacement, names: StepNames): string {
  return placement.container === undefined
    ? whereText(placement, names)
    : `${placement.container} on ${whereText(placement, names)}`;
}

function whereText({ container, on }: UnitPlacement, names: StepNames): string {
  switch (on.kind) {
    case 'new':
      return 'new machine';
    case 'directive':
      return on.directive;
    case 'of-unit':
      return `the machine of ${names.unit(on.unit)}`;
    case 'machine':
    case 'made': {
      const id = on.kind === 'machine' ? on.id : names.machineMadeBy(on.step);
      if (id === undefined) return on.kind === 'made' ? `new ${on.step}` : '';
      // A container is placed beside the other container, not within it.
      return `machine ${container === undefined ? id : hostOf(id)}`;
    }
  }
}

/** A line for all endpoints with the same sources, as Juju writes them. */
function exposeLines({ application, endpoints = exposedToAll }: BundleStep & { kind: 'expose' }): string[] {
  const bySources = new Map<string, string[]>();
  for (const [endpoint, sources] of Object.entries(endpoints).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const text = sourcesOf(sources);
    // The entry of all endpoints has a line of its own.
    const key = endpoint === '' ? `${text} ` : text;
    bySources.set(key, [...(bySources.get(key) ?? []), endpoint]);
  }
  return [...bySources].map(([key, names]) => {
    const many = names.length > 1 ? 's' : '';
    const what =
      names[0] === ''
        ? 'expose all endpoints'
        : `override expose settings for endpoint${many} ${names.join(',')}`;
    return `${what} of ${application} and allow access from ${key.trim()}`;
  });
}

/** Sources in words: `space dmz and CIDRs 10.0.0.0/8,10.1.0.0/16`. */
function sourcesOf({ cidrs, spaces }: Exposures[string]): string {
  if (cidrs.length + spaces.length === 0) return `CIDRs ${anywhere.join(' and ')}`;
  const named = (word: string, values: readonly string[]): string[] =>
    values.length === 0 ? [] : [`${word}${values.length > 1 ? 's' : ''} ${[...values].sort().join(',')}`];
  return [...named('space', spaces), ...named('CIDR', cidrs)].join(' and ');
}
