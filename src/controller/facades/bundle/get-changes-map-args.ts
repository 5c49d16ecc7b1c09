import type { Bundle } from '../../../core/bundle/bundle.ts';
import { noMachineMap, type BundleCharm, type BundleModel } from '../../../core/bundle/bundle-model.ts';
import { defined } from '../../../core/defined.ts';
import { listArgs } from '../../../core/bundle/list-args.ts';
import { mapArgs } from '../../../core/bundle/map-args.ts';
import { mergeDocuments } from '../../../core/bundle/overlay.ts';
import { parseBundle } from '../../../core/bundle/parse-bundle.ts';
import { planBundle } from '../../../core/bundle/plan-bundle.ts';
import { bundleProblems } from '../../../core/bundle/problems.ts';
import { verifyBundle } from '../../../core/bundle/verify-bundle.ts';
import { requireMode } from '../../../core/requirements/requirement.ts';
import { JujuError, notValid } from '../../../core/errors.ts';
import { limits } from '../../../core/limits.ts';
import { readYaml } from '../../../kit/yaml/read.ts';
import type { bundle as spec } from '../../../wire/facades/bundle.ts';
import { currentModel } from '../shared/model.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';

/** Maximum size of a bundle: reading it blocks other requests. Clients that plan themselves deploy larger ones. */
const size = { bytes: limits.plannedBundleBytes, marks: limits.plannedBundleMarks };
/** Maximum numbers of values and units: a short text may stand for many, by aliases and by numbers. */
const { bundleValues, bundleUnits } = limits;

/** The changes with the arguments of each by position, as older clients take them. */
export function getChanges(
  call: Call,
  params: ParamsOf<typeof spec, 'GetChanges'>,
): ResultOf<typeof spec, 'GetChanges'> {
  const { changes, ...rest } = getChangesMapArgs(call, params);
  return { ...rest, ...defined({ changes: changes?.map((one) => ({ ...one, args: listArgs(one) })) }) };
}

export function getChangesMapArgs(
  call: Call,
  { yaml }: ParamsOf<typeof spec, 'GetChangesMapArgs'>,
): ResultOf<typeof spec, 'GetChangesMapArgs'> {
  try {
    const { bundle } = parseBundle(mergeDocuments(parseDocuments(yaml)));
    checkUnits(bundle);
    const charms = charmsOf(call, bundle);
    const mode = requireMode(currentModel(call).config);
    const problems = [...verifyBundle(bundle, (name) => charms[name], mode), ...unsupportedParts(bundle)];
    if (problems.length > 0) throw bundleProblems(problems);
    const { steps } = planBundle({ bundle, model: emptyModel, charms, map: noMachineMap, force: false });
    return { changes: mapArgs(steps) };
  } catch (error) {
    if (error instanceof JujuError) return { errors: error.message.split('\n').map((line) => line.trim()) };
    throw error;
  }
}

/** Parts of a bundle that changes cannot express; they are reported as errors and never dropped silently. */
function unsupportedParts({ applications }: Bundle): string[] {
  return Object.entries(applications).flatMap(([name, { require, after }]) =>
    [...(require.length > 0 ? ['require'] : []), ...(after ? ['after'] : [])].map(
      (key) => `applications.${name}.${key}: not supported by this client, use 'grigri deploy'`,
    ),
  );
}

/** Empty model: clients of these methods plan for one, and skip what exists already. */
const emptyModel: BundleModel = {
  state: { applications: {}, machines: {}, relations: [] },
  dying: [],
  units: {},
  machines: {},
  relations: [],
  saas: {},
  connections: {},
  requirements: {},
  requireMode: 'none',
};

function parseDocuments(yaml: string): unknown[] {
  try {
    return checkSize(readYaml(yaml, { aliasesMax: 1000, size }));
  } catch (error) {
    if (error instanceof JujuError) throw error;
    throw notValid(`the bundle is not valid YAML: ${(error as Error).message}`, error);
  }
}

/** Checks the number of values: an alias counts as much as what it stands for, each time. */
function checkSize(documents: unknown[]): unknown[] {
  const pending = documents.slice();
  for (let seen = 0; pending.length > 0; seen++) {
    if (seen === bundleValues.max)
      throw notValid(`the bundle has more than ${bundleValues.max} values: ${deployHint}`);
    const value = pending.pop();
    if (typeof value === 'object' && value !== null)
      for (const one of Object.values(value)) pending.push(one);
  }
  return documents;
}

function checkUnits({ applications }: Bundle): void {
  const units = Object.values(applications).reduce((sum, one) => sum + one.units, 0);
  if (units > bundleUnits.max)
    throw notValid(`the bundle has more than ${bundleUnits.max} units: ${deployHint}`);
}

const deployHint = "use 'grigri deploy'";

/** Charms of the bundle; the client has uploaded those that it has as files. */
function charmsOf(call: Call, { applications }: Bundle): Record<string, BundleCharm> {
  const view = call.read();
  const found = Object.entries(applications).map(([name, { charm: url }]) => {
    // Older clients put a series into the URL.
    const charm = view.get('charm', url.replace(/^local:[a-z0-9]+\//, 'local:'));
    return { name, url, charm };
  });
  const missing = found.filter(({ charm }) => !charm);
  if (missing.length > 0)
    throw bundleProblems(
      missing.map(
        ({ name, url }) =>
          `applications.${name}.charm: "${url}" was not uploaded; charms of Charmhub are not supported`,
      ),
    );
  return Object.fromEntries(
    found.flatMap(({ name, charm }): [string, BundleCharm][] =>
      charm ? [[name, { meta: charm.meta, config: charm.config, bases: charm.bases, url: charm.url }]] : [],
    ),
  );
}
