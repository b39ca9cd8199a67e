import { ServiceBroker } from 'moleculer';
import { call } from '../../lib/actions/call.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import { transfer } from '../../lib/contracts/treasury.ts';
import { createRuntime } from '../../lib/node/create-runtime.ts';
import { brokerOptions } from '../../moleculer.config.ts';
import { AMOUNT_MINOR, CURRENCY } from './amounts.ts';
import { closedLoop } from './closed-loop.ts';
import type { Worker } from './worker.ts';

/** Into which pools who pays; the pools take turns. */
export interface TransferCallsInput {
  dataDir: string;
  natsUrl: string;
  pools: { association_id: string; meeting_id: string; payers: TransferPayer[] }[];
}

export interface TransferPayer {
  user_id: string;
  member_id: string;
  wallet_id: string;
}

/** Asks the treasury for transfers as the contribution service does; a node that runs no service. */
export default async function transferCalls({ dataDir, natsUrl, pools }: TransferCallsInput): Promise<Worker> {
  const settings = loadSettings({ DATA_DIR: dataDir, LOG_LEVEL: 'warn' });
  const { newId } = await createRuntime(settings, { natsUrl, databases: {} });
  const broker = new ServiceBroker({ ...brokerOptions(settings, natsUrl), nodeID: 'bench' });
  await broker.start();
  await broker.waitForServices('treasury');

  async function post(number: number): Promise<void> {
    const pool = pools[number % pools.length]!;
    const payer = pool.payers[Math.floor(number / pools.length) % pool.payers.length]!;
    await call(broker, transfer, {
      ...{
        id: newId(),
        association_id: pool.association_id,
        kind: 'contribution',
        currency: CURRENCY,
        reference: null,
      },
      legs: [
        { account: `wallet:${payer.wallet_id}`, amount_minor: -AMOUNT_MINOR },
        { account: `pool:${pool.meeting_id}`, amount_minor: AMOUNT_MINOR },
      ],
      ...{ payer_user_id: payer.user_id, member_id: payer.member_id },
    });
  }

  return {
    run: async (duration_ms, in_flight) => (await closedLoop({ duration_ms, in_flight }, post)).count,
    stop: () => broker.stop(),
  };
}
