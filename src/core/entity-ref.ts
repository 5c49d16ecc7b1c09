/** A reference to a living entity (lives.md#living-kinds). */
export interface EntityRef {
  readonly kind: LivingKind;
  /** Name of an application or unit; number of a machine (`1/lxd/0`) or relation, as text; uuid of a model. */
  readonly id: string;
}
export type LivingKind = 'application' | 'machine' | 'model' | 'relation' | 'unit';
