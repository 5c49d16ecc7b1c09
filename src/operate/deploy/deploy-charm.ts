/** Deploy of one charm: checked against its own files, then against the model, and sent only after that. */
import { call } from '../../client/calls.ts';
import { checkDeploy, type DeployRequest } from '../../core/application/check-deploy.ts';
import { checkAfter } from '../../core/gates/gate.ts';
import type { Base } from '../../core/base.ts';
import {
  requireModes,
  requirementsOf,
  withoutImplied,
  type Missing,
} from '../../core/requirements/requirement.ts';
import { checkedConstraints } from '../constraints.ts';
import type { Operator } from '../operator.ts';
import type { ModelSession } from '../sessions.ts';
import { callDeploy, inModel, type DeployResult } from './call-deploy.ts';
import type { DeploySource } from './charm-source.ts';
import { sendResources, type ResourceSource } from './resources.ts';
import { baseOf, refuseByModel } from './refuse-by-model.ts';

export type DeployEvent =
  | { readonly kind: 'charm located'; readonly charm: string; readonly revision: number }
  /** The upload is complete: the model has the charm. */
  | {
      readonly kind: 'deploying';
      readonly application: string;
      readonly charm: string;
      readonly charmUrl: string;
      /** The base that was asked for, else the one that the controller will choose. */
      readonly base: Base;
    };

interface CharmDeploy {
  readonly source: DeploySource;
  readonly request: DeployRequest;
  /** Contents of the charm's resources. */
  readonly resources?: readonly ResourceSource[];
  /** Opens the session; called after the checks that need only the charm's files. */
  readonly open: () => Promise<ModelSession>;
}

/**
 * Deploys a charm. Errors: those of checkDeploy, checkedConstraints and refuseByModel, before anything is sent; the
 * controller's.
 */
export async function deployCharm(
  operator: Operator<DeployEvent>,
  deploy: CharmDeploy,
): Promise<DeployResult & { readonly charmUrl: string }> {
  const { source, request, resources = [] } = deploy;
  const { session, base } = await checkedSession(operator, deploy);
  const charmUrl = await source.upload(operator, session);
  operator.report({
    kind: 'deploying',
    application: request.name,
    charm: source.charm.meta.name,
    charmUrl,
    base,
  });
  const pending = await sendResources(operator, session, { application: request.name, charmUrl, resources });
  return { ...(await callDeploy(operator, session, request, charmUrl, pending)), charmUrl };
}

/**
 * Returns the requirements that the application would wait for. A new application has no relations, so these are all of
 * its requirements, and all of its gates. Errors: those of deployCharm before anything is sent.
 */
export async function planCharm(
  operator: Operator<DeployEvent>,
  deploy: CharmDeploy,
): Promise<readonly Missing[]> {
  const { connection } = (await checkedSession(operator, deploy)).session;
  const { name, require = [], after = {} } = deploy.request;
  const gates = Object.entries(checkAfter(name, after)).map(([application, health]) => ({
    ...noEndpoint,
    applications: [application],
    health,
  }));
  const { config } = await call(connection, 'ModelConfig', 'ModelGet', {});
  const mode = requireModes.find((one) => one === config['require-endpoints']?.value);
  // A controller without the setting requires nothing.
  if (!mode) return gates;
  const { meta } = deploy.source.charm;
  const relations = withoutImplied(requirementsOf(meta, require, mode)).map(
    ({ endpoint, interface: interfaceName }) => ({ endpoint, interface: interfaceName, applications: [] }),
  );
  return [...relations, ...gates];
}

const noEndpoint = { endpoint: '', interface: '' };

/** Opens a session, and makes all checks that the controller would make too. `base`: of the application's machines. */
async function checkedSession(
  operator: Operator<DeployEvent>,
  { source: { charm, revision }, request, open }: CharmDeploy,
): Promise<{ readonly session: ModelSession; readonly base: Base }> {
  checkDeploy(request, charm);
  const session = await open();
  operator.report({ kind: 'charm located', charm: charm.meta.name, revision });
  const { connection, modelUuid } = session;
  const base = await baseOf(connection, request, charm);
  const { numUnits: count, constraints } = request;
  const placement = request.placement.map((one) => inModel(one, modelUuid));
  const machines = charm.meta.subordinate ? undefined : { base, placement, count };
  await checkedConstraints(operator, connection, constraints, machines);
  await refuseByModel(connection, request, base);
  return { session, base };
}
