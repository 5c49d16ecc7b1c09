/** What a machine has, as its provider or its agent says. */
export interface Hardware {
  readonly arch?: string;
  readonly cores?: number;
  readonly cpuPower?: number;
  /** MiB. */
  readonly mem?: number;
  /** MiB. */
  readonly rootDisk?: number;
  readonly rootDiskSource?: string;
  readonly tags?: readonly string[];
  readonly availabilityZone?: string;
  readonly virtType?: string;
}
