import { call, errorOf, type ResultOf } from '../../client/calls.ts';
import type { Connection } from '../../client/connection.ts';
import { makeBase, parseBase } from '../../core/base.ts';
import type { Bundle } from '../../core/bundle/bundle.ts';
import type { BundleModel, ModelMachine, ModelUnit } from '../../core/bundle/bundle-model.ts';
import { mergeDocuments } from '../../core/bundle/overlay.ts';
import { parseBundle } from '../../core/bundle/parse-bundle.ts';
import { hasCode } from '../../core/errors.ts';
import { compareNames } from '../../core/names.ts';
import { relationKey } from '../../core/relation/key.ts';
import type { RequiringApplication } from '../../core/requirements/graph.ts';
import { requireModes, type RequireMode } from '../../core/requirements/requirement.ts';
import { readYaml } from '../../kit/yaml/read.ts';
import type { FullStatus, MachineStatus, RelationStatus } from '../../wire/facades/client.ts';
import { machineTag } from '../../wire/tags.ts';
import { basesOfCloud } from '../bases.ts';
import { bundleSize } from './bundle-size.ts';
import { defined } from '../../core/defined.ts';

/** Returns the model in the form that a bundle is compared with. */
export async function readModel(connection: Connection): Promise<BundleModel> {
  const [exported, status, graph, { config }, available] = await Promise.all([
    call(connection, 'Bundle', 'ExportBundle', { 'include-charm-defaults': false, 'allow-empty': true }),
    call(connection, 'Client', 'FullStatus', { patterns: [] }),
    readGraph(connection),
    call(connection, 'ModelConfig', 'ModelGet', {}),
    basesOfCloud(connection),
  ]);
  if (exported.error) throw errorOf(exported.error);
  const fallback = config['default-base']?.value;
  const state = bundleOfText(exported.result ?? '');
  return {
    state,
    dying: Object.entries(status.applications).flatMap(([name, { life }]) => (life === '' ? [] : [name])),
    units: unitsOf(status),
    machines: await readMachines(connection, status),
    relations: relationsOf(status, state),
    ...saasOf(status),
    connections: Object.fromEntries(
      Object.entries(status.offers).map(([offer, one]) => [offer, one['total-connected-count']]),
    ),
    ...requirementsIn(graph),
    ...(typeof fallback === 'string' && fallback !== '' ? { defaultBase: parseBase(fallback) } : {}),
    ...defined({ bases: available }),
  };
}

/** Parses the output of export-bundle. The output is empty for an empty model. */
export function bundleOfText(text: string): Bundle {
  return parseBundle(mergeDocuments(readYaml(text, { aliasesMax: 0, size: bundleSize }))).bundle;
}

type Graph = ResultOf<'Requirements', 'Graph'>;

/** Returns the graph of requirements; undefined for controllers without requirements. */
async function readGraph(connection: Connection): Promise<Graph | undefined> {
  try {
    return await call(connection, 'Requirements', 'Graph', {});
  } catch (error) {
    if (hasCode(error, 'not implemented')) return undefined;
    throw error;
  }
}

function requirementsIn(graph: Graph | undefined): Pick<BundleModel, 'requirements' | 'requireMode'> {
  const requireMode: RequireMode = requireModes.find((mode) => mode === graph?.mode) ?? 'none';
  const requirements = (graph?.applications ?? []).map(
    ({
      application,
      subordinate,
      requirements: requirementList,
      missing,
    }): [string, RequiringApplication] => [
      application,
      {
        subordinate,
        requirements: requirementList.map(
          ({ 'any-principal': any, 'implied-by': impliedBy, ...requirement }) => ({
            ...requirement,
            ...defined({ anyPrincipal: any ? (true as const) : undefined, impliedBy }),
          }),
        ),
        ...defined({ missing }),
      },
    ],
  );
  return { requireMode, requirements: Object.fromEntries(requirements) };
}

/** SAAS applications that are neither terminated nor being removed. */
function saasOf({ 'remote-applications': all }: FullStatus): Pick<BundleModel, 'saas' | 'consumed'> {
  const alive = Object.entries(all).filter(
    ([, { life, status }]) => life === '' && status.status !== 'terminated',
  );
  return {
    saas: Object.fromEntries(alive.map(([name, { endpoints }]) => [name, endpoints])),
    consumed: Object.fromEntries(
      alive.flatMap(([name, { 'offer-uuid': uuid }]) => (uuid === undefined ? [] : [[name, uuid]])),
    ),
  };
}

function unitsOf({ applications }: FullStatus): Record<string, ModelUnit[]> {
  return Object.fromEntries(
    Object.entries(applications).map(([application, { units }]) => [
      application,
      Object.entries(units)
        .sort(([a], [b]) => compareNames(a, b))
        .map(([name, { machine, 'agent-status': agent }]) => ({
          name,
          ...defined({ machine: machine || undefined, dying: agent.life ? (true as const) : undefined }),
        })),
    ]),
  );
}

async function readMachines(
  connection: Connection,
  status: FullStatus,
): Promise<Record<string, ModelMachine>> {
  const machines = [...flattened(status.machines)];
  if (machines.length === 0) return {};
  const { results } = await call(connection, 'Annotations', 'Get', {
    entities: machines.map(([id]) => ({ tag: machineTag(id) })),
  });
  return Object.fromEntries(
    machines.map(([id, { 'agent-status': agent, base, hardware }], i) => [
      id,
      {
        life: agent.life || 'alive',
        base: makeBase(base.name, base.channel),
        annotations: results[i]?.annotations ?? {},
        ...defined({ zone: /(?:^| )availability-zone=(\S+)/.exec(hardware)?.[1] }),
      },
    ]),
  );
}

function* flattened(machines: Readonly<Record<string, MachineStatus>>): Iterable<[string, MachineStatus]> {
  for (const [id, machine] of Object.entries(machines)) {
    yield [id, machine];
    yield* flattened(machine.containers);
  }
}

/** Relations between applications of the model and SAAS; an export has only those that are not being removed. */
function relationsOf(status: FullStatus, state: Bundle): BundleModel['relations'] {
  const exported = new Set(state.relations.map((ends) => ends.join(' ')));
  return status.relations.flatMap(relationOf).map(({ endpoints }) => {
    const isOwn = endpoints.every(
      ({ application }) =>
        Object.hasOwn(state.applications, application) || Object.hasOwn(state.saas ?? {}, application),
    );
    const dying = isOwn && !exported.has(relationKey(endpoints));
    return { endpoints, ...defined({ dying: dying ? (true as const) : undefined }) };
  });
}

/**
 * Returns the relation of two applications; peer relations are left out. `limit` and `optional` are placeholders: a
 * status does not have them, and the comparison does not read them.
 */
function relationOf({
  endpoints,
  interface: interfaceName,
  scope,
}: RelationStatus): BundleModel['relations'] {
  if (endpoints.length !== 2) return [];
  return [
    {
      endpoints: endpoints.map(({ application, name, role }) => ({
        application,
        name,
        role,
        interface: interfaceName,
        scope,
        limit: 0,
        optional: false,
      })),
    },
  ];
}
