import { median, ratioOf, spreadOf } from '../report/statistics.ts';
import type { Spread } from '../report/row.ts';
import type { Bench } from '../section.ts';

/** Long enough for statements to be prepared, pools to be filled, and hot code to be compiled. */
const WARM_UP_MAX_MS = 1_000;

/** What came of one round. */
export interface Outcome {
  figure: number;
  /** Others that explain it, by names with the unit last: `p99_ms`. The same names in each round. */
  details?: Readonly<Record<string, number>>;
}

/** One of those that are measured in turn. */
export interface Contender {
  name: string;
  /** Prepares one figure, such as by a checkpoint; no part of it. */
  before?: () => Promise<void>;
  /**
   * Measures one figure.
   * @param duration_ms how long, where the figure is a rate
   */
  run: (duration_ms: number) => Promise<Outcome>;
}

/** What came out over the rounds that count. */
export interface Measured {
  /** The figure of this contender, or one of its details. */
  spread: (name: string, detail?: string) => Spread;
  /** The figure of one over that of the other, round by round. */
  ratio: (name: string, baseline: string) => Spread;
  /** The median of each detail of this contender. The prefix goes before their names. */
  details: (name: string, prefix?: string) => Record<string, number>;
}

/**
 * Measures the contenders in turn: first each once to warm up, which does not count, then all of them in each round.
 * Every other round goes the other way, so that none always comes after the same one.
 * @throws with the contender's name if one of them fails
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
