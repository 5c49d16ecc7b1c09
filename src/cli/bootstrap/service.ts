/** Service of a controller on another computer: its paths there and what runs it. */
import { serviceUnit } from '../../providers/toolkit/user-data/service-unit.ts';
import { quoted } from '../../providers/toolkit/user-data/shell.ts';
import { launcherName } from './runtime.ts';
import { initScript, supervisor } from '../../providers/toolkit/user-data/supervisor.ts';

export const programDir = '/usr/lib/grigri';
export const dataDir = '/var/lib/grigri/controller';

const service = 'grigri-controller';
const unitFile = `/etc/systemd/system/${service}.service`;
const initFile = `/etc/init.d/${service}`;
const cronFile = `/etc/cron.d/${service}`;
/** Path where initScript looks for the supervisor. */
const supervise = `/var/lib/juju/init/${service}/supervise`;
const logFile = `${dataDir}/controller.log`;
/** Program that starts the controller, by any of its commands. */
export const controllerCommand = [`${programDir}/node`, `${programDir}/${launcherName}`] as const;
const command = [...controllerCommand, 'run', '--data-dir', dataDir];

/** Returns a script that runs the controller from now on, and after each boot. */
export function installScript(name: string): string {
  return `set -e
umask 077
: >>${logFile}
umask 022
if [ -d /run/systemd/system ]; then
  printf %s ${quoted(unit(name))} >${unitFile}
  systemctl daemon-reload
  systemctl enable -q --now ${service}
else
  mkdir -p ${supervise.slice(0, supervise.lastIndexOf('/'))}
  printf %s ${quoted(supervisor(command, logFile))} >${supervise}
  chmod 755 ${supervise}
  if command -v update-rc.d >/dev/null; then
    printf %s ${quoted(initScript(service))} >${initFile}
    chmod 755 ${initFile}
    update-rc.d ${service} defaults >/dev/null
  elif [ -d /etc/cron.d ]; then
    echo '@reboot root ${supervise} start' >${cronFile}
  fi
  ${supervise} start
fi
`;
}

/**
 * Script that removes the controller completely, and may be run again. Parent folders that contain anything else stay.
 */
export const removalScript = `if [ -d /run/systemd/system ]; then
  [ ! -e ${unitFile} ] || systemctl disable -q --now ${service}
fi
[ ! -x ${supervise} ] || ${supervise} stop
rm -f ${unitFile} ${initFile} ${cronFile}
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
if command -v update-rc.d >/dev/null; then update-rc.d ${service} remove >/dev/null 2>&1; fi
rm -rf ${programDir} ${dataDir} /var/lib/juju/init/${service}
rmdir /var/lib/grigri /var/lib/juju/init /var/lib/juju 2>/dev/null
exit 0
`;

/** Returns the systemd unit. Machines on the controller's own host outlive the controller's service. */
function unit(name: string): string {
  return serviceUnit({
    description: `grigri controller ${name}`,
    target: 'network-online.target',
    wants: true,
    command,
    logFile,
  });
}
