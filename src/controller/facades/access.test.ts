/**
 * Access to every method: the table is written out, so that a change of access is made twice, and every cell is tested.
 */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { hasCode } from '../../core/errors.ts';
import { versionsOf } from '../../testing/versions-of.ts';
import { encodeRequest } from '../../wire/frames.ts';
import { createCallers, type Callers, type How } from '../../testing/call.ts';
import { may, roles, withAccessTable, type Role } from '../../testing/access-table.ts';
import type { Needs } from '../facade.ts';
import { Session } from '../server/session.ts';
import { facades } from './index.ts';

/** Methods with `login` check each thing that they are asked about. */
const table: Readonly<Record<Exclude<Needs, 'agent'>, string>> = {
  anyone: `Pinger.Ping Pinger.Stop NotifyWatcher.Next NotifyWatcher.Stop StringsWatcher.Next StringsWatcher.Stop`,
  anonymous: `CrossController.ControllerInfo CrossController.WatchControllerInfo
    CrossModelRelations.PublishIngressNetworkChanges CrossModelRelations.PublishRelationChanges
    CrossModelRelations.RegisterRemoteRelations CrossModelRelations.WatchConsumedSecretsChanges
    CrossModelRelations.WatchEgressAddressesForRelations CrossModelRelations.WatchOfferStatus
    CrossModelRelations.WatchRelationChanges CrossModelRelations.WatchRelationsSuspendedStatus
    CrossModelSecrets.GetSecretAccessScope CrossModelSecrets.GetSecretContentInfo
    OfferStatusWatcher.Next OfferStatusWatcher.Stop RelationStatusWatcher.Next RelationStatusWatcher.Stop
    RemoteRelationWatcher.Next RemoteRelationWatcher.Stop SecretsRevisionWatcher.Next SecretsRevisionWatcher.Stop`,
  login: `Cloud.InstanceTypes ModelManager.DumpModels ModelManager.DumpModelsDB
    ApplicationOffers.ApplicationOffers ApplicationOffers.DestroyOffers ApplicationOffers.FindApplicationOffers
    ApplicationOffers.GetConsumeDetails ApplicationOffers.ListApplicationOffers ApplicationOffers.ModifyOfferAccess
    ApplicationOffers.Offer ApplicationOffers.RemoteApplicationInfo Cloud.AddCredentials Cloud.CheckCredentialsModels Cloud.Cloud Cloud.CloudInfo Cloud.Clouds
    Cloud.Credential Cloud.CredentialContents Cloud.ListCloudInfo Cloud.RemoveClouds Cloud.RevokeCredentialsCheckModels
    Cloud.UpdateCredentialsCheckModels Cloud.UserCredentials ModelManager.ChangeModelCredential
    Controller.ControllerAPIInfoForModels Controller.ControllerConfig Controller.ControllerVersion
    Controller.GetControllerAccess Controller.IdentityProviderURL Controller.ModelStatus Controller.DashboardConnectionInfo
    Controller.WatchModelSummaries ModelSummaryWatcher.Next ModelSummaryWatcher.Stop
    Lives.ExplainUser Lives.PlanModelRemoval LocalImages.List ModelFiles.Join SecretBackends.ListSecretBackends
    ModelUpgrader.AbortModelUpgrade ModelUpgrader.UpgradeModel
    ModelManager.DestroyModels ModelManager.ListModelSummaries ModelManager.ListModels ModelManager.ModelInfo
    ModelManager.ModelStatus ModelManager.ModifyModelAccess ModelManager.CreateModel UserManager.ModelUserInfo
    UserManager.SetPassword UserManager.UserInfo`,
  'model-read': `Secrets.ListSecrets
    Action.Actions Action.ApplicationsCharmsActions Action.ListOperations Action.Operations
    Action.WatchActionsProgress
    AllWatcher.Next AllWatcher.Stop Annotations.Get Block.List
    Application.ApplicationsInfo Application.CharmConfig Application.CharmRelations Application.Get
    Application.GetApplicationStorage Application.GetCharmURLOrigin Application.GetConfig Application.GetConstraints Application.Leader
    Application.UnitsInfo Bundle.ExportBundle Bundle.GetChanges Bundle.GetChangesMapArgs
    Charms.CharmInfo Charms.CheckCharmPlacement Charms.IsMetered Charms.List Charms.ResolveCharms Client.FindTools Client.FullStatus Client.StatusHistory Client.WatchAll
    KeyManager.ListKeys Forecasts.Make Lives.Explain Lives.History Lives.Removals Lives.StatusAt
    ModelConfig.GetModelConstraints ModelConfig.ModelGet ModelConfig.SLALevel
    ModelConfig.Sequences ModelFiles.MissingAddresses ModelFiles.Owned ModelFiles.Status MachineManager.InstanceTypes Provisioning.Bases
    Provisioning.RestorePlan Provisioning.Strays Requirements.Graph Requirements.Pending Rollouts.Get
    Payloads.List Resources.ListResources Storage.ListFilesystems Storage.ListPools Storage.ListStorageDetails Storage.ListVolumes
    Storage.StorageDetails Spaces.ListSpaces Spaces.ShowSpace Subnets.AllZones Subnets.ListSubnets
    Subnets.SubnetsByCIDR`,
  'model-write': `Application.MergeBindings Application.UpdateApplicationStorage Block.SwitchBlockOff Block.SwitchBlockOn
    Storage.AddToUnit Storage.Attach Storage.CreatePool Storage.DetachStorage Storage.Import Storage.Remove
    Storage.RemovePool Storage.UpdatePool Resources.AddPendingResources
    Secrets.UpdateSecrets
    Secrets.RevokeSecret
    Secrets.RemoveSecrets
    Secrets.GrantSecret
    Secrets.CreateSecrets
    Action.Cancel Action.EnqueueOperation Annotations.Set
    Application.AddRelation Application.AddUnits Application.Consume Application.Deploy Application.DestroyConsumedApplications
    Application.SetRelationsSuspended Application.DestroyApplication
    Application.DestroyRelation Application.DestroyUnit Application.Expose Application.ResolveUnitErrors
    Application.SetCharm Application.SetConfigs Application.SetConstraints Application.Unexpose Application.UnsetApplicationsConfig Application.UpdateApplicationBase
    Requirements.SetAfter
    Rollouts.Abort Rollouts.Begin Rollouts.Plan Rollouts.PlanRollback Rollouts.Resume Rollouts.Rollback
    Lives.PlanRemoval ModelFiles.Begin ModelFiles.End MachineManager.AddMachines MachineManager.DestroyMachineWithParams MachineManager.ProvisioningScript MachineManager.RetryProvisioning
    ModelConfig.ModelSet ModelConfig.ModelUnset ModelConfig.SetModelConstraints ModelConfig.SetSLALevel Provisioning.CheckConstraints Provisioning.ReprovisionMachines
    Provisioning.RetryMachines Spaces.ReloadSpaces`,
  'model-admin': `CredentialManager.InvalidateModelCredential Action.Run Action.RunOnAllMachines KeyManager.AddKeys KeyManager.DeleteKeys
    KeyManager.ImportKeys ModelFiles.Past ModelFiles.RestoreCharm ModelFiles.RestoreResource
    ModelFiles.UnknownUsers Provisioning.AcceptRestore Spaces.CreateSpaces
    Spaces.MoveSubnets Spaces.RemoveSpace Spaces.RenameSpace SSHClient.AllAddresses SSHClient.PrivateAddress
    SSHClient.Proxy SSHClient.PublicAddress SSHClient.PublicKeys`,
  superuser: `Backups.Create ControllerPrograms.Plan ControllerPrograms.Upgrade BackupArchives.List BackupArchives.Remove BackupArchives.Schedule BackupArchives.SetSchedule
    BackupArchives.EndSchedule AllModelWatcher.Next AllModelWatcher.Stop Controller.WatchAllModels
    Controller.WatchAllModelSummaries Controller.WatchCloudSpecsChanges SecretBackends.AddSecretBackends SecretBackends.RemoveSecretBackends
    SecretBackends.UpdateSecretBackends Cloud.AddCloud Cloud.ModifyCloudAccess Cloud.UpdateCloud Controller.AllModels Controller.CloudSpec Controller.ConfigSet
    Controller.DestroyController Controller.HostedModelConfigs
    Controller.ListBlockedModels Controller.ModelConfig Controller.RemoveBlocks Lives.PlanControllerRemoval
    HighAvailability.EnableHA LocalImages.Add LocalImages.Remove Controller.ModifyControllerAccess UserManager.AddUser
    UserManager.DisableUser UserManager.EnableUser UserManager.RemoveUser UserManager.ResetPassword
    ModelManager.ModelDefaultsForClouds ModelManager.SetModelDefaults ModelManager.UnsetModelDefaults StoreReport.Report
    Controller.InitiateMigration ModelArrivals.Prechecks ModelArrivals.Import ModelArrivals.ImportDocuments
    ModelArrivals.ImportSecrets ModelArrivals.MissingContents ModelArrivals.ImportContent ModelArrivals.Activate
    ModelArrivals.AdoptResources ModelArrivals.Abort`,
};

const rows = Object.entries(table).flatMap(([needs, methods]) =>
  methods.split(/\s+/).map((name) => ({ name, needs: needs as Needs })),
);
const served = facades.flatMap(({ spec, table: methods }) =>
  Object.entries(methods).map(([method, { needs }]) => ({
    name: `${spec.name}.${method}`,
    needs,
    version: versionsOf(spec, method).at(-1)!,
  })),
);

test('every method is in the table, with the access that it declares', () => {
  const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
  const ofUsers = served.filter(({ needs }) => needs !== 'agent').map(({ name, needs }) => ({ name, needs }));
  expect(ofUsers.sort(byName)).toEqual([...rows].sort(byName));
});

test('docs/reference/access.md says what the facades declare: npm run docs:access', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/access.md'), 'utf8');
  const cells = (text: string): string => text.replaceAll(/[ -]+/g, ' ');
  expect(cells(page)).toBe(cells(withAccessTable(page)));
});

test('agents have facades of their own, and only these', () => {
  const agents = new Set(
    served.filter(({ needs }) => needs === 'agent').map(({ name }) => name.split('.')[0]),
  );
  expect(agents).toEqual(new Set(['MachineAgent', 'AgentWatcher']));
  expect(
    served.filter(({ name, needs }) => /^(Machine|)Agent(Watcher)?\./.test(name) && needs !== 'agent'),
  ).toEqual([]);
});

describe('each role has access to its methods', () => {
  let callers: Callers;
  beforeAll(async () => {
    callers = await createCallers();
    for (const role of ['nobody', 'read', 'write', 'admin'] as const) await callers.addUser(`${role}er`);
    for (const role of ['read', 'write', 'admin'] as const) await callers.grant(`${role}er`, role);
    await callers.addUser('superuserer', 'superuser');
  });
  afterAll(() => callers[Symbol.asyncDispose]());

  const as = (role: Role): NonNullable<How['as']> =>
    role === 'agent'
      ? { kind: 'machine', machine: '0' }
      : role === 'controller'
        ? { kind: 'anonymous' }
        : `${role}er`;

  test.each(served)('$name ($needs)', async ({ name, needs, version }) => {
    const [facade, method] = name.split('.') as [string, string];
    for (const role of roles) {
      const error: unknown = await callers.call(facade, method, {}, { as: as(role), version }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      const denied = { code: 'unauthorized access', message: 'permission denied' };
      if (!may[needs].includes(role)) expect(error, role).toMatchObject(denied);
      // An agent may only ask about its own things, and nothing here is its own.
      else if (role !== 'agent') expect(error ?? {}, role).not.toMatchObject(denied);
    }
  });

  test('a user of another domain calls no method, whatever was granted to the name', async () => {
    const external = 'mary@external';
    await callers.grant(external, 'admin');
    const answered: string[] = [];
    for (const { name, version } of served) {
      const [facade, method] = name.split('.') as [string, string];
      const error: unknown = await callers.call(facade, method, {}, { as: external, version }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (!hasCode(error, 'unauthorized access')) answered.push(name);
    }
    expect(answered).toEqual([]);
  });

  test.each(served)('$name does not exist for a client without a login', async ({ name }) => {
    const [facade, method] = name.split('.') as [string, string];
    const socket = new TestSocket();
    new Session(callers.context, socket as unknown as WebSocket, {
      modelUuid: callers.model,
      remote: 'test',
      host: '',
    });
    const answer = socket.next();
    socket.emit(
      'message',
      Buffer.from(
        encodeRequest({ requestId: 1, type: facade, version: 1, id: '', request: method, params: {} }),
      ),
    );
    expect(JSON.parse(await answer)).toMatchObject({
      error: `unknown version (1) of interface "${facade}"`,
      'error-code': 'not implemented',
    });
    socket.emit('close');
  });
});

/** The part of a WebSocket that a session uses. */
class TestSocket extends EventEmitter {
  readonly OPEN = 1;
  readonly readyState = 1;
  readonly bufferedAmount = 0;
  readonly isPaused = false;
  next(): Promise<string> {
    return new Promise((resolve) => this.once('sent', resolve));
  }
  send(text: string, sent: () => void): void {
    this.emit('sent', text);
    sent();
  }
}
