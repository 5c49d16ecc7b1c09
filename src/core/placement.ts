/** Where a unit or machine is asked to be (facts: domain-facts §4.1). Scope `#` = a machine id, `lxd` = in a container, a model uuid = the provider's own directive. */
export interface Placement {
  readonly scope: string;
  readonly directive: string;
}
