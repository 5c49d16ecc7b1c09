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
  missingStatus,
  namedMax,
  requireMode,
  requirementsOf,
  type Missing,
} from '../requirements/requirement.ts';
import type { Explanation, ExplainView, HelpfulCommand } from './explanation.ts';
import { listed, lookMax, type Walk } from './walk.ts';

/**
 * Explains a pending application. Related applications that are pending too are explained below it; a requirement
 * without a relation is for the operator.
 */
export function explainPending(
  application: ApplicationDoc,
  { missing, since }: Pending,
  { view, path, most, tell }: Walk,
): Pick<Explanation, 'text' | 'waitsFor' | 'more'> {
  const others = [...new Set(missing.flatMap(({ applications }) => applications))];
  const circle = others.filter((id) => path.has(`application ${id}`));
  const together =
    circle.length === 0 ? '' : `; ${listed(circle)} waits for it too: they are deployed together`;
  const unrelated = missing.filter(({ applications }) => applications.length === 0);
  const next = path.size === depthMax ? endsBelow(others, view) : others;
  const below = path.size < depthMax ? next : path.size === depthMax ? next.slice(0, most) : [];
  return {
    text: `${missingStatus(missing).message}${together}`,
    waitsFor: [
      ...below.map((id) => tell({ kind: 'application', id })),
      ...unrelated.map((one) => explainUnrelated(application, one, since, view)),
    ],
    more: next.length - below.length,
  };
}

/** Maximum depth of a chain of pending applications that is shown; beyond it only the ends of the chain are named. */
const depthMax = 50;

/** Applications further down the chains that lack a relation. */
function endsBelow(names: readonly string[], view: ExplainView): string[] {
  const below = new Set(names);
  const ends: string[] = [];
  for (const name of below) {
    const missing = view.get('application', name)?.pending?.missing ?? [];
    if (missing.some(({ applications }) => applications.length === 0)) ends.push(name);
    for (const other of missing.flatMap(({ applications }) => applications))
      if (below.size < lookMax) below.add(other);
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
  const { endpoint, interface: its } = missing;
  const stated = statedEndpoint(application, endpoint, view);
  const end = formatEndpoint({ application: name, name: endpoint });
  const commands = suitable(application, stated, view);
  const bring = stated
    ? {
        line: `grigri deploy <charm that provides ${its}>`,
        effect: `adds an application that ${end} can be related to`,
      }
    : { line: 'grigri deploy <charm>', effect: `adds an application that ${name} can run beside` };
  return {
    kind: 'requirement',
    id: end,
    name: `requirement ${endpoint} (${its})`,
    text: stated ? 'no relation satisfies it' : 'it is related to no application that it can run beside',
    actor: {
      kind: 'operator',
      name: `application ${name}`,
      task: stated
        ? `relate ${end} to an application that provides ${its}`
        : `relate ${name} to the application beside whose units it is to run`,
      since,
      commands: commands.length > 0 ? commands : [bring],
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
  const own = stated ? [stated] : besideEndpoints(application, view);
  const found: { readonly waits: boolean; readonly command: HelpfulCommand }[] = [];
  let left = lookMax;
  for (const other of view.list('application')) {
    if (left-- === 0) break;
    if (other.life !== 'alive' || other.name === application.name || (!stated && other.subordinate)) continue;
    const pair = firstPair(ends(application, own), ends(other, provided(other, view)));
    if (!pair) continue;
    const waits = other.pending !== undefined;
    const effect = `relates it to ${other.name}${waits ? ', which is pending too' : ''}`;
    found.push({
      waits,
      command: { line: `grigri integrate ${pair.map(formatEndpoint).join(' ')}`, effect },
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
  own: readonly RelationEndpoint[],
  others: readonly RelationEndpoint[],
): [RelationEndpoint, RelationEndpoint] | undefined {
  for (const one of own)
    for (const other of others) if (other.role === 'provider' && canRelate(one, other)) return [one, other];
  return undefined;
}
