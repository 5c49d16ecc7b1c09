import type { ControllerSession } from '../../operate/sessions.ts';
import type { CommandContext } from '../context.ts';
import { chooseRegion, cloudSpec } from './choose-cloud.ts';
import { chooseCredential, useCredential } from './choose-credential.ts';
import { findClientCloud, fromEntry } from './client-clouds.ts';
import { controllerClouds, uploadCredentials } from './upload-credentials.ts';

/**
 * Uploads a credential that only this client has: the named one, or the one that the client would choose. Returns its
 * name; undefined when there is none. Errors: those of chooseCredential; Exit, after the message was printed.
 */
export async function sendLocalCredential(
  context: CommandContext,
  session: ControllerSession,
  cloudName: string,
  name: string,
): Promise<string | undefined> {
  const providers = await context.io.providers();
  const remote = (await controllerClouds(session)).get(cloudName);
  const cloud =
    (await findClientCloud(context, cloudName)) ?? (remote && fromEntry(cloudName, remote, providers));
  const provider = cloud && providers.get(cloud.type);
  if (!cloud || !provider) return undefined;
  const chosen = await chooseCredential(context, cloud, provider, name);
  if (!chosen) return undefined;
  const spec = cloudSpec(cloud, chooseRegion(cloud, '', ''));
  const final = await useCredential(context, spec, provider, chosen);
  context.info(`Uploading credential '${cloudName}/${session.user}/${chosen.name}' to controller`);
  await uploadCredentials(context, session, { name: cloudName }, [final], { verb: 'added' });
  return chosen.name;
}
