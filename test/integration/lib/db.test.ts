import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Database } from '../../../lib/db/database.ts';
import { grantTo } from '../../../lib/db/migrate.ts';
import * as t from '../../../lib/db/table.ts';
import { openOwnTables } from '../../harness/own-tables.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { testIds } from '../../harness/runtime.ts';

const notes = t.table('notes', {
  id: t.key(t.uuid()),
  word: t.text(),
  amount_minor: t.bigint(),
  made_at: t.instant(),
  extras: t.optional(t.json<{ deep: number[] }>()),
});

/** docs/scaling.md promises that another process takes over within this time. */
const TAKEOVER_MS = 5_000;

const newId = testIds();
const noteOf = (word: string): t.RowOf<typeof notes> => ({
  id: newId(),
  word,
  amount_minor: 9_007_199_254_740_993n,
  made_at: new Date(0),
  extras: { deep: [1, 2] },
});

describe('the database handle', function () {
  this.timeout(20_000);
  let db: Database;
  let close: () => Promise<void>;

  before(async () => {
    ({ db, close } = await openOwnTables('notes', [notes], async (runner) => {
      await runner.query(
        `CREATE TABLE notes (id uuid PRIMARY KEY, word text NOT NULL UNIQUE, amount_minor bigint NOT NULL,
           made_at timestamptz NOT NULL, extras json)`,
      );
      await grantTo(runner, 'notes', 'SELECT, INSERT, UPDATE, DELETE');
    }));
  });
  after(() => close());
  beforeEach(() => db.run('DELETE FROM notes'));

  const words = async () =>
    (await db.rows<{ word: string }>('SELECT word FROM notes ORDER BY word')).map((row) => row.word);

  it('reads a row as it was written, through SQL and through TypeORM', async () => {
    const note = noteOf('a');
    await t.insertRows(db, notes, [note]);
    expect(await db.first('SELECT * FROM notes')).to.deep.equal(note);
    expect(await db.orm.findOneBy(notes, { id: note.id })).to.deep.equal(note);
  });

  it('inserts many rows in one statement in their order, and counts the rows that a write changes', async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => noteOf(`w${String(index)}`));
    await t.insertRows(db, notes, many);
    const rows = await db.rows<{ word: string }>('SELECT word FROM notes ORDER BY ctid');
    expect(rows.map(({ word }) => word)).to.deep.equal(many.map(({ word }) => word));
    expect(await db.run(`UPDATE notes SET word = word || '!'`)).to.equal(1_000);
  });

  it('updates a row only if it still has the given values', async () => {
    const note = noteOf('a');
    await t.insertRows(db, notes, [note]);
    const changes = { word: 'b', extras: null };
    expect(await t.updateRow(db, notes, { id: note.id, word: 'a' }, changes)).to.deep.equal({ ...note, ...changes });
    expect(await t.updateRow(db, notes, { id: note.id, word: 'a' }, changes)).to.equal(undefined);
  });

  describe('in a transaction', () => {
    it('commits writes that were awaited, sent without waiting, or made through TypeORM', async () => {
      await db.transaction(async (tx) => {
        await tx.orm.insert(notes, noteOf('orm'));
        tx.send('INSERT INTO notes SELECT $1, $2, 0, now()', [newId(), 'sent']);
        await t.insertRows(tx, notes, [noteOf('rows')]);
      });
      expect(await words()).to.deep.equal(['orm', 'rows', 'sent']);
    });

    it('locks rows through TypeORM until it ends', async () => {
      const note = noteOf('a');
      await t.insertRows(db, notes, [note]);
      await db.transaction(async (tx) => {
        await tx.orm.findOneOrFail(notes, { where: { id: note.id }, lock: { mode: 'pessimistic_write' } });
        expect(await db.rows('SELECT FROM notes FOR UPDATE SKIP LOCKED')).to.deep.equal([]);
      });
      expect(await db.rows('SELECT FROM notes FOR UPDATE SKIP LOCKED')).to.have.length(1);
    });

    it('rolls back work that throws, and fails with its error', async () => {
      const failed = db.transaction(async (tx) => {
        await tx.orm.insert(notes, noteOf('a'));
        throw new Error('no');
      });
      expect(await outcomeOf(failed)).to.equal('no');
      expect(await words()).to.deep.equal([]);
    });

    it('fails with the error of a write that was sent without waiting, even if a later statement fails because of it', async () => {
      await t.insertRows(db, notes, [noteOf('taken')]);
      const insert = 'INSERT INTO notes SELECT $1, $2, 0, now()';
      const sent = db.transaction((tx) => tx.send(insert, [newId(), 'taken']));
      expect(await outcomeOf(sent)).to.equal('notes_word_key');
      const followed = db.transaction(async (tx) => {
        tx.send(insert, [newId(), 'taken']);
        await tx.rows('SELECT 1');
      });
      expect(await outcomeOf(followed)).to.equal('notes_word_key');
    });

    it('fails if the work has caught the error of a statement that rolled the transaction back', async () => {
      const swallowed = db.transaction(async (tx) => {
        await tx.orm.insert(notes, noteOf('a'));
        await tx.rows('SELECT 1 / 0').catch(() => undefined);
      });
      expect(await outcomeOf(swallowed)).to.contain('rolled back');
      expect(await words()).to.deep.equal([]);
    });

    it('calls afterCommit callbacks only after a commit', async () => {
      const called: string[] = [];
      await db.transaction((tx) => tx.afterCommit(() => called.push('committed')));
      const failed = db.transaction((tx) => {
        tx.afterCommit(() => called.push('rolled back'));
        return Promise.reject(new Error('no'));
      });
      expect(await outcomeOf(failed)).to.equal('no');
      expect(called).to.deep.equal(['committed']);
    });
  });

  it('reads while all connections for writes wait, as they do while a disk hangs', async () => {
    const locking = await db.batches.session();
    await locking.run('BEGIN');
    await locking.run('LOCK TABLE notes IN SHARE MODE');
    const writes = Promise.all(Array.from({ length: 40 }, () => t.insertRows(db, notes, [noteOf(newId())])));
    try {
      expect(await Promise.race([db.rows('SELECT 1'), sleep(50, 'waits')])).to.equal('waits');
      expect(await db.reads.rows('SELECT FROM notes')).to.deep.equal([]);
    } finally {
      await locking.run('COMMIT');
      locking.end();
      await writes;
    }
    expect(await db.reads.rows('SELECT FROM notes')).to.have.length(40);
  });

  it('reads the data of a single point in time in a snapshot', async () => {
    await db.snapshot(async (moment) => {
      expect(await moment.rows('SELECT FROM notes')).to.deep.equal([]);
      await t.insertRows(db, notes, [noteOf('later')]);
      expect(await moment.rows('SELECT FROM notes')).to.deep.equal([]);
    });
  });

  it('can end a session so that its locks are released', async () => {
    await t.insertRows(db, notes, [noteOf('a')]);
    const session = await db.session();
    await session.run('BEGIN');
    await session.run('SELECT FROM notes FOR UPDATE');
    session.end(true);
    await db.rows('SELECT FROM notes FOR UPDATE');
  });

  it('frees the locks of a transaction whose process is frozen, soon enough for another process to take over', async () => {
    const { id } = noteOf('locked');
    await t.insertRows(db, notes, [{ ...noteOf('locked'), id }]);
    const locked = Promise.withResolvers<void>();
    const thawed = Promise.withResolvers<void>();
    const frozen = db.transaction(async (tx) => {
      await tx.run('SELECT FROM notes WHERE id = $1 FOR UPDATE', [id]);
      locked.resolve();
      await thawed.promise;
      tx.send('UPDATE notes SET word = $1', ['late']);
    });
    const outcome = outcomeOf(frozen);
    await locked.promise;
    await db.transaction(async (tx) => {
      await tx.run(`SET LOCAL lock_timeout = '${String(TAKEOVER_MS)}ms'`);
      await tx.run('UPDATE notes SET word = $1 WHERE id = $2', ['taken over', id]);
    });
    thawed.resolve();
    expect(await outcome).to.not.equal('done');
    expect(await words()).to.deep.equal(['taken over']);
  });
});
