import { call, only, type ResultOf } from '../../client/calls.ts';
import type { DeployRequest } from '../../core/application/check-deploy.ts';
import { ownModelScope, type Placement } from '../../core/placement.ts';
import { constraintsToWire } from '../constraints.ts';
import { formatTag } from '../../wire/tags.ts';
import type { Operator } from '../operator.ts';
import type { ModelSession } from '../sessions.ts';
import { defined } from '../../core/defined.ts';

export type DeployResult = ResultOf<'Application', 'Deploy'>['results'][number];

/** Creates the application with a charm that the model has. Errors: the controller's. */
export async function callDeploy(
  { architecture }: Operator,
  { connection, modelUuid }: ModelSession,
  request: DeployRequest,
  charmUrl: string,
  /** Pending ids by resource. */
  resources: Readonly<Record<string, string>> = {},
): Promise<DeployResult> {
  const { name, base, endpointBindings: bindings, placement, require = [], after = {}, reuse } = request;
  const { results } = await call(connection, 'Application', 'Deploy', {
    applications: [
      {
        application: name,
        'charm-url': charmUrl,
        'charm-origin': {
          source: 'local',
          type: 'charm',
          id: '',
          architecture,
          ...defined({ base: base ? { ...base } : undefined }),
        },
        channel: '',
        'num-units': request.numUnits,
        config: optionTexts({ ...request.config, ...defined({ trust: request.trust || undefined }) }),
        'config-yaml': '',
        constraints: constraintsToWire(request.constraints),
        ...storageToWire(request),
        ...(placement.length > 0 ? { placement: placement.map((one) => inModel(one, modelUuid)) } : {}),
        ...(Object.keys(bindings).length > 0 ? { 'endpoint-bindings': { ...bindings } } : {}),
        ...defined({ require: require.length > 0 ? [...require] : undefined }),
        ...(Object.keys(after).length > 0 ? { after: { ...after } } : {}),
        ...(Object.keys(resources).length > 0 ? { resources: { ...resources } } : {}),
        Force: request.force ?? false,
        ...defined({ 'reuse-machines': reuse }),
      },
    ],
  });
  return only(results);
}

/** Replaces the scope of a provider's own directive by the UUID of the model. */
export function inModel({ scope, directive }: Placement, modelUuid: string): Placement {
  return { scope: scope === ownModelScope ? modelUuid : scope, directive };
}

/** Returns the values of options as texts, the form that the API takes. */
export function optionTexts(values: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]));
}

/** Returns directives by storage; undefined when there are none. */
export function directivesToWire(storage: DeployRequest['storage'] = {}) {
  const directives = Object.entries(storage).map(([name, directive]) => [name, { ...directive }] as const);
  return directives.length > 0 ? Object.fromEntries(directives) : undefined;
}

function storageToWire({ storage, attachStorage = [] }: DeployRequest) {
  return {
    ...defined({ storage: directivesToWire(storage) }),
    ...(attachStorage.length > 0 && {
      'attach-storage': attachStorage.map((id) => formatTag({ kind: 'storage', id })),
    }),
  };
}
