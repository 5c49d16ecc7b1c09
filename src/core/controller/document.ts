import { defineKind } from '../kind.ts';

/** Controller space. The controller itself; id `self`. */
export interface ControllerDoc {
  readonly uuid: string;
  readonly name: string;
  readonly cloud: string;
  readonly region: string;
  /** The uuid of the model called `controller`. */
  readonly modelUuid: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
}

export const controller = defineKind<ControllerDoc>()({
  space: 'controller',
  idOf: () => 'self',
});
