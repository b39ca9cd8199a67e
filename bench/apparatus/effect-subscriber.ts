import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { provision } from '../../lib/embedded/provision.ts';
import type { ServiceDatabase } from '../../lib/runtime/resources.ts';
import type { Cluster } from '../../test/support/cluster.ts';

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
export type SubscriberWord = { ready: true } | { lags_ms: number[] } | { failed: string };

const DATABASE = 'bench_effects';

/** Starts it; it follows from the first event in the stream. */
export async function startEffectSubscriber(
  { adminUrl, natsUrl }: Cluster,
  in_flight_max: number,
): Promise<EffectSubscriber> {
  const login = { name: DATABASE, password: DATABASE };
  const { made } = await provision(adminUrl, { made: { database: DATABASE, login } });
  const child = fork(join(import.meta.dirname, 'effect-subscriber-process.ts'));
  const exited = once(child, 'exit').then((): SubscriberWord => ({ failed: 'the process has died' }));
  const ask = async (order: SubscriberPlan | 'take'): Promise<SubscriberWord> => {
    const said = once(child, 'message').then(([word]) => word as SubscriberWord);
    child.send(order);
    const word = await Promise.race([said, exited]);
    if ('failed' in word) throw new Error(`The subscriber: ${word.failed}`);
    return word;
  };
  const stop = async () => {
    child.kill();
    await exited;
  };
  try {
    await ask({ natsUrl, database: made, in_flight_max });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    async takeLags() {
      const word = await ask('take');
      return 'lags_ms' in word ? word.lags_ms : [];
    },
    stop,
  };
}
