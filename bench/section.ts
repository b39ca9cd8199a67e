import type { Row } from './report/row.ts';

/** What every part of the benchmark is given. */
export interface Bench {
  /** How often each contender is measured in turn. */
  rounds: number;
  /** How long one figure is measured, after its warm-up. */
  round_ms: number;
  /** How many transfers and contributions there are before growth is measured. */
  history: number;
  /** A directory with pgledger's SQL files; without it the rows that compare with it are left out. */
  pgledgerDir: string | undefined;
  /** Says on stderr what is being done. */
  log: (line: string) => void;
}

/** One part of the benchmark; it starts what it needs, and stops it again. */
export interface Section {
  id: string;
  title: string;
  measure: (bench: Bench) => Promise<Row[]>;
}
