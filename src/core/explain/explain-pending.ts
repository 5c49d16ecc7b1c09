/**
 * Explanations of pending applications: the requirements that are not satisfied, down to those without any relation.
 */
import { endpointsOf, jujuInfo, type Endpoint } from '../charm/metadata.ts';
import type { ApplicationDoc, Pending } from '../application/document.ts';
import type { RelationEndpoint } from '../relation/document.ts';
import { canRelate } from '../relation/infer-endpoints.ts';
import { formatEndpoint } from '../relation/key.ts';
import {
  attachesToAny,
  gateOf,
  missingStatus,
  namedMax,
  requireMode,
  requirementsOf,
  shownRequirement,
  type Missing,
} from '../requirements/requirement.ts';
import { explainGate, setAfter } from './explain-gate.ts';
import type { Explanation, ExplainView, HelpfulCommand } from './explanation.ts';
import { listed, lookMax, type Walk } from './walk.ts';

/**
 * Explains a pending application. Related applications that are pending too are explained below it, and what its gates
 * wait for; a requirement without a relation is for the operator.
 */
export function explainPending(
  application: ApplicationDoc,
  { missing, since }: Pending,
  walk: Walk,
): Pick<Explanation, 'text' | 'waitsFor' | 'more'> {
  const { view, path, shownMax, explainCause } = walk;
  const candidates = candidatesIn(missing);
  const circle = candidates.filter((id) => path.has(`application ${id}`));
  const stuck = circle.flatMap((id) => gatesBetween(id, application.name, walk));
  const together =
    circle.length === 0
      ? ''
      : `; ${listed(circle)} waits for it too: they ${stuck.length > 0 ? 'wait for each other forever' : 'are deployed together'}`;
  const unrelated = missing.filter(
    ({ applications, health }) => applications.length === 0 && health === undefined,
  );
  const gates = missing.flatMap((one) => gateOf(one) ?? []);
  const shownGates = path.size > depthMax ? [] : gates.slice(0, shownMax);
  const listedBelow = path.size === depthMax ? endsBelow(candidates, view) : candidates;
  const below =
    path.size < depthMax ? listedBelow : path.size === depthMax ? listedBelow.slice(0, shownMax) : [];
  return {
    text: `${missingStatus(missing).message}${together}`,
    waitsFor: [
      ...below.map((id) => explainCause({ kind: 'application', id })),
      ...shownGates.map((gate) => explainGate(application, gate, since, walk)),
      ...stuck,
      ...unrelated.map((one) => explainUnrelated(application, one, since, view)),
    ],
    more: listedBelow.length - below.length + gates.length - shownGates.length,
  };
}

/** Related applications that are pending themselves, without those that gates wait for. */
function candidatesIn(missing: readonly Missing[]): string[] {
  const related = missing.filter(({ health }) => health === undefined);
  return [...new Set(related.flatMap(({ applications }) => applications))];
}

/** The gates in a circle that goes from `first` down to `last`, and back by a relation: they never open. */
function gatesBetween(first: string, last: string, { view, path }: Walk): Explanation[] {
  const names = [...path].flatMap((key) =>
    key.startsWith('application ') ? [key.slice('application '.length)] : [],
  );
  const circle = names.slice(names.indexOf(first), names.indexOf(last) + 1);
  const stuck = circle.slice(0, -1).filter((name, n) => {
    const { missing = [] } = view.get('application', name)?.pending ?? {};
    return !candidatesIn(missing).includes(circle[n + 1] ?? '');
  });
  return stuck.map((name) => ({
    kind: 'gate',
    id: name,
    name: `gates of ${name}`,
    text: `they open when ${last} is healthy, which requires ${first}`,
    actor: {
      kind: 'operator',
      name: `application ${name}`,
      task: 'change what it waits for, or the relation',
      commands: [setAfter(name)],
    },
    waitsFor: [],
    more: 0,
    above: false,
  }));
}

/** Maximum depth of a chain of pending applications that is shown; beyond it only the ends of the chain are named. */
const depthMax = 50;

/** Applications further down the chains that lack a relation. */
function endsBelow(names: readonly string[], view: ExplainView): string[] {
  const below = new Set(names);
  const ends: string[] = [];
  for (const name of below) {
    const missing = view.get('application', name)?.pending?.missing ?? [];
    const isEnd = missing.some(
      ({ applications, health }) => applications.length === 0 || health !== undefined,
    );
    if (isEnd) ends.push(name);
    for (const candidate of candidatesIn(missing)) if (below.size < lookMax) below.add(candidate);
  }
  return ends;
}

function explainUnrelated(
  application: ApplicationDoc,
  missing: Missing,
  since: string,
  view: ExplainView,
): Explanation {
  const { name } = application;
  const { endpoint, interface: interfaceName } = missing;
  const stated = statedEndpoint(application, endpoint, view);
  const end = formatEndpoint({ application: name, name: endpoint });
  const commands = suitable(application, stated, view);
  const deployCommand = stated
    ? {
        line: `deploy <charm that provides ${interfaceName}>`,
        effect: `adds an application that ${end} can be related to`,
      }
    : { line: 'deploy <charm>', effect: `adds an application that ${name} can run beside` };
  return {
    kind: 'requirement',
    id: end,
    name: `requirement ${shownRequirement(missing)}`,
    text: stated ? 'no relation satisfies it' : 'it is related to no application that it can run beside',
    actor: {
      kind: 'operator',
      name: `application ${name}`,
      task: stated
        ? `relate ${end} to an application that provides ${interfaceName}`
        : `relate ${name} to the application beside whose units it is to run`,
      since,
      commands: commands.length > 0 ? commands : [deployCommand],
    },
    waitsFor: [],
    more: 0,
    above: false,
  };
}

/** The endpoint of the requirement; undefined when any subordinate relation to a principal satisfies it. */
function statedEndpoint({ charmUrl }: ApplicationDoc, name: string, view: ExplainView): Endpoint | undefined {
  const endpoint = view.get('charm', charmUrl)?.meta.endpoints[name];
  return endpoint?.role === 'requirer' ? endpoint : undefined;
}

/** Relations that would satisfy the requirement, those with deployable applications first. */
function suitable(
  application: ApplicationDoc,
  stated: Endpoint | undefined,
  view: ExplainView,
): HelpfulCommand[] {
  const candidates = stated ? [stated] : besideEndpoints(application, view);
  const found: { readonly waits: boolean; readonly command: HelpfulCommand }[] = [];
  let left = lookMax;
  for (const provider of view.list('application')) {
    if (left-- === 0) break;
    if (provider.life !== 'alive' || provider.name === application.name || (!stated && provider.subordinate))
      continue;
    const pair = firstPair(ends(application, candidates), ends(provider, provided(provider, view)));
    if (!pair) continue;
    const waits = provider.pending !== undefined;
    const effect = `relates it to ${provider.name}${waits ? ', which is pending too' : ''}`;
    found.push({
      waits,
      command: { line: `integrate ${pair.map(formatEndpoint).join(' ')}`, effect },
    });
  }
  return found
    .sort((a, b) => Number(a.waits) - Number(b.waits))
    .slice(0, namedMax)
    .map(({ command }) => command);
}

function besideEndpoints({ charmUrl, require }: ApplicationDoc, view: ExplainView): Endpoint[] {
  const meta = view.get('charm', charmUrl)?.meta;
  if (!meta) return [];
  const own = Object.values(meta.endpoints).filter(
    ({ role, scope }) => role === 'requirer' && scope === 'container',
  );
  const requirements = requirementsOf(meta, require, requireMode(view.model?.config));
  return attachesToAny(requirements) ? [...own, { ...jujuInfo, role: 'requirer', scope: 'container' }] : own;
}

function provided({ charmUrl }: ApplicationDoc, view: ExplainView): Endpoint[] {
  const meta = view.get('charm', charmUrl)?.meta;
  return meta ? Object.values(endpointsOf(meta)) : [];
}

function ends({ name }: ApplicationDoc, endpoints: readonly Endpoint[]): RelationEndpoint[] {
  return endpoints.map((endpoint) => ({ ...endpoint, application: name }));
}

function firstPair(
  endpoints: readonly RelationEndpoint[],
  otherEndpoints: readonly RelationEndpoint[],
): [RelationEndpoint, RelationEndpoint] | undefined {
  for (const endpoint of endpoints)
    for (const other of otherEndpoints)
      if (other.role === 'provider' && canRelate(endpoint, other)) return [endpoint, other];
  return undefined;
}
