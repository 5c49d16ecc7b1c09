import type { Tool } from './tool.ts';
import { actionFail } from './tools/action-fail.ts';
import { actionGet } from './tools/action-get.ts';
import { actionLog } from './tools/action-log.ts';
import { actionSet } from './tools/action-set.ts';
import { addMetric } from './tools/add-metric.ts';
import { applicationVersionSet } from './tools/application-version-set.ts';
import { closePort } from './tools/close-port.ts';
import { configGet } from './tools/config-get.ts';
import { credentialGet } from './tools/credential-get.ts';
import { goalState } from './tools/goal-state.ts';
import { isLeader } from './tools/is-leader.ts';
import { jujuLog } from './tools/juju-log.ts';
import { jujuReboot } from './tools/juju-reboot.ts';
import { kubernetesTools } from './tools/kubernetes.ts';
import { leaderGet } from './tools/leader-get.ts';
import { leaderSet } from './tools/leader-set.ts';
import { networkGet } from './tools/network-get.ts';
import { openPort } from './tools/open-port.ts';
import { openedPorts } from './tools/opened-ports.ts';
import { payloadTools } from './tools/payloads.ts';
import { relationGet } from './tools/relation-get.ts';
import { relationIds } from './tools/relation-ids.ts';
import { relationList } from './tools/relation-list.ts';
import { relationModelGet } from './tools/relation-model-get.ts';
import { relationSet } from './tools/relation-set.ts';
import { secretAdd } from './tools/secret-add.ts';
import { secretGet } from './tools/secret-get.ts';
import { secretGrant, secretRevoke } from './tools/secret-grant.ts';
import { resourceGet } from './tools/resource-get.ts';
import { secretIds } from './tools/secret-ids.ts';
import { secretInfoGet } from './tools/secret-info-get.ts';
import { secretRemove } from './tools/secret-remove.ts';
import { secretSet } from './tools/secret-set.ts';
import { stateDelete } from './tools/state-delete.ts';
import { stateGet } from './tools/state-get.ts';
import { stateSet } from './tools/state-set.ts';
import { statusGet } from './tools/status-get.ts';
import { statusSet } from './tools/status-set.ts';
import { storageAdd } from './tools/storage-add.ts';
import { storageGet } from './tools/storage-get.ts';
import { storageList } from './tools/storage-list.ts';
import { unitGet } from './tools/unit-get.ts';

/** Every hook tool by name; a charm has all of them on its PATH. */
export const tools: ReadonlyMap<string, Tool> = new Map(
  [
    actionFail,
    actionGet,
    actionLog,
    actionSet,
    addMetric,
    applicationVersionSet,
    closePort,
    configGet,
    credentialGet,
    goalState,
    isLeader,
    jujuLog,
    jujuReboot,
    leaderGet,
    leaderSet,
    networkGet,
    openPort,
    openedPorts,
    relationGet,
    relationIds,
    relationList,
    relationModelGet,
    relationSet,
    secretAdd,
    secretGet,
    secretGrant,
    resourceGet,
    secretIds,
    secretInfoGet,
    secretRemove,
    secretRevoke,
    secretSet,
    stateDelete,
    stateGet,
    stateSet,
    statusGet,
    statusSet,
    storageAdd,
    storageGet,
    storageList,
    unitGet,
    ...kubernetesTools,
    ...payloadTools,
  ].map((tool) => [tool.name, tool]),
);
