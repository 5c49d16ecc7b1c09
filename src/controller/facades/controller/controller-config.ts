import type { controller as spec } from '../../../wire/facades/controller.ts';
import { withInitialValues } from '../../../core/controller/config.ts';
import type { Call, ResultOf } from '../../facade.ts';

export function controllerConfig(call: Call): ResultOf<typeof spec, 'ControllerConfig'> {
  const controller = call.read().in('').get('controller', 'self');
  return {
    config: {
      ...withInitialValues(controller?.config ?? {}),
      'controller-name': controller?.name ?? '',
      'controller-uuid': controller?.uuid ?? '',
      'ca-cert': call.services.caCert,
    },
  };
}
