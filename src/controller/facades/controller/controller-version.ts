import type { controller as spec } from '../../../wire/facades/controller.ts';
import type { Call, ResultOf } from '../../facade.ts';

export function controllerVersion(call: Call): ResultOf<typeof spec, 'ControllerVersion'> {
  return { version: call.services.version, 'git-commit': '' };
}
