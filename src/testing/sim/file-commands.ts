/** Applies of model files, and reverts, in simulated worlds: each is a client of its own, which may be killed. */
import { createHash } from 'node:crypto';
import { JujuError } from '../../core/errors.ts';
import { parseCharm } from '../../core/charm/parse-charm.ts';
import { parseModelFile } from '../../core/model-file/parse-model-file.ts';
import { checksumText, type SecretContent } from '../../core/secret/content.ts';
import type { Connection } from '../../client/connection.ts';
import type { CharmSource } from '../../operate/deploy/charm-source.ts';
import { applyModel, type ApplyEvent } from '../../operate/model-file/apply-model.ts';
import { prepareModel, type PreparedModel } from '../../operate/model-file/prepare-model.ts';
import { prepareRevert } from '../../operate/model-file/prepare-revert.ts';
import type { Operator } from '../../operate/operator.ts';
import type { ModelSession, OpenController } from '../../operate/sessions.ts';
import { noMachineMap } from '../../core/bundle/bundle-model.ts';
import { userTag } from '../../wire/tags.ts';
import { archiveOf, charmFilesOf, userPassword } from './controller-process.ts';
import type { FilePlan } from './file-judge.ts';
import type { SimFile } from '../file-rules.ts';
import type { Desk } from './give-command.ts';
import type { Command } from './script.ts';
import type { SimOperator } from './world.ts';

export type FileCommand =
  | {
      readonly do: 'apply';
      readonly file: SimFile;
      readonly prune: boolean;
      readonly parallel: number;
      /** Milliseconds after which the client is killed. */
      readonly killMs?: number;
    }
  /** Returns the model to what it was after its `back`-th last apply or revert, or to a revision. */
  | {
      readonly do: 'revert';
      readonly to: { readonly back: number } | { readonly revision: number };
      readonly parallel: number;
      readonly killMs?: number;
    };

/** Time after which a client that has not ended is killed, so that each operator has one at a time. */
const patienceMs = 100_000;
const askAgainMs = 1_000;

export function fileText(command: FileCommand): string {
  const killed = command.killMs === undefined ? '' : `, killed after ${command.killMs} ms`;
  const how = `--parallel ${command.parallel}`;
  if (command.do === 'revert') {
    const to = 'back' in command.to ? `[${command.to.back} applies ago]` : command.to.revision;
    return `revert --to ${to} ${how}${killed}`;
  }
  return `apply ${command.prune ? '--prune ' : ''}${how}${killed}: ${JSON.stringify(command.file)}`;
}

export function isFileCommand(command: Command): command is FileCommand {
  return command.do === 'apply' || command.do === 'revert';
}

type Needs = Pick<Desk, 'world' | 'files' | 'charmFor'>;

/** Gives a command in the model by a client of its own. Errors: those of the controller; `try again`: it was killed. */
export function giveFileCommand(needs: Needs, model: string, command: FileCommand): Promise<void> {
  const { world } = needs;
  return new Promise((resolve, reject) => {
    const client = world.operator(async (operator) => {
      await carryOut(needs, operator, { model, command }).then(resolve, reject);
      client.kill();
    });
    world.at(world.now() + (command.killMs ?? patienceMs), 'client killed', () => {
      client.kill();
      reject(new JujuError('try again', 'the client was killed'));
    });
  });
}

async function carryOut(
  needs: Needs,
  operator: SimOperator,
  { model, command }: { readonly model: string; readonly command: FileCommand },
): Promise<void> {
  const { world, files } = needs;
  const context: Operator<ApplyEvent> = {
    clock: operator.clock,
    signal: new AbortController().signal,
    architecture: 'amd64',
    report: () => undefined,
  };
  const to = command.do === 'revert' ? files.revisionOf(model, command.to) : undefined;
  const plan = async (): Promise<PreparedModel> => {
    const means = { ...(await sessionsOf(needs, operator, model)), force: false, replace: [] };
    if (to !== undefined) return prepareRevert(context, { ...means, moment: { revision: to } });
    const { file, prune } = command as Extract<FileCommand, { do: 'apply' }>;
    return prepareModel(context, {
      ...means,
      file: parseModelFile(file),
      secrets: secretsOf(file),
      map: noMachineMap,
      readCharm: (path) => Promise.resolve(charmAt(needs, operator, path)),
      readResource: (name) => Promise.reject(new Error(`no file of a world names the resource ${name}`)),
      prune,
    });
  };
  const prepared = await plan();
  if (prepared.plan.refused.length > 0) throw new JujuError('', 'the plan needs replacements');
  const { file, revision } = prepared.document;
  const planned: FilePlan =
    to === undefined
      ? { file, command, revision }
      : { file: '-revert', command: { ...command, do: 'revert', to: { revision: to } }, revision };
  files.applies(model, planned);
  const applies = prepared.plan.steps.length > 0 ? 1 : 0;
  if (applies > 0) await applyModel(context, prepared, command.parallel);
  if (!files.isQuiet(model, revision, applies)) return;
  const { steps } = (await plan()).plan;
  if (!files.isQuiet(model, revision, applies)) return;
  if (steps.length > 0)
    world.fail(`The ${command.do} of ${file} is done, and is planned again: ${JSON.stringify(steps)}`);
  files.finished(model, planned);
}

async function sessionsOf(
  { world }: Needs,
  operator: SimOperator,
  modelUuid: string,
): Promise<{ session: ModelSession; openController: OpenController }> {
  const details = { uuid: '', 'api-endpoints': [], 'ca-cert': '', cloud: 'simulated', type: 'simulated' };
  const login = { tag: userTag('admin'), password: userPassword };
  const of = { controller: 'simulated', details, user: 'admin', login };
  const { name } = world.controller.read().get('model', modelUuid) ?? { name: 'gone' };
  const connection = await reach(operator, modelUuid);
  return {
    session: { ...of, connection, model: `admin/${name}`, modelUuid },
    openController: async () => ({ ...of, connection: await operator.connect() }),
  };
}

/** Connects, as often as that takes. */
async function reach(operator: SimOperator, modelUuid: string): Promise<Connection> {
  for (;;) {
    try {
      return await operator.connect(modelUuid);
    } catch {
      await operator.sleep(askAgainMs);
    }
  }
}

/** A content for each secret of the file, as if it came from the environment. */
function secretsOf({ secrets = {} }: SimFile): Record<string, { content: SecretContent; checksum: string }> {
  return Object.fromEntries(
    Object.entries(secrets).map(([name, { content }]) => {
      const value = { value: btoa(content.value.env) };
      return [name, { content: value, checksum: sha256(checksumText(value)) }];
    }),
  );
}

/** The charm at a path such as `/db-3`: a version of the charm db. */
function charmAt({ charmFor }: Needs, operator: SimOperator, path: string): CharmSource {
  const [, name = '', version] = /^\/(\w+)-(\d+)$/.exec(path)!;
  const charm = charmFor(name, { peer: false, version: Number(version) });
  const files = charmFilesOf(charm);
  return {
    charm: parseCharm(files),
    files,
    revision: 0,
    sha256: () => Promise.resolve(sha256(archiveOf(charm))),
    upload: (_, { modelUuid }) => operator.addCharm(modelUuid, charm),
  };
}

function sha256(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}
