/** A revert: the model as it was is read as a file, and planned for the model as it is. */
import { defined } from '../../core/defined.ts';
import type { Bundle } from '../../core/bundle/bundle.ts';
import type { BundleModel } from '../../core/bundle/bundle-model.ts';
import { hasCode } from '../../core/errors.ts';
import { planRevert } from '../../core/model-file/revert/plan-revert.ts';
import { revertFile, saasOf } from '../../core/model-file/revert/revert-file.ts';
import type { RollingRequest } from '../../core/rollout/rollout.ts';
import { withWholeUrls } from '../bundle/bundle-offers.ts';
import { offerToConsume } from '../offers.ts';
import type { Operator } from '../operator.ts';
import type { ModelSession, OpenController } from '../sessions.ts';
import { checkReplace, modelName, prepareWith, type PreparedModel } from './prepare-model.ts';
import { readLive } from './read-live.ts';
import { readPast, type Moment } from './read-past.ts';

interface RevertRequest {
  readonly session: ModelSession;
  readonly openController: OpenController;
  readonly moment: Moment;
  /** The applications that are reverted; absent = everything. */
  readonly only?: readonly string[];
  /** How units take the charm of then; absent = all at once. */
  readonly rolling?: RollingRequest;
  readonly force: boolean;
  /** As of ModelDeploy. */
  readonly replace: readonly string[];
}

/**
 * Plans the return of the model to what it was. Errors: those of readPast and revertFile; `not found`: an application
 * or offer that is to be replaced and was not there; as of prepareModel.
 */
export async function prepareRevert(operator: Operator, request: RevertRequest): Promise<PreparedModel> {
  const { session, openController, moment, only, rolling, force, replace } = request;
  const name = modelName(session.model);
  const read = await readLive({ session, openController }, name);
  const { past, charms, contents } = await readPast(session, moment);
  const { user } = session;
  const lostOffers = await offersLost(request, past.live.bundle.state, read.live.bundle);
  const { file, owned, left } = revertFile({
    past,
    live: read.live,
    user,
    lostOffers,
    ...defined({ only, rolling }),
  });
  checkReplace(replace, file.bundle, `was not there at revision ${past.revision}`);
  const { revision, time } = past;
  const deploy = {
    session,
    openController,
    file: { ...file, bundle: withWholeUrls(file.bundle, session) },
    // Any checksum is another one than that of a content which was not asked for.
    secrets: only
      ? {}
      : Object.fromEntries(
          Object.entries(contents).map(([secret, content]) => [secret, { content, checksum: 'then' }]),
        ),
    map: { existing: true, pairs: {} },
    readCharm: noFiles,
    readResource: noFiles,
    pastCharms: new Map([...charms].filter(([url]) => past.charms.get(url) !== 'gone')),
    force,
    prune: true,
    replace,
    revert: { revision, time, left, ...defined({ only }) },
  };
  const live = { ...read.live, owned };
  return prepareWith(operator, deploy, { live, revision: read.revision, name }, (toPlan) =>
    planRevert(toPlan, past),
  );
}

/**
 * Consumed applications of then that the revert may consume again and whose offers are gone, or are not for the user
 * any more → why.
 */
async function offersLost(
  { session, openController, only }: RevertRequest,
  then: Bundle,
  { saas: known }: Pick<BundleModel, 'saas'>,
): Promise<Map<string, string>> {
  const lost = new Map<string, string>();
  const wanted = only ? { ...then, saas: saasOf(then, (name) => only.includes(name)) } : then;
  for (const [name, { url }] of Object.entries(withWholeUrls(wanted, session).saas ?? {})) {
    if (Object.hasOwn(known, name)) continue;
    try {
      await offerToConsume(openController, session, url);
    } catch (error) {
      if (!hasCode(error, 'not found') && !hasCode(error, 'unauthorized access')) throw error;
      lost.set(name, error.message);
    }
  }
  return lost;
}

/** The file of a revert names charms of the model, and no files. */
function noFiles(path: string): never {
  throw new Error(`a model of the past names the file ${path}`);
}
