import { once } from 'node:events';
import { ServiceBroker } from 'moleculer';
import type { EntityManager, MigrationInterface, QueryRunner } from 'typeorm';
import { openBus } from '../../lib/events/bus.ts';
import { startSubscriber } from '../../lib/events/subscriber.ts';
import { createCommonTables } from '../../lib/db/common-tables.ts';
import { openDatabase } from '../../lib/db/database.ts';
import { grantTo } from '../../lib/db/migrate.ts';
import type { SubscriberPlan, SubscriberWord } from './effect-subscriber.ts';

/** Beside the inbox, the table that the effects are written to. */
class CreateEffects1764000000000 implements MigrationInterface {
  name = 'CreateEffects1764000000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await createCommonTables(queryRunner);
    await queryRunner.query('CREATE TABLE effects (contribution_id uuid PRIMARY KEY, amount_minor bigint NOT NULL)');
    await grantTo(queryRunner, 'effects', 'SELECT, INSERT');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE effects, outbox, inbox, dead_letters, cursor_keys');
  }
}

const say = (word: SubscriberWord) => void process.send?.(word);

async function main(): Promise<void> {
  const [plan] = (await once(process, 'message')) as [SubscriberPlan];
  const database = await openDatabase(plan.database, { entities: [], migrations: [CreateEffects1764000000000] });
  const bus = await openBus(plan.natsUrl, 'bench');
  let lags_ms: number[] = [];
  const made_at_ms = new WeakMap<EntityManager, number[]>();
  startSubscriber(
    {
      bus,
      async transaction(work) {
        let made: number[] = [];
        const result = await database.transaction(async (manager) => {
          const worked = await work(manager);
          made = made_at_ms.get(manager) ?? [];
          return worked;
        });
        const done = Date.now();
        lags_ms.push(...made.map((each) => done - each));
        return result;
      },
      clock: () => new Date(),
      log: new ServiceBroker({ logLevel: 'warn' }).logger,
    },
    {
      durable: 'bench-effects',
      type: 'contribution.paid',
      in_flight_max: plan.in_flight_max,
      async handle(event, manager) {
        const { contribution_id, amount_minor } = event.data;
        await manager.query('INSERT INTO effects (contribution_id, amount_minor) VALUES ($1, $2)', [
          contribution_id,
          amount_minor,
        ]);
        made_at_ms.set(manager, [...(made_at_ms.get(manager) ?? []), Date.parse(event.time)]);
      },
    },
  );
  process.on('message', () => {
    say({ lags_ms });
    lags_ms = [];
  });
  say({ lags_ms });
}

process.on('disconnect', () => process.exit());
main().catch((error: unknown) => say({ failed: error instanceof Error ? error.message : String(error) }));
