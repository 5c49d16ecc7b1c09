/**
 * Why a machine could not be started, by who can do something about it (machines.md#failure-classes). Providers say the
 * class.
 */
export type FailureClass =
  | /** Try again later. */ 'transient'
    /** Try another zone. */
  | 'zonal'
  /** The account's limit: try when somebody raised it, or something was released. */
  | 'quota'
  /** The credential is refused. */
  | 'credential'
  /** It will never work as asked. */
  | 'bad request';
