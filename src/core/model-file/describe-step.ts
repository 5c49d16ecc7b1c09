import { formatBase } from '../base.ts';
import { describeStep, type StepNames } from '../bundle/describe-step.ts';
import { formatConstraints } from '../constraints.ts';
import type { ModelStep } from './step.ts';

/** A step as one line: `remove unit web/3`. */
export function describeModelStep(step: ModelStep, names: StepNames): string {
  switch (step.kind) {
    case 'set-settings':
      return `set settings of the model: ${Object.keys(step.values).sort().join(', ')}`;
    case 'reset-settings':
      return `reset settings of the model: ${step.names.join(', ')}`;
    case 'set-model-constraints':
      return `set constraints of the model to "${formatConstraints(step.constraints)}"`;
    case 'reset-model-constraints':
      return 'reset constraints of the model';
    case 'set-access':
      return `set access of user ${step.user} to ${step.access}`;
    case 'remove-access':
      return `remove access of user ${step.user}`;
    case 'set-pool':
      return `${step.changes ? 'update' : 'create'} storage pool ${step.pool}`;
    case 'remove-pool':
      return `remove storage pool ${step.pool}`;
    case 'set-secret':
      return `${step.changes ? 'update' : 'add'} secret ${step.secret}`;
    case 'remove-secret':
      return `remove secret ${step.secret}`;
    case 'restore-charm':
      return `restore charm ${step.url} of revision ${step.revision}`;
    case 'restore-resource':
      return `restore resource ${step.resource} of ${step.application} as at revision ${step.revision}`;
    case 'grant-secret':
      return `grant secret ${step.secret} to ${step.application}`;
    case 'revoke-secret':
      return `revoke secret ${step.secret} from ${step.application}`;
    case 'set-base':
      return `set base of new units of ${step.application} to ${formatBase(step.base)}`;
    case 'remove-application':
      return `remove application ${step.application}${step.replaced === undefined ? '' : ' to replace it'}`;
    case 'remove-units':
      return `remove ${step.units.length === 1 ? 'unit' : 'units'} ${step.units.join(', ')}`;
    case 'remove-relation':
      return `remove relation ${step.endpoints.join(' - ')}`;
    case 'remove-offer':
      return `remove offer ${step.offer}${step.replaced === undefined ? '' : ' to replace it'}`;
    case 'revoke-offer':
      return step.to === undefined
        ? `revoke access of user ${step.user} to offer ${step.offer}`
        : `lower access of user ${step.user} to offer ${step.offer} to ${step.to}`;
    case 'remove-saas':
      return `remove SAAS application ${step.saas}`;
    case 'remove-machine':
      return `remove machine ${step.machine}`;
    case 'reset-options':
      return `reset application options of ${step.application}: ${step.options.join(', ')}`;
    case 'reset-constraints':
      return `reset constraints of ${step.application}`;
    case 'reset-after':
      return `set what ${step.application} waits for: nothing`;
    case 'reset-bindings': {
      const endpoints = Object.keys(step.bindings).map((endpoint) => endpoint || '(default)');
      return `reset bindings of ${step.application}: ${endpoints.join(', ')}`;
    }
    case 'reset-annotations': {
      const on = 'application' in step.on ? step.on.application : `machine ${step.on.machine}`;
      return `reset annotations of ${on}: ${step.keys.join(', ')}`;
    }
    case 'reset-description':
      return `reset description of secret ${step.secret}`;
    case 'unexpose':
      return step.endpoints
        ? `unexpose ${step.endpoints.map((name) => (name === '' ? 'all other endpoints' : `endpoint ${name}`)).join(', ')} of ${step.application}`
        : `unexpose ${step.application}`;
    default:
      return describeStep(step, names);
  }
}
