import { isApplicationName } from '../names.ts';
import { parseEndpointText } from '../relation/key.ts';
import type { Bundle, BundleApplication, BundleMachine, BundleRelation } from './bundle.ts';
import { parseApplication, parseBaseOf, parseMachine, unitsMax } from './parse-application.ts';
import { parseSaas } from './parse-offers.ts';
import { isBundleMachine } from './placement.ts';
import { bundleProblems, type BundleKind, type Notes } from './problems.ts';
import { asText, expected, Section } from './section.ts';
import { defined } from '../defined.ts';

/** Keys that only a store of bundles reads, and the place for YAML anchors. */
const forOthers = ['tags', 'documentation', 'docs', 'issues', 'source', 'website', 'type', 'variables'];

/**
 * Parses a bundle. `raw` is its YAML as parsed, overlays merged in (overlay.ts). A key that Juju would act on and that
 * is not supported is an error; an unknown key is a warning, as in Juju. Errors: `not valid`, with all problems.
 */
export function parseBundle(raw: unknown): { bundle: Bundle; warnings: string[] } {
  const { bundle, warnings } = parseBundleAnd(raw, 'bundle', () => undefined);
  return { bundle, warnings };
}

/**
 * Parses a bundle, and reads `more` of its file's keys. Errors: as parseBundle, with the problems of both; an
 * unknown key of a model file.
 */
export function parseBundleAnd<T>(
  raw: unknown,
  kind: BundleKind,
  readMore: (root: Section) => T,
): { bundle: Bundle; more: T; warnings: string[] } {
  const notes: Notes = { kind, problems: [], warnings: [] };
  const root = new Section(raw, '', notes);
  if (root.text('bundle') === 'kubernetes')
    throw bundleProblems(['it is for Kubernetes, only machines are supported'], kind);
  root.ignore(forOthers);
  const name = root.text('name');
  const description = root.text('description');
  const defaultBase = parseBaseOf(root, 'default-base');
  const bundle: Bundle = {
    ...defined({ name: name || undefined, description: description || undefined, defaultBase }),
    ...parseSaas(root.section('saas')),
    applications: parseApplications(root),
    machines: parseMachines(root.section('machines')),
    relations: parseRelations(root),
  };
  const units = Object.values(bundle.applications).reduce((sum, one) => sum + one.units, 0);
  if (units > unitsMax) root.problem(`more than ${unitsMax} units together`, 'applications');
  const more = readMore(root);
  root.reportRest();
  if (notes.problems.length > 0) throw bundleProblems(notes.problems, kind);
  return { bundle, more, warnings: notes.warnings };
}

/** `services` is the older name of `applications`. */
function parseApplications(root: Section): Record<string, BundleApplication> {
  const sections = ['applications', 'services'].map((key) => root.section(key).sections());
  if (sections.every(({ length }) => length > 0))
    root.problem('an older name of "applications": use only one of them', 'services');
  return Object.fromEntries(
    sections.flat().flatMap(([name, section]) => {
      if (isApplicationName(name)) return [[name, parseApplication(name, section)]];
      section.problem('not a valid application name: use lowercase letters, digits and hyphens');
      return [];
    }),
  );
}

function parseMachines(machines: Section): Record<string, BundleMachine> {
  return Object.fromEntries(
    machines.sections().flatMap(([id, section]) => {
      if (isBundleMachine(id)) return [[id, parseMachine(section)]];
      section.problem('machine names are numbers: place units in containers with placements such as lxd:0');
      return [];
    }),
  );
}

/** Relations as pairs; a list as second item stands for one pair with each of its entries. */
function parseRelations(root: Section): BundleRelation[] {
  const list = root.value('relations') ?? [];
  if (!Array.isArray(list)) {
    root.problem(expected('a list', list), 'relations');
    return [];
  }
  return list.flatMap((item: unknown, i): BundleRelation[] => {
    const where = `relations[${i}]`;
    const [from, to, ...rest] = Array.isArray(item) ? (item as unknown[]) : [];
    const first = asText(from);
    const all = Array.isArray(to) ? to.map(asText) : [asText(to)];
    const others = all.filter((end) => end !== undefined);
    if (first === undefined || others.length === 0 || others.length < all.length || rest.length > 0) {
      root.problem(expected('two endpoints, such as mysql or mysql:db', item), where);
      return [];
    }
    for (const text of [first, ...others]) root.attempt(() => parseEndpointText(text), where);
    return others.map((other): BundleRelation => [first, other]);
  });
}
