import { expect } from 'chai';
import pg from 'pg';
import { loadDatabase } from '../../cli/catalogue.ts';
import { TABLE_SERVICES } from '../../lib/config/service-names.ts';
import { SERVICE_TABLES } from '../../lib/db/service-tables.ts';
import { migrate } from '../../lib/db/migrate.ts';
import { Table } from '../../lib/db/table.ts';
import { createTestDatabase } from '../harness/databases.ts';

/** Tables that TypeORM keeps itself, for the migrations that have run. */
const OWN_TABLES = ['migrations'];

/** Types of the catalogue by the names that the tables of the services use for them. */
const DECLARED_AS: Record<string, string> = { character: 'text', bool: 'boolean', smallint: 'integer' };

/** Maps `table.column` to its type, with `[]` for a list and `?` if it can be null. */
type Columns = Record<string, string>;

function declaredColumns(tables: readonly unknown[]): Columns {
  const declared = tables.filter((each) => each instanceof Table);
  expect(declared).to.have.length(tables.length);
  return Object.fromEntries(
    declared.flatMap(({ name, columns }) =>
      columns.map(({ name: column, options: { type, array, nullable } }) => {
        const base = DECLARED_AS[String(type)] ?? String(type);
        return [`${name}.${column}`, `${base}${array === true ? '[]' : ''}${nullable === true ? '?' : ''}`];
      }),
    ),
  );
}

async function migratedColumns(url: string): Promise<Columns> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; type: string; is_nullable: boolean }>(
      `SELECT c.relname || '.' || a.attname AS name, format_type(a.atttypid, NULL) AS type, NOT a.attnotnull AS is_nullable
       FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = 'public' AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND c.relname <> ALL($1)`,
      [OWN_TABLES],
    );
    return Object.fromEntries(
      rows.map(({ name, type, is_nullable }) => {
        const base = type.replace('timestamp with time zone', 'timestamptz').replace('[]', '');
        const list = type.endsWith('[]') ? '[]' : '';
        return [name, `${DECLARED_AS[base] ?? base}${list}${is_nullable ? '?' : ''}`];
      }),
    );
  } finally {
    await client.end();
  }
}

describe('declared tables', () => {
  for (const service of TABLE_SERVICES) {
    it(`of ${service} match the columns that its migrations create`, async () => {
      const { tables, migrations } = await loadDatabase(service);
      const database = await createTestDatabase(service, (made) => migrate(made, migrations));
      try {
        expect(declaredColumns([...SERVICE_TABLES, ...tables])).to.deep.equal(
          await migratedColumns(database.migrationUrl),
        );
      } finally {
        await database.release();
      }
    });
  }
});
