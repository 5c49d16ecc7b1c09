import { JujuError, notValid } from '../errors.ts';
import { compareVersions, isVersion } from '../juju-version.ts';

/** Version by which a client asks for the newest one. */
const newest = '0.0.0';

/**
 * The answer to a request for an upgrade of a model (controller-settings.md#models): always a refusal, since models
 * have the controller's version. `target`: the version that is asked for, or 0.0.0 for the newest.
 */
export function modelUpgradeRefusal({
  target,
  controller,
}: {
  readonly target: string;
  readonly controller: string;
}): JujuError {
  if (target !== '' && !isVersion(target)) return notValid(`invalid version "${target}"`);
  const order = target === '' || target === newest ? 0 : compareVersions(target, controller);
  if (order === 0) return new JujuError('already exists', 'no upgrades available');
  return order > 0
    ? new JujuError(
        '',
        `cannot upgrade to a version "${target}" greater than that of the controller "${controller}"`,
      )
    : new JujuError('', 'downgrade not supported');
}
