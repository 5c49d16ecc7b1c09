/** A machine's hardware, as its provider or its agent reports it. */
export interface Hardware {
  readonly arch?: string;
  readonly cores?: number;
  readonly cpuPower?: number;
  /** Memory in MiB. */
  readonly mem?: number;
  /** Root disk in MiB. */
  readonly rootDisk?: number;
  readonly rootDiskSource?: string;
  readonly tags?: readonly string[];
  readonly availabilityZone?: string;
  readonly virtType?: string;
}
