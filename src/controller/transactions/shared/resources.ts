/** Changes of the resources of applications (resources.md). */
import type { ApplicationDoc } from '../../../core/application/document.ts';
import type { CharmDoc } from '../../../core/charm/document.ts';
import { defined } from '../../../core/defined.ts';
import { JujuError } from '../../../core/errors.ts';
import { checkLimit, limits } from '../../../core/limits.ts';
import { resourceId, type ResourceDoc } from '../../../core/resource/document.ts';
import {
  charmOfUnit,
  isHeld,
  nextModifiedVersion,
  refuseDuringRollout,
  type Follower,
  type Revision,
} from '../../../core/rollout/rollout.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import { declaredResource } from '../../../core/resource/shown.ts';
import { keepContent } from './past-blobs.ts';
import { aliveModel, mustGet, type Tx, type View } from '../tx.ts';

/** Content of a resource as it was received. */
type ResourceContent = Pick<ResourceDoc, 'fingerprint' | 'sha256' | 'size' | 'username'>;

/**
 * Announces resources for a deploy or a refresh of the application, which need not exist. Returns their pending ids.
 * Errors: `not found` (charm, resource); '' (dying model).
 */
export function announceResources(
  tx: Tx,
  args: { readonly application: string; readonly charmUrl: string; readonly names: readonly string[] },
): string[] {
  aliveModel(tx);
  const { meta } = mustGet(tx, 'charm', args.charmUrl);
  return args.names.map((name) => {
    declaredResource(meta.resources, name);
    const pendingId = tx.newUuid();
    const doc: ResourceDoc = {
      application: args.application,
      name,
      pendingId,
      charmUrl: args.charmUrl,
      origin: 'upload',
      revision: 0,
      fingerprint: '',
      sha256: '',
      size: 0,
      username: '',
      timestamp: tx.now,
    };
    tx.put('resource', resourceId(doc), doc);
    return pendingId;
  });
}

/** Target of an upload. */
export interface UploadTarget {
  readonly application: string;
  readonly name: string;
  readonly pendingId?: string;
}

/** Returns the declaration that an upload must fit. Errors: `not found` (application, charm, resource, pending id). */
export function uploadTarget(
  view: View,
  target: UploadTarget,
): { readonly charm: CharmDoc; readonly application?: ApplicationDoc; readonly doc?: ResourceDoc } {
  const id = resourceId(target);
  const doc = view.get('resource', id);
  if (target.pendingId !== undefined) {
    if (!doc)
      throw new JujuError(
        'not found',
        `pending resource "${target.application}/${target.name}" (${target.pendingId}) not found`,
      );
    const charm = mustGet(view, 'charm', doc.charmUrl ?? '');
    declaredResource(charm.meta.resources, target.name);
    return { charm, doc };
  }
  const application = mustGet(view, 'application', target.application);
  const charm = mustGet(view, 'charm', application.charmUrl);
  declaredResource(charm.meta.resources, target.name);
  return doc ? { charm, application, doc } : { charm, application };
}

/**
 * Gives the resource its content. Units of an application are told only when the content is a different one.
 * Errors: as uploadTarget; `quota limit exceeded` (all resources of the model); '' (dying model).
 */
export function setResourceContent(tx: Tx, target: UploadTarget, content: ResourceContent): ResourceDoc {
  aliveModel(tx);
  refuseUpload(tx, target);
  const { application, doc: before } = uploadTarget(tx, target);
  const doc: ResourceDoc = {
    ...(before ?? { application: target.application, name: target.name }),
    origin: 'upload',
    revision: 0,
    timestamp: tx.now,
    ...content,
  };
  checkModelResources(tx, content.size - (before?.size ?? 0));
  if (before) keepContent(tx, before, content);
  tx.put('resource', resourceId(doc), doc);
  if (application && before?.fingerprint !== content.fingerprint) touchApplication(tx, application);
  return doc;
}

/**
 * Takes announced resources for an application that is deployed or refreshed, by name. Returns the names of resources
 * with another content than before. Errors: `not found` (charm's resource, pending id).
 */
export function takeResources(
  tx: Tx,
  { application, charm }: { readonly application: string; readonly charm: Pick<CharmDoc, 'meta'> },
  pendingIds: Readonly<Record<string, string>>,
): string[] {
  const changed: string[] = [];
  for (const [name, pendingId] of Object.entries(pendingIds)) {
    declaredResource(charm.meta.resources, name);
    const { doc } = uploadTarget(tx, { application, name, pendingId });
    const { pendingId: _, charmUrl: __, ...content } = doc!;
    tx.remove('resource', resourceId(doc!));
    // The resource was announced and never uploaded: the application keeps its content.
    if (content.sha256 === '') continue;
    const before = tx.get('resource', resourceId(content));
    if (before?.fingerprint !== content.fingerprint) changed.push(name);
    if (before) keepContent(tx, before, content);
    tx.put('resource', resourceId(content), content);
  }
  return changed;
}

/**
 * Refuses a content for an application whose units take other contents in batches (refresh.md#rolled-resources).
 * Errors: ''.
 */
export function refuseUpload(
  view: View,
  { application: name, name: resource, pendingId }: UploadTarget,
): void {
  const application = pendingId === undefined ? view.get('application', name) : undefined;
  if (application?.rollout?.resources)
    refuseDuringRollout(application, `change resource "${resource}" of application`);
}

/**
 * Content that a unit gets: that of the version it runs. A released unit gets the earlier one until its agent says that
 * it takes the new one: a rollback runs nothing in units that have not taken it (refresh.md#rolled-resources).
 */
export function resourceOfUnit(
  view: View,
  given: Follower & Pick<UnitDoc, 'application'>,
  name: string,
): { readonly charmUrl: string; readonly doc?: ResourceDoc } {
  const unit = { ...given, released: '' };
  const application = mustGet(view, 'application', unit.application);
  const charmUrl = charmOfUnit(application, unit);
  const before = application.rollout?.before;
  const doc =
    isHeld(application, unit) && before?.charmUrl === charmUrl && !isNewer(unit, before)
      ? before.resources.find((one) => one.name === name)
      : view.get('resource', resourceId({ application: unit.application, name }));
  return { charmUrl, ...defined({ doc }) };
}

/** Whether the unit has taken contents of a roll-out that another one follows. */
function isNewer(
  { charmModifiedVersion: own = 0 }: Follower,
  { charmModifiedVersion: first = 0 }: Revision,
): boolean {
  return own > first;
}

/** Removes contents that the application's charm does not declare any more; all of them without a charm. */
export function dropResources(tx: Tx, application: string, charm?: Pick<CharmDoc, 'meta'>): void {
  for (const doc of tx.find('resource', 'application', application))
    if (!charm || !Object.hasOwn(charm.meta.resources, doc.name)) {
      keepContent(tx, doc);
      tx.remove('resource', resourceId(doc));
    }
}

/** Removes announcements that nothing took, if they are not younger than `before` (RFC 3339). */
export function dropAnnouncements(tx: Tx, before: string): void {
  for (const doc of tx.find('resource', 'pending', 'pending'))
    if (doc.timestamp <= before) tx.remove('resource', resourceId(doc));
}

/** Makes upgrade-charm due on the application's units. */
export function touchApplication(tx: Tx, application: ApplicationDoc): void {
  const charmModifiedVersion = nextModifiedVersion(application);
  const { rollout, ...rest } = application;
  // A content for all units ends a roll-out of contents, which keeps some units from another one.
  const kept = rollout?.resources ? undefined : rollout;
  tx.put('application', application.name, { ...rest, charmModifiedVersion, ...defined({ rollout: kept }) });
}

function checkModelResources(tx: Tx, grows: number): void {
  if (grows <= 0) return;
  let total = grows;
  for (const { size } of tx.list('resource')) total += size;
  checkLimit(limits.modelResources, total);
}
