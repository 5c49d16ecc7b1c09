import { allOk, call } from '../../client/calls.ts';
import { isLevel, ladders } from '../../core/access/levels.ts';
import { JujuError } from '../../core/errors.ts';
import { formatOfferUrl, isOfferUrl, parseOfferUrl } from '../../core/offer/url.ts';
import { ownUrl } from '../../operate/offers.ts';
import { chooseController, resolveModel } from '../../operate/sessions.ts';
import { cloudTag, modelTag, userTag } from '../../wire/tags.ts';
import type { CommandContext } from '../context.ts';
import { UsageError } from '../errors.ts';

type Action = 'grant' | 'revoke';

/** Grants or revokes access to models or to offers, or to the controller where none is named. */
export async function changeAccess(
  context: CommandContext,
  controller: string,
  action: Action,
  args: readonly string[],
): Promise<void> {
  const [user, access, ...models] = twoArgs(args);
  if (models.length === 0) return changeControllerAccess(context, controller, action, user, access);
  const offers = models.filter(isOfferUrl);
  if (offers.length > 0 && offers.length < models.length)
    throw new UsageError('either specify model names or offer URLs but not both');
  if (offers.length > 0) return changeOfferAccess(context, controller, { action, user, access, offers });
  if (!isLevel('model', access)) throw invalidLevel('model', access);
  const session = await context.openController(controller);
  const targets: string[] = [];
  for (const model of models)
    targets.push((await resolveModel(context.client, `${session.controller}:${model}`)).uuid);
  const { results } = await call(session.connection, 'ModelManager', 'ModifyModelAccess', {
    changes: targets.map((uuid) => ({
      'user-tag': userTag(user),
      action,
      access,
      'model-tag': modelTag(uuid),
    })),
  });
  allOk(results, (i) => models[i]!);
}

async function changeOfferAccess(
  context: CommandContext,
  controller: string,
  change: {
    readonly action: Action;
    readonly user: string;
    readonly access: string;
    readonly offers: readonly string[];
  },
): Promise<void> {
  const { action, user, access, offers } = change;
  if (!isLevel('offer', access)) throw invalidLevel('offer', access);
  const named = parseOfferUrl(offers[0]!).controller;
  const session = await context.openController(named || (await chooseController(context.client, controller)));
  const urls = offers.map((text) => formatOfferUrl(ownUrl(text, session)));
  const { results } = await call(session.connection, 'ApplicationOffers', 'ModifyOfferAccess', {
    changes: urls.map((url) => ({ 'user-tag': userTag(user), action, access, 'offer-url': url })),
  });
  allOk(results, (i) => urls[i]!);
}

async function changeControllerAccess(
  context: CommandContext,
  controller: string,
  action: Action,
  user: string,
  access: string,
): Promise<void> {
  if (!isLevel('controller', access)) {
    if (!isLevel('model', access)) throw invalidLevel('controller', access);
    throw new JujuError(
      'not valid',
      `"${access}" is an access to models: name one, or give one of ${ladders.controller.join(', ')} for the controller`,
    );
  }
  const { connection } = await context.openController(await chooseController(context.client, controller));
  const { results } = await call(connection, 'Controller', 'ModifyControllerAccess', {
    changes: [{ 'user-tag': userTag(user), action, access }],
  });
  allOk(results, () => user);
}

/** Grants or revokes access to clouds. */
export async function changeCloudAccess(
  context: CommandContext,
  controller: string,
  action: Action,
  args: readonly string[],
): Promise<void> {
  const [user, access, ...clouds] = twoArgs(args);
  if (clouds.length === 0) throw new UsageError('no cloud specified');
  if (!isLevel('cloud', access)) throw invalidLevel('cloud', access);
  const { connection } = await context.openController(controller);
  const { results } = await call(connection, 'Cloud', 'ModifyCloudAccess', {
    changes: clouds.map((cloud) => ({
      'user-tag': userTag(user),
      action,
      access,
      'cloud-tag': cloudTag(cloud),
    })),
  });
  allOk(results, (i) => clouds[i]!);
}

function twoArgs(args: readonly string[]): [user: string, access: string, ...objects: string[]] {
  const [user, access, ...objects] = args;
  if (user === undefined) throw new UsageError('no user specified');
  if (access === undefined) throw new UsageError('no permission level specified');
  return [user, access, ...objects];
}

function invalidLevel(kind: string, access: string): JujuError {
  return new JujuError('not valid', `"${access}" ${kind} access not valid`);
}
