/** Execution of a model file's steps: those of its bundle as a bundle's, and the others here. */
import { allOk, call, only } from '../../client/calls.ts';
import { ladders, reaches } from '../../core/access/levels.ts';
import type { BundleStep } from '../../core/bundle/step.ts';
import type { Constraints } from '../../core/constraints.ts';
import { defined } from '../../core/defined.ts';
import { hasCode, JujuError } from '../../core/errors.ts';
import type { ModelStep, SetAccessStep, SetSecretStep } from '../../core/model-file/step.ts';
import { applicationTag, machineTag, modelTag, userTag } from '../../wire/tags.ts';
import type { BundleRun } from '../bundle/carry-out.ts';
import { constraintsToWire } from '../constraints.ts';
import type { Operator } from '../operator.ts';
import { removeRelation } from '../remove/relation.ts';
import { remove, type Removal } from '../remove/removal.ts';
import type { ControllerSession, ModelSession } from '../sessions.ts';
import { poll, type WaitEvent } from '../wait/poll.ts';
import type { SecretValue } from './prepare-model.ts';

interface ModelWork {
  readonly operator: Operator<WaitEvent<RemovalState>>;
  readonly session: ModelSession;
  /** Opens the model's controller, where offers and access are changed. */
  readonly controller: () => Promise<ControllerSession>;
  readonly bundle: BundleRun;
  readonly secrets: Readonly<Record<string, SecretValue>>;
}

/** What has to be gone before the next step. */
export interface RemovalState {
  readonly waitsFor: string;
}

/** Carries out a step, or a group of `count` steps that begins with it. Errors: the controller's. */
export function carryOutStep(work: ModelWork, step: ModelStep, count: number): Promise<void> {
  if (!isOwn(step)) return work.bundle.do(step, count);
  return (table[step.kind] as (work: ModelWork, step: ModelStep) => Promise<void>)(work, step);
}

/** Steps that bundles do not have. */
type OwnStep = Exclude<ModelStep, BundleStep>;

function isOwn(step: ModelStep): step is OwnStep {
  return Object.hasOwn(table, step.kind);
}

const table: {
  readonly [K in OwnStep['kind']]: (work: ModelWork, step: Extract<OwnStep, { kind: K }>) => Promise<void>;
} = {
  'set-settings': async ({ session }, { values }) => {
    await call(session.connection, 'ModelConfig', 'ModelSet', { config: { ...values } });
  },
  'reset-settings': async ({ session }, { names }) => {
    await call(session.connection, 'ModelConfig', 'ModelUnset', { keys: [...names] });
  },
  'set-model-constraints': ({ session }, { constraints }) => setModelConstraints(session, constraints),
  'reset-model-constraints': ({ session }) => setModelConstraints(session, {}),
  'set-access': setAccess,
  'remove-access': (work, { user }) => changeAccess(work, user, 'revoke', 'read'),
  'set-pool': async ({ session }, { pool, provider, attributes, changes }) => {
    const pools = [{ name: pool, provider, attrs: { ...attributes } }];
    const method = changes ? 'UpdatePool' : 'CreatePool';
    only((await call(session.connection, 'Storage', method, { pools })).results);
  },
  'remove-pool': async ({ session }, { pool }) => {
    only((await call(session.connection, 'Storage', 'RemovePool', { pools: [{ name: pool }] })).results);
  },
  'set-secret': setSecret,
  'remove-secret': async ({ session }, { secret }) => {
    const args = [{ uri: '', label: secret }];
    only((await call(session.connection, 'Secrets', 'RemoveSecrets', { args })).results);
  },
  'grant-secret': (work, step) => changeGrant(work, 'GrantSecret', step),
  'revoke-secret': (work, step) => changeGrant(work, 'RevokeSecret', step),
  'restore-charm': async ({ session }, { url, revision }) => {
    await call(session.connection, 'ModelFiles', 'RestoreCharm', { url, revision });
  },
  'restore-resource': async ({ session }, { application, resource, revision }) => {
    await call(session.connection, 'ModelFiles', 'RestoreResource', { application, resource, revision });
  },
  'remove-offer': async ({ session, controller }, { offer, replaced }) => {
    const { connection } = await controller();
    const urls = { 'offer-urls': [`${session.model}.${offer}`] };
    const args = { ...urls, ...defined({ force: replaced === undefined ? undefined : true }) };
    only((await call(connection, 'ApplicationOffers', 'DestroyOffers', args)).results);
  },
  'revoke-offer': async ({ session, controller }, { offer, user, to }) => {
    const { connection } = await controller();
    const access = to === undefined ? ladders.offer[0] : (above(ladders.offer, to) ?? to);
    const change = { 'user-tag': userTag(user), action: 'revoke', access };
    const changes = [{ ...change, 'offer-url': `${session.model}.${offer}` }];
    only((await call(connection, 'ApplicationOffers', 'ModifyOfferAccess', { changes })).results);
  },
  'remove-saas': async ({ session }, { saas }) => {
    const applications = [{ 'application-tag': applicationTag(saas) }];
    only(
      (await call(session.connection, 'Application', 'DestroyConsumedApplications', { applications }))
        .results,
    );
  },
  'remove-relation': async ({ session }, { endpoints }) => {
    await removeRelation(session, { relation: endpoints, force: false });
  },
  'remove-application': async (work, { application, replaced }) => {
    await removeAll(work.session, 'application', [application]);
    if (replaced !== undefined) await untilGone(work, application);
  },
  'remove-units': ({ session }, { units }) => removeAll(session, 'unit', units),
  'remove-machine': removeMachine,
  'set-base': async ({ session }, { application, base }) => {
    const args = [{ tag: { tag: applicationTag(application) }, force: false, channel: base.channel }];
    only((await call(session.connection, 'Application', 'UpdateApplicationBase', { args })).results);
  },
  'reset-options': async ({ session }, { application, options }) => {
    const Args = [{ application, branch: '', options: [...options] }];
    only((await call(session.connection, 'Application', 'UnsetApplicationsConfig', { Args })).results);
  },
  'reset-constraints': async ({ session }, { application }) => {
    await call(session.connection, 'Application', 'SetConstraints', { application, constraints: {} });
  },
  'reset-after': ({ bundle }, { application }) => bundle.do({ kind: 'set-after', application, after: {} }, 1),
  'reset-bindings': ({ bundle }, { application, bindings }) =>
    bundle.do({ kind: 'bind', application, bindings }, 1),
  'reset-annotations': async ({ session }, { on, keys }) => {
    const entity = 'application' in on ? applicationTag(on.application) : machineTag(on.machine);
    const annotations = Object.fromEntries(keys.map((key) => [key, '']));
    const { results } = await call(session.connection, 'Annotations', 'Set', {
      annotations: [{ entity, annotations }],
    });
    allOk(results, () => entity);
  },
  'reset-description': async ({ session }, { secret }) => {
    const args = [{ uri: '', 'existing-label': secret, description: '' }];
    only((await call(session.connection, 'Secrets', 'UpdateSecrets', { args })).results);
  },
  unexpose: async ({ session }, { application, endpoints = [] }) => {
    const closed = { application, 'exposed-endpoints': [...endpoints] };
    await call(session.connection, 'Application', 'Unexpose', closed);
  },
};

async function setModelConstraints({ connection }: ModelSession, wanted: Constraints): Promise<void> {
  const constraints = constraintsToWire(wanted);
  await call(connection, 'ModelConfig', 'SetModelConstraints', { application: '', constraints });
}

async function changeGrant(
  { session }: ModelWork,
  method: 'GrantSecret' | 'RevokeSecret',
  { secret, application }: { readonly secret: string; readonly application: string },
): Promise<void> {
  const args = { uri: '', label: secret, applications: [application] };
  only((await call(session.connection, 'Secrets', method, args)).results);
}

/** Raises or lowers access: a revocation leaves the level below the one that it names. */
async function setAccess(work: ModelWork, { user, access, was }: SetAccessStep): Promise<void> {
  return was !== undefined && reaches('model', was, access)
    ? changeAccess(work, user, 'revoke', above(ladders.model, access) ?? access)
    : changeAccess(work, user, 'grant', access);
}

function above(ladder: readonly string[], level: string): string | undefined {
  return ladder[ladder.indexOf(level) + 1];
}

async function changeAccess(
  { controller, session }: ModelWork,
  user: string,
  action: 'grant' | 'revoke',
  access: string,
): Promise<void> {
  const change = { 'user-tag': userTag(user), action, access, 'model-tag': modelTag(session.modelUuid) };
  const { connection } = await controller();
  const { results } = await call(connection, 'ModelManager', 'ModifyModelAccess', { changes: [change] });
  only(results);
}

async function setSecret({ session, secrets }: ModelWork, step: SetSecretStep): Promise<void> {
  const { connection, modelUuid } = session;
  const { secret, changes, description, content } = step;
  const value = content ? secrets[secret] : undefined;
  const set = defined({ description, content: value && { data: { ...value.content } } });
  if (changes) {
    const args = [{ uri: '', 'existing-label': secret, ...set }];
    only((await call(connection, 'Secrets', 'UpdateSecrets', { args })).results);
    return;
  }
  const args = [{ 'owner-tag': modelTag(modelUuid), label: secret, ...set }];
  only((await call(connection, 'Secrets', 'CreateSecrets', { args })).results);
}

/** Removes the entities; one that is gone already is as good as removed. Errors: the controller's. */
async function removeAll(
  session: ModelSession,
  kind: Removal['kind'],
  names: readonly string[],
): Promise<void> {
  const results = await remove(session, { kind, names, force: false, noWait: false });
  const failed = results.map(({ error }) => (isGone(error) ? {} : { error }));
  allOk(failed, (n) => names[n]!);
}

function isGone(error: { readonly message: string; readonly code?: string } | undefined): boolean {
  return error?.code === 'not found';
}

/** Waits until the application is gone, as long as that takes. */
function untilGone({ operator, session }: ModelWork, application: string): Promise<void> {
  const entities = [{ tag: applicationTag(application) }];
  return poll<RemovalState>(operator, {
    timeoutMs: undefined,
    onTimeout: () => new JujuError('deadline exceeded', `application "${application}" is not gone`),
    async check() {
      const { results } = await call(session.connection, 'Application', 'ApplicationsInfo', { entities });
      try {
        only(results);
        return { waitsFor: `application ${application}` };
      } catch (error) {
        if (hasCode(error, 'not found')) return undefined;
        throw error;
      }
    },
  });
}

/** Removes a machine as soon as the units and containers are gone that earlier steps remove. */
function removeMachine(
  { operator, session }: ModelWork,
  { machine }: { readonly machine: string },
): Promise<void> {
  return poll<RemovalState>(operator, {
    timeoutMs: undefined,
    onTimeout: () => new JujuError('deadline exceeded', `machine ${machine} is not empty`),
    async check() {
      try {
        await removeAll(session, 'machine', [machine]);
        return undefined;
      } catch (error) {
        if (hasCode(error, 'machine has assigned units') || hasCode(error, 'machine is hosting containers'))
          return { waitsFor: `what is on machine ${machine}` };
        throw error;
      }
    },
  });
}
