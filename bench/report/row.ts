/** One figure as it came out over the rounds. */
export interface Spread {
  median: number;
  least: number;
  greatest: number;
  /** In the order in which they were measured. */
  rounds: number[];
}

/** What a row has to reach: its ratio to what was measured beside it, or its own figure. */
export type Goal =
  { of: 'ratio'; at: 'least' | 'most'; value: number } | { of: 'figure'; at: 'least' | 'most'; value: number };

/** What a figure counts. */
export type Unit = '/s' | 'ms' | 'µs of CPU' | 's' | 'MiB' | 'bytes' | 'connections';

/** One line of the table. */
export interface Row {
  /** Stable, for comparing runs: `ledger.hot.128`. */
  id: string;
  /** What was measured, in words. */
  what: string;
  unit: Unit;
  ours: Spread;
  /** The floor or peer that was measured in turn with it. */
  beside?: { what: string; figure: Spread };
  /** Ours over the other, round by round. */
  ratio?: Spread;
  goal?: Goal;
  /** Other figures that explain this one, by name, with the unit last in the name: `p99_ms`. */
  details?: Record<string, number | string>;
}
