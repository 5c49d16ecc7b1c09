/** A base, e.g. ubuntu@24.04 (facts: domain-facts §5). */
export interface Base {
  readonly name: string;
  /** track/risk, e.g. `24.04/stable`. */
  readonly channel: string;
}
