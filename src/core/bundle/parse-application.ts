import { checkAnnotationKey } from '../annotation/document.ts';
import { baseOfSeries, formatBase, parseBase, sameBase, type Base } from '../base.ts';
import { checkCidr } from '../cidr.ts';
import { limits } from '../limits.ts';
import { parseConstraints } from '../constraints.ts';
import type { ConfigValue } from '../charm/metadata.ts';
import { notValid } from '../errors.ts';
import { checkAfter } from '../gates/gate.ts';
import { isEndpointName } from '../names.ts';
import { checkRolling } from '../rollout/rollout.ts';
import type { BundleApplication, BundleMachine, BundlePlacement } from './bundle.ts';
import { parseBundlePlacement } from './placement.ts';
import { parseOffers } from './parse-offers.ts';
import { asText, expected, type Section } from './section.ts';
import { parseStorage } from './storage.ts';
import { defined } from '../defined.ts';

/** Keys that are refused because ignoring them would silently lose part of the bundle. */
const notThere = {
  devices: 'devices are not supported yet: remove them from the file',
  plan: 'plans are not supported: remove it from the file',
  placement: 'only for Kubernetes: use "to" for units on machines',
};

export function parseApplication(name: string, section: Section): BundleApplication {
  section.refuse(notThere);
  const charm = section.text('charm');
  if (!charm) section.problem('a charm is required', 'charm');
  const channel = section.text('channel');
  const revision = section.count('revision');
  const base = parseBaseOf(section, 'base');
  const trust = [section.flag('trust'), section.flag('requires_trust')];
  const application: BundleApplication = {
    charm: charm ?? '',
    ...defined({ channel: channel || undefined, revision, base }),
    units: parseUnits(section),
    to: parsePlacements(section),
    options: parseOptions(section.section('options')),
    constraints: section.parsed('constraints', parseConstraints) ?? {},
    annotations: parseAnnotations(section.section('annotations')),
    ...parseExposed(name, section),
    bindings: section.section('bindings').textMap(),
    trust: trust.includes(true),
    require: section.texts('require'),
    ...parseAfter(name, section),
    ...parseResources(section.section('resources')),
    ...parseStorage(section.section('storage')),
    ...parseOffers(section.section('offers')),
    ...parseRolling(section.section('refresh')),
  };
  const wrong = application.require.find((name) => !isEndpointName(name));
  if (wrong !== undefined) section.problem(expected('names of endpoints', wrong), 'require');
  section.reportRest();
  return application;
}

export function parseMachine(section: Section): BundleMachine {
  const base = parseBaseOf(section, 'base');
  const machine: BundleMachine = {
    ...defined({ base }),
    constraints: section.parsed('constraints', parseConstraints) ?? {},
    annotations: parseAnnotations(section.section('annotations')),
  };
  section.reportRest();
  return machine;
}

/** A base, or a series, which is its older name; both are allowed only if they agree. */
export function parseBaseOf(section: Section, key: 'base' | 'default-base'): Base | undefined {
  const base = section.parsed(key, parseBase);
  const ofSeries = section.parsed('series', (series) => {
    const known = baseOfSeries(series);
    if (known) return known;
    throw notValid(
      series === 'kubernetes'
        ? 'only for Kubernetes: only machines are supported'
        : `unknown series "${series}"`,
    );
  });
  if (base && ofSeries && !sameBase(base, ofSeries))
    section.problem(`${formatBase(ofSeries)} is not the ${key}, which is ${formatBase(base)}`, 'series');
  return base ?? ofSeries;
}

/**
 * Maximum number of units of all applications together: a plan has a step per unit, and a larger number is likely a
 * typing error.
 */
export const unitsMax = limits.unitsAtOnce.max;

/** `scale` is the key of Kubernetes bundles, which Juju accepts as well. */
function parseUnits(section: Section): number {
  const units = section.count('num_units');
  const scale = section.count('scale');
  if (units !== undefined && scale !== undefined)
    section.problem('duplicates num_units: use one of them', 'scale');
  const all = units ?? scale ?? 0;
  if (all <= unitsMax) return all;
  section.problem(`more than ${unitsMax} units`, 'num_units');
  return 0;
}

function parsePlacements(section: Section): BundlePlacement[] {
  const value = section.value('to');
  const text = asText(value);
  const texts = text === undefined ? section.texts('to') : text.split(',').map((part) => part.trim());
  return texts.flatMap((one) => section.attempt(() => parseBundlePlacement(one), 'to') ?? []);
}

function parseOptions(section: Section): Record<string, ConfigValue> {
  const options: [string, ConfigValue][] = [];
  for (const key of section.keys()) {
    const value = section.given(key);
    if (value === undefined) continue;
    if (typeof value === 'number' && (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER))
      section.problem('this number would lose precision: write it in quotes', key);
    else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      options.push([key, value]);
    else section.problem(expected('a string, a number, true or false', value), key);
  }
  return Object.fromEntries(options);
}

function parseAfter(name: string, section: Section): Pick<BundleApplication, 'after'> {
  const after = section.section('after').textMap();
  if (Object.keys(after).length === 0) return {};
  return defined({ after: section.attempt(() => checkAfter(name, after), 'after') });
}

function parseAnnotations(section: Section): Record<string, string> {
  const annotations = section.textMap();
  for (const key of Object.keys(annotations)) section.attempt(() => checkAnnotationKey(key));
  return annotations;
}

/** Parses the files of resources. Revisions are refused: only charms of Charmhub have them. */
function parseResources(section: Section): Pick<BundleApplication, 'resources'> {
  const resources: [string, string][] = [];
  for (const key of section.keys()) {
    const value = section.given(key);
    if (value === undefined) continue;
    if (typeof value === 'string' && value !== '') resources.push([key, value]);
    else if (typeof value === 'number')
      section.problem('revisions of resources are not supported: give a file', key);
    else section.problem(expected('the path of a file', value), key);
  }
  return resources.length === 0 ? {} : { resources: Object.fromEntries(resources) };
}

/** Parses how units are upgraded in batches; the values are those of the flags of `refresh --rolling`. */
function parseRolling(section: Section): Pick<BundleApplication, 'refresh'> {
  if (section.keys().length === 0) return {};
  const request = {
    maxUnavailable: section.text('max-unavailable') ?? '',
    waitFor: section.text('wait-for') ?? '',
    pauseAfterCanary: section.text('pause-after') === 'canary',
  };
  if (!['', 'canary'].includes(section.text('pause-after') ?? ''))
    section.problem(expected('canary', section.text('pause-after')), 'pause-after');
  section.reportRest();
  const refresh = section.attempt(() => checkRolling(request));
  return defined({ refresh });
}

/** Juju's rule: a client that reads only `expose` must not open what the endpoints' settings close. */
function parseExposed(
  name: string,
  section: Section,
): Pick<BundleApplication, 'exposed' | 'exposedEndpoints'> {
  const exposed = section.flag('expose');
  const endpoints = section.section('exposed-endpoints').sections();
  if (endpoints.length === 0) return { exposed };
  if (exposed)
    section.problem(
      `exposed-endpoints cannot be specified together with "exposed:true" in application "${name}" as this poses a security risk when deploying bundles to older controllers`,
    );
  return {
    exposed: true,
    exposedEndpoints: Object.fromEntries(
      endpoints.map(([name, endpoint]) => {
        const to = { cidrs: endpoint.texts('expose-to-cidrs'), spaces: endpoint.texts('expose-to-spaces') };
        for (const cidr of to.cidrs) endpoint.attempt(() => checkCidr(cidr), 'expose-to-cidrs');
        endpoint.reportRest();
        return [name, to];
      }),
    ),
  };
}
