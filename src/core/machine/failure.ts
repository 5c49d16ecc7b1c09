/** Classes of failed starts, by who can repair the cause (machines.md#failure-classes). Providers report the class. */
export type FailureClass =
  | /** Try again later. */ 'transient'
  /** A failure of the zone: another zone may work. */
  | 'zonal'
  /** A limit of the account: the start may work once the limit is raised or resources are released. */
  | 'quota'
  /** A credential that the cloud refused. */
  | 'credential'
  /** A request that can never succeed. */
  | 'bad request';
