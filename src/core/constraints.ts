/** Constraints under their wire names (facts: domain-facts §3.1). A present zero or empty value means "explicitly none". */
export interface Constraints {
  readonly arch?: string;
  readonly container?: string;
  readonly cores?: number;
  readonly 'cpu-power'?: number;
  /** MiB. */
  readonly mem?: number;
  /** MiB. */
  readonly 'root-disk'?: number;
  readonly 'root-disk-source'?: string;
  readonly tags?: readonly string[];
  readonly 'instance-role'?: string;
  readonly 'instance-type'?: string;
  readonly spaces?: readonly string[];
  readonly 'virt-type'?: string;
  readonly zones?: readonly string[];
  readonly 'allocate-public-ip'?: boolean;
  readonly 'image-id'?: string;
}
