/** Archives an outbox in a separate process, which kills itself at a step. The environment names all. */
import pg from 'pg';
import '../../lib/db/pg-types.ts';
import { openPool } from '../../lib/db/pool.ts';
import { archiveOutbox } from '../../lib/events/archive-outbox.ts';

const { OUTBOX_URL: connectionString = '', ARCHIVE_DIR: dir = '', DIES_AT: diesAt, FILES_OF: size } = process.env;
const pool = new pg.Pool({ connectionString, max: 2, pipeline: true });
await archiveOutbox({
  db: openPool(pool),
  outbox: 'membership',
  dir,
  before: new Date(),
  isDry: false,
  file_max_events: Number(size),
  reached(step) {
    if (step === diesAt) process.kill(process.pid, 'SIGKILL');
  },
});
await pool.end();
