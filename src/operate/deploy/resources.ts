/** Contents of resources that a client sends. */
import { call, errorOf } from '../../client/calls.ts';
import type { CharmMeta } from '../../core/charm/metadata.ts';
import { JujuError } from '../../core/errors.ts';
import { applicationTag } from '../../wire/tags.ts';
import { working, type Operator } from '../operator.ts';
import type { ModelSession } from '../sessions.ts';

/** Content that the client has for a resource: a file on disk, or in a browser. */
export interface ResourceSource {
  readonly name: string;
  readonly bytes: number;
  /** SHA-384 in hex. */
  fingerprint(): Promise<string>;
  /** Sends the content. Errors: the controller's. */
  send(operator: Operator, session: ModelSession, target: ResourceTarget): Promise<void>;
}

interface ResourceTarget {
  readonly application: string;
  /** Id of an announced resource; absent: the application's own. */
  readonly pendingId?: string;
}

/** Refuses names that the charm does not declare. Errors: `not valid`. */
export function checkResourceNames(meta: Pick<CharmMeta, 'resources'>, names: Iterable<string>): void {
  for (const name of names)
    if (!Object.hasOwn(meta.resources, name))
      throw new JujuError('not valid', `unrecognized resource "${name}"`);
}

/**
 * Announces each resource and sends its content. Returns the pending ids by name, which a deploy or refresh takes.
 * Errors: the controller's.
 */
export async function sendResources(
  operator: Operator,
  session: ModelSession,
  {
    application,
    charmUrl,
    resources,
  }: {
    readonly application: string;
    readonly charmUrl: string;
    readonly resources: readonly ResourceSource[];
  },
): Promise<Record<string, string>> {
  const pendingIds: Record<string, string> = {};
  for (const resource of resources) {
    const { name, bytes } = resource;
    const fingerprint = base64OfHex(await resource.fingerprint());
    const announced = await call(session.connection, 'Resources', 'AddPendingResources', {
      tag: applicationTag(application),
      url: charmUrl,
      resources: [{ name, type: 'file', path: '', origin: 'upload', revision: 0, fingerprint, size: bytes }],
    });
    if (announced.error) throw errorOf(announced.error);
    const pendingId = announced['pending-ids'][0] ?? '';
    await send(operator, session, resource, { application, pendingId });
    pendingIds[name] = pendingId;
  }
  return pendingIds;
}

/** Gives an application's resource another content. Errors: the controller's. */
export async function attachResource(
  operator: Operator,
  session: ModelSession,
  application: string,
  resource: ResourceSource,
): Promise<void> {
  await send(operator, session, resource, { application });
}

/** A fingerprint in the form of the API. */
export function base64OfHex(hex: string): string {
  const bytes = hex.match(/../g)?.map((digits) => Number.parseInt(digits, 16)) ?? [];
  return btoa(String.fromCharCode(...bytes));
}

async function send(
  operator: Operator,
  session: ModelSession,
  resource: ResourceSource,
  target: ResourceTarget,
): Promise<void> {
  const { name, bytes } = resource;
  await working(
    operator,
    { kind: 'uploading resource', resource: name, bytes },
    resource.send(operator, session, target),
  );
}
