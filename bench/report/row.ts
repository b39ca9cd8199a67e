/** One figure as it came out over the rounds. */
export interface Spread {
  median: number;
  least: number;
  greatest: number;
  /** In the order in which they were measured. */
  rounds: number[];
}

/** What a row has to reach: its ratio to the baseline, or its own figure. */
export interface Goal {
  of: 'ratio' | 'figure';
  at: 'least' | 'most';
  value: number;
}

/** What a figure counts; of '/s' more is better, of all others less. */
export type Unit = '/s' | 'ms' | 'µs of CPU' | 's' | 'MiB';

/** One line of the table. */
export interface Row {
  /** Stable, for comparing runs: `ledger.hot.128`. */
  id: string;
  what: string;
  unit: Unit;
  ours: Spread;
  /** A cost floor, another ledger, or the same without a history; measured in turn with ours. */
  baseline?: { what: string; figure: Spread };
  /** Ours over the baseline, round by round. */
  ratio?: Spread;
  goal?: Goal;
  /** Figures that explain this one, with the unit last in the name: `p99_ms`. */
  details?: Record<string, number>;
}
