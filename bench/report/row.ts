/** The values of a figure over the rounds. */
export interface Spread {
  median: number;
  least: number;
  greatest: number;
  /** The values in the order of the rounds. */
  rounds: number[];
}

/** The goal of a row, for its ratio to the baseline or for its figure. */
export interface Goal {
  of: 'ratio' | 'figure';
  at: 'least' | 'most';
  value: number;
}

/** The unit of a figure. Higher is better for '/s', lower for all other units. `t` is the statistic of a t-test. */
export type Unit = '/s' | 't' | '%' | 'ms' | 'µs of CPU' | 's' | 'MiB';

/** A row of the table. */
export interface Row {
  /** A stable id to compare runs, for example `ledger.hot.128`. */
  id: string;
  what: string;
  unit: Unit;
  ours: Spread;
  /** A cost floor, another ledger, or the same without a history, which is measured in turn with the services. */
  baseline?: { what: string; figure: Spread };
  /** The ratio of `ours` to the baseline in each round. */
  ratio?: Spread;
  goal?: Goal;
  /** Figures that explain this one, with the unit at the end of the name (`p99_ms`). */
  details?: Record<string, number>;
}
