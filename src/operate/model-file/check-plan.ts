/** Checks of a plan against what only the controller knows: what it would refuse is refused before the first change. */
import { allOk, call } from '../../client/calls.ts';
import { spacesNamed, type NamedSpace } from '../../core/bundle/spaces-named.ts';
import { JujuError, notValid } from '../../core/errors.ts';
import { containersInSpaces } from '../../core/model-file/container-spaces.ts';
import { gateCircles } from '../../core/model-file/gate-circles.ts';
import type { ModelFile } from '../../core/model-file/model-file.ts';
import type { LiveModel, ModelPlan } from '../../core/model-file/plan.ts';
import type { ModelStep } from '../../core/model-file/step.ts';
import { userTag } from '../../wire/tags.ts';
import { checkConstraints, type PlanMeans } from '../bundle/bundle-parts.ts';
import { checkPools } from '../bundle/bundle-pools.ts';
import { checkSpaces, spaceNames } from '../bundle/bundle-spaces.ts';
import type { Operator } from '../operator.ts';
import type { ModelSession } from '../sessions.ts';

interface Deploy extends Pick<PlanMeans, 'session' | 'openController'> {
  readonly file: ModelFile;
  /** Set when the file is the model as it was. */
  readonly revert?: unknown;
}

interface Planned {
  readonly plan: Pick<ModelPlan, 'steps' | 'bundle'>;
  readonly live: LiveModel;
}

/** Refuses a plan that could not be carried out to its end. Errors: JujuError that names what is wrong of the file. */
export async function checkPlan(
  operator: Operator,
  deploy: Deploy,
  { plan: { steps, bundle }, live }: Planned,
): Promise<void> {
  const { session, file, revert } = deploy;
  checkGates(live, steps);
  checkSecrets(steps);
  if (!revert) checkOwnAccess(session, steps);
  await checkUsers(session, steps);
  await checkConstraints(operator, session, steps);
  await checkSpaces(session, [...spacesNamed(bundle.steps), ...spaceOfSettings(steps)]);
  await checkContainers(session, steps, { file, live });
  await checkProviders(session, steps);
  await checkPools(session, bundle.steps, Object.keys(file.storagePools));
  await checkBackend(deploy, steps);
}

function checkGates({ bundle }: LiveModel, steps: readonly ModelStep[]): void {
  const problems = gateCircles(bundle, steps);
  if (problems.length > 0) throw notValid(problems.join('; '));
}

function checkSecrets(steps: readonly ModelStep[]): void {
  for (const step of steps)
    if (step.kind === 'set-secret' && !step.changes && !step.content)
      throw notValid(
        `secret "${step.secret}": it is not in the model, and the file says no content: give secrets.${step.secret}.content`,
      );
}

/** Whoever loses admin access in the middle of an apply could neither end it nor run it again. */
function checkOwnAccess({ connection }: ModelSession, steps: readonly ModelStep[]): void {
  const { user } = connection.login;
  if (user?.controllerAccess === 'superuser') return;
  for (const step of steps) {
    const lowers =
      step.kind === 'remove-access' ||
      (step.kind === 'set-access' && step.was === 'admin' && step.access !== 'admin');
    if (lowers && userTag(step.user) === user?.identity)
      throw notValid(
        `access: the file would take admin access from ${step.user}, who applies it and could not run it again: ` +
          'leave the user out of the file, or have another admin apply it',
      );
  }
}

function spaceOfSettings(steps: readonly ModelStep[]): NamedSpace[] {
  return steps.flatMap((step) => {
    const space = step.kind === 'set-settings' ? step.values['default-space'] : undefined;
    return typeof space === 'string' && space !== '' ? [{ where: 'settings.default-space', space }] : [];
  });
}

/** Checks new pools. Each storage provider is a pool of its own name in the model. Errors: `not found`, `already exists`. */
async function checkProviders({ connection }: ModelSession, steps: readonly ModelStep[]): Promise<void> {
  const made = steps.flatMap((step) => (step.kind === 'set-pool' && !step.changes ? [step] : []));
  if (made.length === 0) return;
  const { results } = await call(connection, 'Storage', 'ListPools', { filters: [{}] });
  allOk(results, () => 'storage pools');
  const pools = results.flatMap((one) => one['storage-pools'] ?? []);
  const providers = pools.filter(({ name, provider }) => name === provider).map(({ name }) => name);
  for (const { pool, provider } of made) {
    if (!providers.includes(provider))
      throw new JujuError(
        'not found',
        `storage-pools.${pool}.provider: storage provider "${provider}" not found; there are ${providers.sort().join(', ')}`,
      );
    if (providers.includes(pool))
      throw new JujuError(
        'already exists',
        `storage-pools.${pool}: the name is that of a storage provider, whose pool is there already: choose another`,
      );
  }
}

/** Checks that the controller has the secret backend that the settings choose. Errors: `not found`. */
async function checkBackend({ session, openController }: Deploy, steps: readonly ModelStep[]): Promise<void> {
  for (const step of steps) {
    const name = step.kind === 'set-settings' ? step.values['secret-backend'] : undefined;
    if (typeof name !== 'string' || ['', 'auto', 'internal'].includes(name)) continue;
    const { connection } = await openController(session.controller);
    const { results } = await call(connection, 'SecretBackends', 'ListSecretBackends', { names: [name] });
    const [failed] = results.flatMap(({ error }) => error ?? []);
    if (failed) throw new JujuError('not found', `settings.secret-backend: ${failed.message}`);
  }
}

/**
 * Checks that the users are there to whom the steps give access. Only admins of the model can give it, and know.
 * Errors: `user not found`, with all of them.
 */
async function checkUsers({ connection }: ModelSession, steps: readonly ModelStep[]): Promise<void> {
  const given = steps.flatMap((step): [string, string][] => {
    if (step.kind === 'set-access') return [[step.user, 'access']];
    return step.kind === 'grant' ? [[step.user, `access to offer "${step.offer}"`]] : [];
  });
  if (given.length === 0) return;
  const users = [...new Set(given.map(([user]) => user))];
  const unknown = new Set((await call(connection, 'ModelFiles', 'UnknownUsers', { users })).users);
  const problems = given.flatMap(([user, what]) =>
    unknown.has(user) ? [`${what}: user "${user}" not found`] : [],
  );
  if (problems.length > 0) throw new JujuError('user not found', problems.join('; '));
}

/** Refuses containers that no host could start. Errors: `not supported`, with all applications that have such. */
async function checkContainers(
  { connection }: ModelSession,
  steps: readonly ModelStep[],
  models: { readonly file: ModelFile; readonly live: LiveModel },
): Promise<void> {
  if (containersInSpaces(steps, models, () => true).length === 0) return;
  const spaces = await spaceNames({ connection });
  const problems = containersInSpaces(steps, models, (name) => spaces.has(name));
  if (problems.length > 0) throw new JujuError('not supported', problems.join('; '));
}
