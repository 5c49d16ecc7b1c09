/** What keeps a model from being migrated, in the controller that has it (migration.md#migration-checks). */
import type { Entities } from '../kinds.ts';
import type { ModelDoc } from '../model/document.ts';
import { isHeld } from '../model/restored.ts';
import { readContentKey } from '../secret/content-key.ts';

interface View {
  list<P extends keyof Entities>(kind: P): Iterable<Entities[P]>;
  get<P extends keyof Entities>(kind: P, id: string): Entities[P] | undefined;
  in(space: string): View;
}

export interface Circumstances {
  readonly model: ModelDoc;
  /** Whether the model is the controller's own. */
  readonly isControllers: boolean;
  /** Whether the agent of a machine is connected. */
  readonly isPresent: (machine: string) => boolean;
}

/**
 * The first reason why the model cannot be migrated; undefined when there is none. `view`: of the model. Units in error
 * move as they are.
 */
export function precheck(view: View, { model, isControllers, isPresent }: Circumstances): string | undefined {
  if (isControllers) return "the controller's own model cannot be migrated";
  if (model.life !== 'alive') return `model is ${model.life}`;
  if (isHeld(model)) return 'the model waits until its restore is accepted (accept-restore)';
  if (model.credential !== '' && view.in('').get('credential', model.credential)?.revoked)
    return 'model has revoked credentials';
  return ofMachines(view, isPresent) ?? ofApplications(view) ?? ofOtherModels(view) ?? ofSecrets(view, model);
}

function ofMachines(view: View, isPresent: (machine: string) => boolean): string | undefined {
  for (const { id, life, instance } of view.list('machine')) {
    if (life !== 'alive') return `machine ${id} is ${life}`;
    if (!instance) return `machine ${id} not running`;
    if (!isPresent(id)) return `machine ${id} agent not functioning at this time (down)`;
  }
  return undefined;
}

function ofApplications(view: View): string | undefined {
  for (const { name, life, rollout } of view.list('application')) {
    if (life !== 'alive') return `application ${name} is ${life}`;
    if (rollout) return `application ${name} is being rolled out`;
  }
  for (const { name, life, charmUrl, application, unplaced } of view.list('unit')) {
    if (life !== 'alive') return `unit ${name} is ${life}`;
    // A unit without a machine gets the charm that its application has when it gets one.
    if (!unplaced && charmUrl !== view.get('application', application)?.charmUrl)
      return `unit ${name} is upgrading`;
  }
  for (const { id, life } of view.list('relation')) if (life !== 'alive') return `relation ${id} is ${life}`;
  for (const { id, ending } of view.list('storage')) if (ending) return `storage ${id} is being removed`;
  return undefined;
}

/** From another controller, no end of a relation is told to this one's models without a macaroon. */
function ofOtherModels(view: View): string | undefined {
  for (const { controller, model } of view.list('relation-end'))
    if (controller === '') return `the end of a relation has still to be told to model ${model}`;
  return undefined;
}

/** What to do about secrets in a backend that the other controller may not know, or not by the same token. */
const keepHere =
  'let the model use backend internal (model-secret-backend), and wait until its secrets are there';

function ofSecrets(view: View, { config }: ModelDoc): string | undefined {
  const { 'secret-backend': named } = config;
  if (typeof named === 'string' && !['', 'auto', 'internal'].includes(named))
    return `model keeps its secrets in backend ${named}: ${keepHere}`;
  for (const { content } of view.list('secret-revision')) {
    const { backend, name } = readContentKey(content);
    const { name: at = backend } = view.in('').get('secret-backend', backend) ?? {};
    if (backend !== '') return `secret ${name.split('/')[0]} is kept in secret backend ${at}: ${keepHere}`;
  }
  return undefined;
}
