import { chooseBase, type Base } from '../base.ts';
import { checkSupported } from '../charm/check-supported.ts';
import { parseConfigValues } from '../charm/config.ts';
import { checkLxdProfile } from '../charm/lxd-profile.ts';
import type { ConfigValue } from '../charm/metadata.ts';
import type { ParsedCharm } from '../charm/parse-charm.ts';
import type { Constraints } from '../constraints.ts';
import { JujuError, notValid } from '../errors.ts';
import { checkAfter } from '../gates/gate.ts';
import { isApplicationName } from '../names.ts';
import type { Placement } from '../placement.ts';
import { checkRequired } from '../requirements/check-required.ts';
import { checkBindings, checkExcluded, type KnownSpaces } from './bindings.ts';
import type { StorageDirective } from '../storage/directive.ts';
import { defined } from '../defined.ts';

/** An application to be made, as flags, a bundle or a frame describe it; its charm is named apart. */
export interface DeployRequest {
  readonly name: string;
  /** The base of the units; absent: the controller chooses among the bases of the charm. */
  readonly base?: Base;
  readonly numUnits: number;
  readonly constraints: Constraints;
  /** The places of the first units; the others are placed anywhere. */
  readonly placement: readonly Placement[];
  /** Values of the charm's options, typed or as text. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly trust: boolean;
  readonly storage?: Readonly<Record<string, StorageDirective>>;
  /** Existing storage for the only unit. */
  readonly attachStorage?: readonly string[];
  /** Endpoint → space; '' stands for all endpoints. */
  readonly endpointBindings: Readonly<Record<string, string>>;
  /** Endpoints that are required whatever the charm and the model say. */
  readonly require?: readonly string[];
  /** Applications that have to be healthy first → `active`, '' for it, or an expression about their units. */
  readonly after?: Readonly<Record<string, string>>;
  /** Allows a base that the charm lacks, and what checkSupported and checkLxdProfile allow by force. */
  readonly force?: boolean;
  /** Units that are placed nowhere may take machines that never had one. Absent: the model's setting decides. */
  readonly reuse?: boolean;
}

/** The values of a request as the application's document holds them. */
interface CheckedDeploy {
  readonly config: Readonly<Record<string, ConfigValue>>;
  readonly endpointBindings: Readonly<Record<string, string>>;
  readonly require: readonly string[];
  readonly after: Readonly<Record<string, string>>;
}

/**
 * Checks a deploy request against its charm. Clients do so before they send the charm; the controller, which knows the
 * model's spaces, does so when it makes the application. Errors: `not valid` (name, base, endpoints, options, LXD
 * profile, gates), `not supported` (charm), `not found` (space), `quota limit exceeded` (gates), '' (units or
 * constraints of a subordinate).
 */
export function checkDeploy(
  request: DeployRequest,
  charm: Pick<ParsedCharm, 'meta' | 'config' | 'bases' | 'lxdProfile'>,
  spaces?: KnownSpaces,
): CheckedDeploy {
  const { name, base, constraints, force = false } = request;
  const { meta, bases, lxdProfile } = charm;
  if (!isApplicationName(name)) throw notValid(`invalid application name "${name}"`);
  checkSupported(meta, force);
  if (lxdProfile && !force) checkLxdProfile(lxdProfile);
  if (meta.subordinate) refuseForSubordinate(request);
  const endpointBindings = checkBindings(request.endpointBindings, meta, spaces);
  checkExcluded(endpointBindings, constraints);
  const require = [...new Set(request.require)];
  checkRequired(meta, require);
  const after = checkAfter(name, request.after ?? {});
  const config = parseConfigValues(charm.config, request.config);
  const { 'image-id': imageId } = constraints;
  if (base || imageId)
    chooseBase({
      ...defined({ requested: base, imageId: imageId || undefined }),
      charmBases: bases,
      force,
    });
  return { config, endpointBindings, require, after };
}

function refuseForSubordinate({ numUnits, placement, constraints }: DeployRequest): void {
  if (numUnits > 0 || placement.length > 0)
    throw new JujuError('', 'subordinate application must be deployed without units');
  if (Object.keys(constraints).length > 0)
    throw new JujuError('', 'subordinate application must be deployed without constraints');
}
