/** Every facade that the controller serves. */
import { action as actionSpec } from '../../wire/facades/action.ts';
import { allWatcher as allWatcherSpec } from '../../wire/facades/all-watcher.ts';
import { annotations as annotationsSpec } from '../../wire/facades/annotations.ts';
import { application as applicationSpec } from '../../wire/facades/application.ts';
import { bundle as bundleSpec } from '../../wire/facades/bundle.ts';
import { charms as charmsSpec } from '../../wire/facades/charms.ts';
import { client as clientSpec } from '../../wire/facades/client.ts';
import { cloud as cloudSpec } from '../../wire/facades/cloud.ts';
import { controller as controllerSpec } from '../../wire/facades/controller.ts';
import { lives as livesSpec } from '../../wire/facades/lives.ts';
import { localImages as localImagesSpec } from '../../wire/facades/local-images.ts';
import {
  agentWatcher as agentWatcherSpec,
  machineAgent as machineAgentSpec,
} from '../../wire/facades/machine-agent.ts';
import { machineManager as machineManagerSpec } from '../../wire/facades/machine-manager.ts';
import { modelConfig as modelConfigSpec } from '../../wire/facades/model-config.ts';
import { modelManager as modelManagerSpec } from '../../wire/facades/model-manager.ts';
import { pinger as pingerSpec } from '../../wire/facades/pinger.ts';
import { provisioning as provisioningSpec } from '../../wire/facades/provisioning.ts';
import { requirements as requirementsSpec } from '../../wire/facades/requirements.ts';
import { resources as resourcesSpec } from '../../wire/facades/resources.ts';
import { storeReport as storeReportSpec } from '../../wire/facades/store-report.ts';
import { stringsWatcher as stringsWatcherSpec } from '../../wire/facades/strings-watcher.ts';
import type { RegistryEntry } from '../server/registry.ts';
import { action } from './action/index.ts';
import { agentWatcher } from './agent-watcher/index.ts';
import { allWatcher } from './all-watcher/index.ts';
import { annotations } from './annotations/index.ts';
import { application } from './application/index.ts';
import { bundle } from './bundle/index.ts';
import { charms } from './charms/index.ts';
import { client } from './client/index.ts';
import { cloud } from './cloud/index.ts';
import { controller } from './controller/index.ts';
import { lives } from './lives/index.ts';
import { localImages } from './local-images/index.ts';
import { machineAgent } from './machine-agent/index.ts';
import { machineManager } from './machine-manager/index.ts';
import { modelConfig } from './model-config/index.ts';
import { modelManager } from './model-manager/index.ts';
import { pinger } from './pinger/index.ts';
import { provisioning } from './provisioning/index.ts';
import { requirements } from './requirements/index.ts';
import { resources } from './resources/index.ts';
import { storeReport } from './store-report/index.ts';
import { stringsWatcher } from './strings-watcher/index.ts';

export const facades: readonly RegistryEntry[] = [
  { spec: actionSpec, table: action },
  { spec: agentWatcherSpec, table: agentWatcher },
  { spec: allWatcherSpec, table: allWatcher },
  { spec: annotationsSpec, table: annotations },
  { spec: applicationSpec, table: application },
  { spec: bundleSpec, table: bundle },
  { spec: charmsSpec, table: charms },
  { spec: clientSpec, table: client },
  { spec: cloudSpec, table: cloud },
  { spec: controllerSpec, table: controller },
  { spec: livesSpec, table: lives },
  { spec: localImagesSpec, table: localImages },
  { spec: machineAgentSpec, table: machineAgent },
  { spec: machineManagerSpec, table: machineManager },
  { spec: modelConfigSpec, table: modelConfig },
  { spec: modelManagerSpec, table: modelManager },
  { spec: pingerSpec, table: pinger },
  { spec: provisioningSpec, table: provisioning },
  { spec: requirementsSpec, table: requirements },
  { spec: resourcesSpec, table: resources },
  { spec: storeReportSpec, table: storeReport },
  { spec: stringsWatcherSpec, table: stringsWatcher },
];
