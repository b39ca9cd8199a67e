/**
 * Runs a relay in a separate process, for tests that freeze it. The environment names the database and NATS. The
 * process ends when its parent ends, or on SIGTERM.
 */
import pg from 'pg';
import { openBus } from '../../lib/events/stream.ts';
import { startRelay } from '../../lib/events/outbox-relay.ts';
import '../../lib/db/pg-types.ts';
import { openPool } from '../../lib/db/pool.ts';
import { quietLog, testClock } from './runtime.ts';

const { OUTBOX_URL: connectionString = '', OUTBOX_NATS_URL: natsUrl = '' } = process.env;
const pool = new pg.Pool({ connectionString, max: 3, pipeline: true });
const bus = await openBus(natsUrl, 'relay-process');
const relay = startRelay({ db: openPool(pool), bus, outbox: 'relay-takeover', clock: testClock, log: quietLog });
process.on('disconnect', () => process.exit(1));
process.on('SIGTERM', () => void relay.stop().then(() => process.exit(0)));
process.send?.('started');
