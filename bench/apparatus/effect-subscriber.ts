import { join } from 'node:path';
import { provision } from '../../lib/embedded/provision.ts';
import type { ServiceDatabase } from '../../lib/node/resources.ts';
import type { Cluster } from '../../test/harness/cluster.ts';
import { startForked } from './forked.ts';
import type { Failed } from './forked.ts';

/** A follower of contributions in a process of its own, with tables of its own. */
export interface EffectSubscriber {
  /** The lags, in ms, of all effects since it was last asked. */
  takeLags(): Promise<number[]>;
  stop(): Promise<void>;
}

/** What the process is told at first. */
export interface SubscriberPlan {
  natsUrl: string;
  database: ServiceDatabase;
  /** How many events it may handle at once. */
  in_flight_max: number;
}

/** What the process says. */
export type SubscriberWord = Lags | Failed;

interface Lags {
  /** Of the effects since it last said so; none when it begins. */
  lags_ms: number[];
}

const DATABASE = 'bench_effects';

/** Starts it; it follows from the first event in the stream. */
export async function startEffectSubscriber(
  { adminUrl, natsUrl }: Cluster,
  in_flight_max: number,
): Promise<EffectSubscriber> {
  const login = { name: DATABASE, password: DATABASE };
  const { made } = await provision(adminUrl, { made: { database: DATABASE, login } });
  const script = join(import.meta.dirname, 'effect-subscriber-process.ts');
  const plan = { natsUrl, database: made, in_flight_max };
  const { ask, stop } = await startForked<SubscriberPlan | 'take', Lags>(script, 'the subscriber', plan);
  return { takeLags: async () => (await ask('take')).lags_ms, stop };
}
