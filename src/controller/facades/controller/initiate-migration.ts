import { defined } from '../../../core/defined.ts';
import { JujuError } from '../../../core/errors.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import type { Target } from '../../../core/migration/document.ts';
import { migrationId } from '../../../core/migration/phases.ts';
import { precheck } from '../../../core/migration/precheck.ts';
import { parseJson } from '../../../core/parse-json.ts';
import { timeLimit } from '../../../kit/clock.ts';
import type { controller as spec } from '../../../wire/facades/controller.ts';
import { parseTagOf } from '../../../wire/tags.ts';
import type { Call, ParamsOf, ResultOf } from '../../facade.ts';
import { describeLeaving } from '../../migration/export-model.ts';
import { MigrationTarget } from '../../migration/target.ts';
import { checkAlias, checkWays } from '../../other-controllers.ts';
import { beginMigration, nextAttempt, refuseActive } from '../../transactions/begin/begin-migration.ts';
import { bulk } from '../shared/bulk.ts';
import { modelOfTag } from '../shared/model-access.ts';

type Params = ParamsOf<typeof spec, 'InitiateMigration'>;
type Spec = Params['specs'][number];

/** Time for the target's checks. */
const checkMs = 30_000;

/** Checks each model on both sides, and begins its migration, which the migration master carries on. */
export async function initiateMigration(
  call: Call,
  params: Params,
): Promise<ResultOf<typeof spec, 'InitiateMigration'>> {
  for (const { 'model-tag': tag } of params.specs) parseTagOf('model', tag);
  const results = await bulk(call, params.specs, (one) => initiate(call, one, params['dry-run'] ?? false));
  return {
    results: results.map((result, n) => ({
      'model-tag': params.specs[n]?.['model-tag'] ?? '',
      'migration-id': '',
      ...result,
    })),
  };
}

async function initiate(
  call: Call,
  { 'model-tag': tag, 'target-info': info }: Spec,
  isDryRun: boolean,
): Promise<{ 'migration-id': string }> {
  const { uuid } = modelOfTag(call, tag, 'admin');
  const target = targetOf(call, info);
  checkHere(call, uuid);
  await checkThere(call, uuid, target);
  if (isDryRun) return { 'migration-id': '' };
  const doc = await call.store.change((tx) => beginMigration(tx.in(''), uuid, target), call.by);
  return { 'migration-id': migrationId(doc) };
}

function targetOf(call: Call, info: Spec['target-info']): Target {
  const { addrs: addresses, 'ca-cert': caCert, 'auth-tag': user, password = '', macaroons = '' } = info;
  const alias = info['controller-alias'] ?? '';
  checkAlias(alias);
  const uuid = parseTagOf('controller', info['controller-tag']);
  parseTagOf('user', user);
  checkWays({ addresses, caCert });
  if (uuid === call.read().in('').get('controller', 'self')?.uuid)
    throw new JujuError('', 'the model is in the target controller already');
  if (password === '' && macaroons === '')
    throw new JujuError('not valid', 'a password or macaroons of the target controller are needed');
  checkLimit(limits.password, password.length);
  checkLimit(limits.macaroonBytes, macaroons.length);
  if (password === '') checkMacaroons(macaroons);
  return {
    uuid,
    alias,
    addresses,
    caCert,
    user,
    secret: call.services.sealer.seal(password === '' ? macaroons : password),
    ...defined({
      isMacaroons: password === '' ? (true as const) : undefined,
      skipUserChecks: info['skip-user-checks'] === true ? (true as const) : undefined,
    }),
  };
}

function checkMacaroons(text: string): void {
  try {
    if (Array.isArray(parseJson(text))) return;
  } catch (cause) {
    throw new JujuError('not valid', 'macaroons of the target controller are no JSON', { cause });
  }
  throw new JujuError('not valid', 'macaroons of the target controller are no list');
}

function checkHere(call: Call, uuid: string): void {
  const { presence } = call.services;
  const root = call.read().in('');
  refuseActive(root.get('migration', uuid));
  const holder = call.connection.applier.holderOf(uuid);
  if (holder) throw new JujuError('', `user ${holder.user} is applying a model file to the model`);
  const model = root.get('model', uuid);
  const problem =
    model &&
    precheck(root.in(uuid), {
      model,
      isControllers: root.get('controller', 'self')?.modelUuid === uuid,
      isPresent: (machine) => presence.isPresent(uuid, machine),
    });
  if (problem !== undefined) throw new JujuError('', problem);
}

async function checkThere(call: Call, uuid: string, target: Target): Promise<void> {
  const attempt = nextAttempt(call.read().in(''), uuid);
  const limit = timeLimit(call.services.clock, checkMs);
  const connection = new MigrationTarget(call.services, target, limit.signal);
  try {
    await connection.call('Prechecks', describeLeaving(call, { model: uuid, attempt, target }));
  } catch (error) {
    if (!limit.signal.aborted) throw error;
    const message = `the target controller has not answered within ${checkMs / 1000} s`;
    throw new JujuError('try again', message, { cause: error });
  } finally {
    await connection.close();
    limit.done();
  }
}
