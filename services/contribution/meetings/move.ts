/** One move of a state machine: the states that it may leave, and the one that it enters. */
export interface Move<S extends string> {
  readonly from: readonly S[];
  readonly to: S;
}
