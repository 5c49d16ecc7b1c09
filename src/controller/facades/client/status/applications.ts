import type { ApplicationDoc } from '../../../../core/application/document.ts';
import { deriveApplicationStatus, type Status } from '../../../../core/status.ts';
import type { ApplicationStatus } from '../../../../wire/facades/client.ts';
import { statusOf } from '../../../transactions/tx.ts';
import { pendingOf } from '../../shared/pending-application.ts';
import { channelOf, charmOriginOf } from '../../shared/charm-origin.ts';
import { endpointBindings } from '../../shared/endpoint-bindings.ts';
import { exposedEndpoints } from '../../shared/exposure.ts';
import { shownRollout } from '../../shared/shown-rollout.ts';
import { detailed, shownLife } from './detailed.ts';
import { withEnding } from './ending.ts';
import type { Selection } from './filter.ts';
import type { StatusScope } from './scope.ts';
import { unitStatuses } from './units.ts';
import { defined } from '../../../../core/defined.ts';

export async function applicationStatuses(
  scope: StatusScope,
  selection: Selection | undefined,
): Promise<Record<string, ApplicationStatus>> {
  const applications: Record<string, ApplicationStatus> = {};
  for (const name of selection?.applications ?? [...scope.view.list('application')].map((one) => one.name)) {
    const application = scope.view.get('application', name);
    if (application) applications[name] = await applicationStatus(scope, application, selection);
    await scope.pause();
  }
  return applications;
}

async function applicationStatus(
  scope: StatusScope,
  application: ApplicationDoc,
  selection: Selection | undefined,
): Promise<ApplicationStatus> {
  const charm = scope.view.get('charm', application.charmUrl);
  const channel = channelOf(charmOriginOf(application));
  const waiting = pendingOf(scope.view, application);
  return scope.details.of({
    charm: application.charmUrl,
    'charm-version': charm?.version ?? '',
    'charm-profile': '',
    ...defined({
      'charm-channel': channel || undefined,
      'charm-rev': charm?.revision ? charm.revision : undefined,
    }),
    base: application.base,
    exposed: application.exposed !== undefined,
    ...exposedEndpoints(application),
    life: shownLife(application.life),
    ...related(scope, application),
    'can-upgrade-to': '',
    units: await unitStatuses(scope, application, selection),
    'meter-statuses': {},
    status: detailed(await statusWithEnding(scope, application, waiting.pending)),
    'workload-version': application.workloadVersion,
    'endpoint-bindings': charm ? endpointBindings(application, charm) : {},
    'public-address': '',
    ...waiting,
    ...shownRollout(scope.view, application, scope.presentId),
  });
}

async function statusWithEnding(
  scope: StatusScope,
  application: ApplicationDoc,
  waiting: ApplicationStatus['pending'],
): Promise<Status> {
  const status = await shownStatus(scope, application, waiting);
  if (application.life === 'alive') return status;
  return withEnding(scope, { kind: 'application', id: application.name }, status);
}

/** Status of an application, derived from all of its units when the charm never set it, including filtered ones. */
async function shownStatus(
  scope: StatusScope,
  application: ApplicationDoc,
  waiting: ApplicationStatus['pending'],
): Promise<Status> {
  const ownStatus = statusOf(scope.view, 'application', application.name, application.createdAt);
  const units: Status[] = [];
  if (ownStatus.status === 'unset')
    for (const unit of scope.view.find('unit', 'application', application.name)) {
      units.push(scope.unitStatus(unit).workload);
      await scope.pause();
    }
  return deriveApplicationStatus(ownStatus, units, waiting && { pending: waiting, running: waiting.running });
}

/** Applications at the other ends, by endpoint; a peer relation's is the application itself. */
function related(
  scope: StatusScope,
  application: ApplicationDoc,
): { relations: Record<string, string[]>; 'subordinate-to': string[] } {
  const relations: Record<string, string[]> = {};
  const principals = new Set<string>();
  for (const relation of scope.view.find('relation', 'application', application.name)) {
    // Proxies are shown by `offers` only.
    if (relation.remote?.offered) continue;
    const ownEndpoint = relation.endpoints.find((end) => end.application === application.name)!;
    const otherEndpoint =
      relation.endpoints.find((end) => end.application !== application.name) ?? ownEndpoint;
    const names = (relations[ownEndpoint.name] ??= []);
    if (!names.includes(otherEndpoint.application)) names.push(otherEndpoint.application);
    if (application.subordinate && ownEndpoint.scope === 'container')
      principals.add(otherEndpoint.application);
  }
  for (const names of Object.values(relations)) names.sort();
  return { relations, 'subordinate-to': [...principals].sort() };
}
