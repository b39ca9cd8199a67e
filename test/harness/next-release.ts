/**
 * Makes this process one of a later release, whose migrations change every table. Imported before the program: see
 * asRelease().
 */
import type { QueryRunner } from 'typeorm';
import { loadDatabase } from '../../cli/catalogue.ts';
import { isTableService, SERVICES } from '../../lib/config/service-names.ts';
import type { Migration } from '../../lib/db/migrate.ts';

const RELEASE_VARIABLE = 'TEST_NEXT_RELEASE';

/** `expand` adds a column and an index to tables; `contract` removes them again. */
export type NextRelease = 'expand' | 'contract';

const TABLES = `
  SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'migrations'
  ORDER BY relname`;

async function alterTables(runner: QueryRunner, change: string): Promise<void> {
  const tables = (await runner.query(TABLES)) as { relname: string }[];
  for (const { relname } of tables) await runner.query(`ALTER TABLE ${relname} ${change}`);
}

const nothing = (): Promise<void> => Promise.resolve();

class Expand9000000000001 implements Migration {
  name = 'Expand9000000000001';
  up = (runner: QueryRunner) => alterTables(runner, `ADD COLUMN added_later text NOT NULL DEFAULT ''`);
  down = nothing;
}

class ExpandIndex9000000000002 implements Migration {
  name = 'ExpandIndex9000000000002';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS outbox_added_later');
    await runner.query('CREATE INDEX CONCURRENTLY outbox_added_later ON outbox (added_later)');
  }

  down = nothing;
}

class Contract9000000000003 implements Migration {
  name = 'Contract9000000000003';
  up = (runner: QueryRunner) => alterTables(runner, 'DROP COLUMN added_later');
  down = nothing;
}

/** Returns the variables of a process of the next release. */
export function asRelease(name: NextRelease): NodeJS.ProcessEnv {
  return { [RELEASE_VARIABLE]: name, NODE_OPTIONS: `--import ${import.meta.url}` };
}

const release = process.env[RELEASE_VARIABLE];
if (release !== undefined) {
  for (const service of SERVICES.filter((name) => process.argv.includes(name)).filter(isTableService)) {
    const { migrations } = await loadDatabase(service);
    migrations.push(Expand9000000000001, ExpandIndex9000000000002);
    if (release === 'contract') migrations.push(Contract9000000000003);
  }
}
