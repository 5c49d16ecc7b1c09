import { hasCode, JujuError } from '../../core/errors.ts';
import { addGuest, guest } from './access.ts';
import type { Acknowledged } from './acknowledged.ts';
import { userPassword } from './controller-process.ts';
import { giveCommand, type Desk } from './give-command.ts';
import type { Command, CommandName, Step } from './script.ts';
import type { SimOperator, World } from './world.ts';

/** Timeout of a command, after which its result is unknown. */
const patienceMs = 120_000;

interface Outcomes {
  ok: number;
  refused: number;
  /** Number of commands without an answer: each may have been carried out or not. */
  unknown: number;
}
export type CommandCounts = Partial<Record<CommandName, Outcomes>>;

type Order = Command & { readonly atMs: number; readonly model: number };

/** Carries out a script's commands: each operator gives one after another, at their own pace. */
export class Operators {
  readonly #world: World;
  readonly #acknowledged: Acknowledged;
  readonly #charmFor: Desk['charmFor'];
  readonly files: Desk['files'];
  readonly #onForce: Desk['onForce'];
  readonly #onGiven: Desk['onGiven'];
  /** Uuid of the current model in each place. */
  readonly models: string[] = [];
  readonly counts: CommandCounts = {};
  #made = 0;
  #busy = 0;

  constructor(needs: {
    world: World;
    acknowledged: Acknowledged;
    charmFor: Desk['charmFor'];
    files: Desk['files'];
    onForce: Desk['onForce'];
    onGiven: Desk['onGiven'];
  }) {
    this.#world = needs.world;
    this.#acknowledged = needs.acknowledged;
    this.#charmFor = needs.charmFor;
    this.files = needs.files;
    this.#onForce = needs.onForce;
    this.#onGiven = needs.onGiven;
  }

  /** Whether every command was answered, or has timed out. */
  get done(): boolean {
    return this.#busy === 0;
  }

  /** Creates the models; then the operators begin, and `onBegin` is called. */
  start(steps: readonly Step[], modelCount: number, onBegin: () => void): void {
    const orders = steps.filter((step) => 'do' in step);
    this.act(async (operator) => {
      for (let place = 0; place < modelCount; place++) await this.#addModel(operator, place);
      if (orders.some(({ by }) => by === guest)) await addGuest(operator, this.#world, userPassword);
      const begin = this.#world.now();
      onBegin();
      for (const by of new Set(orders.map((one) => one.by))) {
        const own = orders.filter((one) => one.by === by);
        this.act((other) => this.#work(other, own, begin), by === guest ? guest : 'admin');
      }
    });
  }

  /** Runs any other script of an operator. */
  act(script: (operator: SimOperator) => Promise<void>, user = 'admin'): void {
    this.#busy++;
    this.#world.operator(async (operator) => {
      await script(operator);
      this.#busy--;
    }, user);
  }

  /** Gives a command and returns its kind of outcome. */
  async order(operator: SimOperator, model: string, command: Command): Promise<keyof Outcomes> {
    const { counts } = this;
    const of = (counts[command.do] ??= { ok: 0, refused: 0, unknown: 0 });
    const outcome = await this.#give(operator, model, command);
    of[outcome]++;
    return outcome;
  }

  async #work(operator: SimOperator, orders: readonly Order[], begin: number): Promise<void> {
    for (const order of orders) {
      const wait = begin + order.atMs - this.#world.now();
      if (wait > 0) await operator.sleep(wait);
      if (order.do === 'add-model') await this.#addModelIfGone(operator, order.model);
      else await this.order(operator, this.models[order.model] ?? '', order);
    }
  }

  async #give(operator: SimOperator, model: string, command: Command): Promise<keyof Outcomes> {
    const needs = {
      world: this.#world,
      models: this.models,
      acknowledged: this.#acknowledged,
      charmFor: this.#charmFor,
      files: this.files,
      onForce: this.#onForce,
      onGiven: this.#onGiven,
      operator,
    };
    const given = giveCommand(needs, model, command).then(
      () => 'ok' as const,
      (error: unknown) => {
        if (error instanceof Error && error.name === 'TimeoutError') return 'unknown' as const;
        if (!(error instanceof JujuError)) throw error;
        return hasCode(error, 'try again') ? ('unknown' as const) : ('refused' as const);
      },
    );
    return Promise.race([given, operator.sleep(patienceMs).then(() => 'unknown' as const)]);
  }

  async #addModelIfGone(operator: SimOperator, place: number): Promise<void> {
    const old = this.#world.controller.read().get('model', this.models[place] ?? '');
    const of = (this.counts['add-model'] ??= { ok: 0, refused: 0, unknown: 0 });
    if (old?.life === 'alive') return void of.refused++;
    await this.#addModel(operator, place);
    of.ok++;
  }

  /** Adds a model; in the model of the second place, failed hooks wait to be resolved. */
  async #addModel(operator: SimOperator, place: number): Promise<void> {
    const config = place === 1 ? { 'automatically-retry-hooks': false } : {};
    const uuid = await operator.addModel(`model-${this.#made++}`, config);
    this.models[place] = uuid;
    this.#acknowledged.promise(`add-model ${uuid}`, () => this.#acknowledged.changes('', 'model').born(uuid));
  }
}
