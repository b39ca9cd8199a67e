import { ratioOf, spreadOf } from '../report/statistics.ts';
import type { Spread } from '../report/row.ts';
import type { Bench } from '../section.ts';

/** Long enough for statements to be prepared, pools to be filled, and hot code to be compiled. */
const WARM_UP_MAX_MS = 1_000;

/** One of those that are measured in turn. */
export interface Contender {
  name: string;
  /** Makes ready for one figure, such as by a checkpoint; no part of it. */
  before?: () => Promise<void>;
  /**
   * Measures one figure.
   * @param duration_ms how long, where the figure is one of time
   */
  run: (duration_ms: number) => Promise<number>;
}

export interface Measured {
  /** What came out for this contender. */
  spread: (name: string) => Spread;
  /** One over the other, round by round. */
  ratio: (name: string, beside: string) => Spread;
}

/**
 * Measures the contenders in turn: first each once to warm up, which does not count, then all of them in each round.
 * Every other round goes the other way, so that none always comes after the same one.
 * @throws with the contender's name if one of them fails
 */
export async function inTurn(
  bench: Pick<Bench, 'rounds' | 'round_ms' | 'log'>,
  contenders: readonly Contender[],
): Promise<Measured> {
  const figures = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (const contender of contenders) await once(contender, Math.min(bench.round_ms, WARM_UP_MAX_MS));
  for (let round = 0; round < bench.rounds; round += 1) {
    const order = round % 2 === 0 ? contenders : contenders.toReversed();
    for (const contender of order) figures.get(contender.name)?.push(await once(contender, bench.round_ms));
    const said = contenders.map(({ name }) => `${name} ${String(Math.round(figures.get(name)?.[round] ?? 0))}`);
    bench.log(`  round ${String(round + 1)}: ${said.join(', ')}`);
  }
  const spread = (name: string): Spread => spreadOf(figures.get(name) ?? []);
  return { spread, ratio: (name, beside) => ratioOf(spread(name), spread(beside)) };
}

async function once({ name, before, run }: Contender, duration_ms: number): Promise<number> {
  try {
    await before?.();
    return await run(duration_ms);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
