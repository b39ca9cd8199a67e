import { median, ratioOf, spreadOf } from '../report/statistics.ts';
import type { Spread } from '../report/row.ts';
import type { Bench } from '../section.ts';

/** Long enough to prepare statements, to fill pools and to compile hot code. */
const WARM_UP_MAX_MS = 1_000;

/** The result of a contender in a round. */
export interface Outcome {
  figure: number;
  /** Figures that explain it, with the unit at the end of the name (`p99_ms`). Each round has the same names. */
  details?: Readonly<Record<string, number>>;
}

/** An implementation that is measured in turn with others. */
export interface Contender {
  name: string;
  /** Prepares a measurement, for example by a checkpoint; not measured. */
  before?: () => Promise<void>;
  /**
   * Measures a figure.
   * @param duration_ms length of the measurement if the figure is a rate
   */
  run: (duration_ms: number) => Promise<Outcome>;
}

/** The results over all rounds. */
export interface Measured {
  /** Returns the figure of this contender, or one of its details. */
  spread: (name: string, detail?: string) => Spread;
  /** Returns the ratio of the figures of two contenders in each round. */
  ratio: (name: string, baseline: string) => Spread;
  /** Returns the median of each detail of this contender, with the prefix before its name. */
  details: (name: string, prefix?: string) => Record<string, number>;
}

/**
 * Measures the contenders in turn: each once as a warm-up, which does not count, and then all of them in each round.
 * Every other round has the reverse order, so that no contender always follows the same one.
 * @throws Error with the name of the contender that failed
 */
export async function inTurn(
  { rounds, round_ms, log }: Pick<Bench, 'rounds' | 'round_ms' | 'log'>,
  contenders: readonly Contender[],
): Promise<Measured> {
  const outcomes = new Map<string, Outcome[]>(contenders.map(({ name }) => [name, []]));
  for (const contender of contenders) await runOnce(contender, Math.min(round_ms, WARM_UP_MAX_MS));
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      outcomes.get(contender.name)?.push(await runOnce(contender, round_ms));
    }
    const figures = [...outcomes].map(([name, all]) => `${name} ${String(Math.round(all.at(-1)?.figure ?? 0))}`);
    log(`  round ${String(round + 1)}: ${figures.join(', ')}`);
  }
  return measuredFrom(outcomes);
}

async function runOnce({ name, before, run }: Contender, duration_ms: number): Promise<Outcome> {
  try {
    await before?.();
    return await run(duration_ms);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function measuredFrom(outcomes: ReadonlyMap<string, readonly Outcome[]>): Measured {
  const figures = (name: string, detail?: string): number[] =>
    (outcomes.get(name) ?? []).map((each) => (detail === undefined ? each.figure : (each.details?.[detail] ?? NaN)));
  const spread: Measured['spread'] = (name, detail) => spreadOf(figures(name, detail));
  return {
    spread,
    ratio: (name, baseline) => ratioOf(spread(name), spread(baseline)),
    details(name, prefix = '') {
      const names = Object.keys(outcomes.get(name)?.[0]?.details ?? {});
      return Object.fromEntries(names.map((detail) => [`${prefix}${detail}`, median(figures(name, detail))]));
    },
  };
}
