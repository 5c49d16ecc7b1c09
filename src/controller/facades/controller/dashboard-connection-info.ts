import { JujuError } from '../../../core/errors.ts';
import type { UnitDoc } from '../../../core/unit/document.ts';
import type { controller as spec } from '../../../wire/facades/controller.ts';
import { wireError } from '../../../wire/errors.ts';
import type { Call, ResultOf } from '../../facade.ts';
import { publicAddress } from '../shared/addresses.ts';
import { openedPorts } from '../shared/opened-ports.ts';

/** Charm of the dashboard, and the port that it serves unless it has opened another port. */
const dashboardCharm = 'juju-dashboard';
const defaultPort = '8080';

/** Finds the dashboard in the controller's own model. */
export function dashboardConnectionInfo(call: Call): ResultOf<typeof spec, 'DashboardConnectionInfo'> {
  const none = { 'proxy-connection': null, 'ssh-connection': null };
  const root = call.read().in('');
  const controller = root.get('controller', 'self');
  const view = root.in(controller?.modelUuid ?? '');
  for (const { name, charmUrl } of view.list('application')) {
    if (view.get('charm', charmUrl)?.name !== dashboardCharm) continue;
    for (const unit of view.find('unit', 'application', name)) {
      const host = publicAddress(unit.machine === undefined ? undefined : view.get('machine', unit.machine));
      if (host === '') continue;
      const connection = { model: 'controller', entity: unit.name, host, port: portOf(unit) };
      return { ...none, 'ssh-connection': connection };
    }
  }
  return { ...none, error: wireError(new JujuError('not found', 'dashboard not found')) };
}

function portOf(unit: UnitDoc): string {
  const range = openedPorts(unit).find((one) => one.endsWith('/tcp'));
  return range === undefined ? defaultPort : /^\d+/.exec(range)![0];
}
