import { credentialTag, userTag } from '../../wire/tags.ts';
import { call, errorOf, only, type ResultOf } from '../../client/calls.ts';
import type { ControllerSession } from '../../operate/sessions.ts';
import type { CommandContext } from '../context.ts';
import { Exit } from '../errors.ts';
import type { ClientCloud, NamedCredential } from './cloud.ts';
import { fromWire } from './entries.ts';

/** Returns the controller's clouds by name. */
export async function controllerClouds(
  session: ControllerSession,
): Promise<ReadonlyMap<string, ReturnType<typeof fromWire>>> {
  const { clouds } = await call(session.connection, 'Cloud', 'Clouds', {});
  return new Map(
    Object.entries(clouds)
      .map(([tag, cloud]) => [tag.replace(/^cloud-/, ''), fromWire(cloud)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Returns the names of the user's credentials for a cloud that the controller has. */
export async function userCredentials(session: ControllerSession, cloud: string): Promise<string[]> {
  const { results } = await call(session.connection, 'Cloud', 'UserCredentials', {
    'user-clouds': [{ 'user-tag': userTag(session.user), 'cloud-tag': `cloud-${cloud}` }],
  });
  const prefix = credentialTag(cloud, session.user, '');
  return (only(results).result ?? []).map((tag) => tag.slice(prefix.length));
}

type Update = ResultOf<'Cloud', 'UpdateCredentialsCheckModels'>['results'][number];

/**
 * Uploads the user's credentials and prints the results. Errors: Exit 1 when one is refused, after the message was
 * printed.
 */
export async function uploadCredentials(
  context: CommandContext,
  session: ControllerSession,
  cloud: Pick<ClientCloud, 'name'>,
  credentials: readonly NamedCredential[],
  {
    verb,
    force = false,
    message = (subject, name) =>
      `${subject} ${verb}.\nFor more information, see 'grigri show-credential ${cloud.name} ${name}'.`,
  }: {
    verb: 'added' | 'updated' | 'loaded';
    force?: boolean;
    /** Message for a credential that was accepted. */
    message?: (subject: string, name: string) => string;
  },
): Promise<void> {
  const { results } = await call(session.connection, 'Cloud', 'UpdateCredentialsCheckModels', {
    force,
    credentials: credentials.map(({ name, authType, attributes }) => ({
      tag: credentialTag(cloud.name, session.user, name),
      credential: { 'auth-type': authType, attrs: { ...attributes } },
    })),
  });
  let areAllAccepted = true;
  for (const [i, result] of results.entries()) {
    const { name } = credentials[i]!;
    const subject = `Controller credential "${name}" for user "${session.user}" for cloud "${cloud.name}" on controller "${session.controller}"`;
    const isInvalid = printModels(context, result, force);
    if (result.error || isInvalid) areAllAccepted = false;
    if (result.error) {
      if (!isInvalid || force)
        context.io.stderr.write(`ERROR ${subject} not ${verb}: ${errorOf(result.error).message}\n`);
      continue;
    }
    context.info(message(subject, name));
  }
  if (!areAllAccepted) throw new Exit(1);
}

/** Prints which models the credential is valid for. Returns true when it is invalid for one. */
function printModels(context: CommandContext, { models = [] }: Update, force: boolean): boolean {
  const invalid = models.filter((model) => model.errors?.some((one) => one.error));
  if (invalid.length === 0) return false;
  const valid = models.filter((model) => !invalid.includes(model));
  if (valid.length > 0)
    context.info(`Credential valid for:\n${valid.map(({ name }) => `  ${name}`).join('\n')}`);
  const lines = invalid.flatMap(({ name, errors = [] }) => [
    `  ${name}:`,
    ...errors.flatMap(({ error }) => (error ? [`    ${error.message}`] : [])),
  ]);
  const hint = force ? '' : ' before repeating this update';
  context.info(
    `Credential invalid for:\n${lines.join('\n')}\nFailed models may require a different credential.\nUse 'grigri set-credential' to change credential for these models${hint}.`,
  );
  return true;
}
