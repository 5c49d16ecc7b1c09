/** The number of controller machines that there may be (controller-settings.md#one-machine). */
import { JujuError, notValid } from '../errors.ts';

/** Largest number of controllers that Juju allows. */
const mostControllers = 7;
/** Number of controllers when none is given. */
const fewestRedundant = 3;

interface ControllersAsked {
  /** The requested number of controllers; 0: as many as there are, and at least three. */
  readonly count: number;
  readonly placement: readonly string[];
}

/**
 * Why the requested controllers cannot be had; `existing` names the machines that are controllers. Only the one
 * existing controller can be asked for.
 */
export function controllersRefusal(
  { count, placement }: ControllersAsked,
  existing: readonly string[],
): JujuError | undefined {
  if (count < 0 || (count !== 0 && count % 2 === 0))
    return notValid('number of controllers must be odd and non-negative');
  if (count > mostControllers) return notValid(`controller count is too large (allowed ${mostControllers})`);
  const taken = placement.find((directive) => existing.includes(directive));
  if (taken !== undefined)
    return notValid(`machine for placement directive "${taken}" is already a controller`);
  if (placement.some((directive) => /^(lxd|kvm)(:|$)|\//.test(directive)))
    return notValid('container placement directives not supported');
  const wanted = count === 0 ? fewestRedundant : count;
  if (wanted === existing.length) return undefined;
  return new JujuError(
    'not supported',
    `failed to enable HA with ${wanted} controllers: a second controller machine not supported`,
  );
}
