/** The user of a forecast, who gives the commands that are assumed, by the calls that the CLI makes. */
import { firstThatAnswers } from '../client/connect.ts';
import type { Connection, Credentials } from '../client/connection.ts';
import { openConnection } from '../client/open-connection.ts';
import { hashSecret } from '../controller/passwords.ts';
import type { ForecastCommand } from '../core/forecast/events.ts';
import type { ForecastFile } from '../core/forecast/file.ts';
import type { ControllerSession } from '../operate/sessions.ts';
import { applyFile, type Applying } from './apply.ts';
import { JujuError, type ErrorCode } from '../core/errors.ts';
import type { UserDoc } from '../core/user/document.ts';
import { applicationTag, machineTag, unitTag, userTag } from '../wire/tags.ts';
import { controllerAddress } from './world/controller-host.ts';
import type { SimHost, SimNetwork } from './world/network.ts';
import type { SimProcess } from './world/process.ts';

const name = 'what-if';

export class ForecastUser {
  readonly #process: SimProcess;
  readonly #network: SimNetwork;
  readonly #modelUuid: string;
  readonly #password: string;
  readonly #host: SimHost = { name: 'user', cutUntil: 0, off: false };

  constructor({
    process,
    network,
    modelUuid,
  }: {
    readonly process: SimProcess;
    readonly network: SimNetwork;
    readonly modelUuid: string;
  }) {
    this.#process = process;
    this.#network = network;
    this.#modelUuid = modelUuid;
    this.#password = process.random.uuid();
  }

  /** The user's record, in the forecast's own copy. */
  record(now: string): UserDoc {
    return {
      name,
      displayName: name,
      passwordHash: hashSecret(this.#password),
      access: 'superuser',
      createdAt: now,
      createdBy: name,
      disabled: false,
    };
  }

  /** Gives the command. Errors: those of its call. */
  async give(command: ForecastCommand): Promise<void> {
    const { facade, method, params } = callOf(command);
    const connection = await this.#open(`/model/${this.#modelUuid}/api`);
    try {
      const answer = await connection.call<{ results?: readonly OneResult[] }>(facade, method, params);
      for (const { error } of answer.results ?? [])
        if (error) throw new JujuError(error.code as ErrorCode | '', error.message);
    } finally {
      void connection.close();
    }
  }

  /** Applies a file to the model of that name (with its owner). Errors: those of applyFile. */
  async apply(
    file: ForecastFile,
    { model, ...means }: Pick<Applying, 'change' | 'tell'> & { readonly model: string },
  ): Promise<void> {
    const opened: Connection[] = [];
    const open = async (path: string): Promise<ControllerSession> => {
      const connection = await this.#open(path);
      opened.push(connection);
      const details = { uuid: '', 'api-endpoints': [controllerAddress], 'ca-cert': '', cloud: '' };
      return { connection, controller: name, details, user: name, login: this.#login };
    };
    try {
      const session = await open(`/model/${this.#modelUuid}/api`);
      await applyFile(file, {
        ...means,
        clock: this.#process.clock,
        signal: new AbortController().signal,
        session: { ...session, model, modelUuid: this.#modelUuid },
        openController: () => open('/api'),
      });
    } finally {
      for (const connection of opened) void connection.close();
    }
  }

  get #login(): Credentials {
    return { tag: userTag(name), password: this.#password };
  }

  async #open(path: string): Promise<Connection> {
    const socket = await firstThatAnswers([controllerAddress], undefined, (address) =>
      this.#network.connect(this.#process, this.#host, address, path),
    );
    return openConnection(socket, { login: this.#login, clock: this.#process.clock });
  }
}

interface OneResult {
  readonly error?: { readonly message: string; readonly code: string };
}

interface CommandCall {
  readonly facade: string;
  readonly method: string;
  readonly params: object;
}

export function callOf(command: ForecastCommand): CommandCall {
  switch (command.do) {
    case 'add-unit': {
      const { application, units } = command;
      return {
        facade: 'Application',
        method: 'AddUnits',
        params: { application, 'num-units': units, placement: [] },
      };
    }
    case 'remove-unit': {
      const { unit, force } = command;
      return {
        facade: 'Application',
        method: 'DestroyUnit',
        params: { units: [{ 'unit-tag': unitTag(unit), force }] },
      };
    }
    case 'remove-application': {
      const { application, force } = command;
      const applications = [{ 'application-tag': applicationTag(application), force }];
      return { facade: 'Application', method: 'DestroyApplication', params: { applications } };
    }
    case 'remove-machine': {
      const params = { 'machine-tags': [machineTag(command.machine)], force: command.force, keep: false };
      return { facade: 'MachineManager', method: 'DestroyMachineWithParams', params };
    }
    case 'resolved': {
      const tags = { entities: [{ tag: unitTag(command.unit) }] };
      return {
        facade: 'Application',
        method: 'ResolveUnitErrors',
        params: { all: false, retry: true, tags },
      };
    }
    case 'reprovision-machine': {
      const params = { machines: [machineTag(command.machine)] };
      return { facade: 'Provisioning', method: 'ReprovisionMachines', params };
    }
    case 'retry-provisioning': {
      const params = { machines: [machineTag(command.machine)], all: false };
      return { facade: 'MachineManager', method: 'RetryProvisioning', params };
    }
  }
}
