/** Resources as `resources` and `charm-resources` print them. */
import type { ResultOf } from '../../client/calls.ts';
import { defined } from '../../core/defined.ts';

type Listed = ResultOf<'Resources', 'ListResources'>['results'][number];
export type Resource = Listed['resources'][number];
type CharmResource = Listed['charm-store-resources'][number];

/** Whether bytes were ever stored for the resource. */
export function isUsed({ timestamp }: Pick<Resource, 'timestamp'>): boolean {
  return !timestamp.startsWith('0001-');
}

/** Describes a resource of an application or unit, with its members in Juju's order. */
export function resourceView(resource: Resource, revision = String(resource.revision)) {
  const { id, application, name, type, path, description, size, origin, username, timestamp } = resource;
  return {
    resourceid: id,
    applicationId: application,
    name,
    type,
    path,
    ...defined({ description }),
    revision,
    fingerprint: hexOf(resource.fingerprint),
    size,
    origin,
    used: isUsed(resource),
    timestamp,
    ...defined({ username: username || undefined }),
  };
}

/** Describes a resource of a charm. */
export function charmResourceView({
  name,
  type,
  path,
  description,
  revision,
  fingerprint,
  size,
  origin,
}: CharmResource) {
  return {
    name,
    type,
    path,
    ...defined({ description: description || undefined }),
    ...defined({ revision: origin === 'store' ? revision : undefined }),
    fingerprint: hexOf(fingerprint),
    size,
    origin,
  };
}

/** Returns a store's revision, the minute of an upload, or `-`. */
export function revisionOf(resource: Resource): string {
  if (resource.origin === 'store') return String(resource.revision);
  return isUsed(resource) ? resource.timestamp.slice(0, 16) : '-';
}

/** Returns the user who uploaded the resource, or its origin. */
export function supplierOf({ origin, username }: Resource): string {
  return origin === 'store' ? 'charmstore' : username || 'upload';
}

function hexOf(fingerprint: string | null): string {
  return fingerprint === null ? '' : Buffer.from(fingerprint, 'base64').toString('hex');
}
