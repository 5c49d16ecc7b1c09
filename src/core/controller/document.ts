import { defineKind } from '../kind.ts';

/** The controller itself. Controller space; id `self`. */
export interface ControllerDoc {
  readonly uuid: string;
  readonly name: string;
  readonly cloud: string;
  readonly region: string;
  /** The uuid of the model named `controller`. */
  readonly modelUuid: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
}

export const controller = defineKind<ControllerDoc>()({
  space: 'controller',
  idOf: () => 'self',
});
