import type { Row } from './report/row.ts';

/** What every part of the benchmark is given. */
export interface Bench {
  /** How often each pair is measured in turn. */
  rounds: number;
  /** How long one figure is measured, after its warm-up. */
  round_ms: number;
  /** A directory with pgledger's SQL files; without it the rows that compare with it are left out. */
  pgledgerDir: string | undefined;
  /** Also measures with 10 million transfers already there, which takes long. */
  tenMillion: boolean;
  /** Says on stderr what is being done. */
  log: (line: string) => void;
}

/** One part of the benchmark; it starts what it needs, and stops it again. */
export interface Section {
  /** For `--only`. */
  id: string;
  title: string;
  /** Shows what docs/scaling.md goes by, beside the table; measured if asked for. */
  isSimulation?: true;
  measure: (bench: Bench) => Promise<Row[]>;
}
