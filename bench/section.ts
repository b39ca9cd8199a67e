import type { Row } from './report/row.ts';

/** The input of each section of the benchmark. */
export interface Bench {
  /** Number of rounds in which each contender is measured. */
  rounds: number;
  /** Length of a measurement, after the warm-up. */
  round_ms: number;
  /** Number of transfers and contributions before growth is measured. */
  history: number;
  /** A directory with pgledger's SQL files; if absent, the rows that compare with it are omitted. */
  pgledgerDir: string | undefined;
  /** Reports progress on stderr. */
  log: (line: string) => void;
}

/** A section of the benchmark, which starts and stops the processes that it needs. */
export interface Section {
  id: string;
  title: string;
  /** Whether it is measured only if it is named. */
  isOnRequest?: boolean;
  measure: (bench: Bench) => Promise<Row[]>;
}
