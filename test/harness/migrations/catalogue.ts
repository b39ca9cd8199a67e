import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';

export interface ColumnShape {
  type: string;
  is_required: boolean;
  /** Whether an INSERT may leave it out although it is required: it has a default, or is generated. */
  is_filled: boolean;
}

export interface ConstraintShape {
  table: string;
  /** As in pg_constraint: c for CHECK, f for a foreign key, u, p and x for unique and exclusion constraints. */
  kind: string;
  columns: string[];
  is_validated: boolean;
  definition: string;
  /** Stays the same when a column or table is renamed, which changes the definition. */
  id: string;
}

export interface IndexShape {
  table: string;
  columns: string[];
  is_unique: boolean;
}

/** What statements can notice of the schema `public`, by names such as `table`, `table.column` and `table.constraint`. */
export interface Catalogue {
  /** The file of each table; another one means that the table was rewritten. */
  tables: Map<string, string>;
  columns: Map<string, ColumnShape>;
  constraints: Map<string, ConstraintShape>;
  /** The indexes that do not belong to a constraint. */
  indexes: Map<string, IndexShape>;
  /** Triggers, rules, policies and row security, which change what statements do. */
  triggers: Map<string, { table: string }>;
  /** Functions and views, with a hash of their definition. */
  routines: Map<string, string>;
  /** The privileges of the service's role, such as `UPDATE of table.column`. */
  privileges: Set<string>;
}

/** Tables that TypeORM keeps itself. */
const OWN_TABLES = ['migrations'];

/** Reads the schema `public`, in the client's transaction if it has one. */
export async function readCatalogue(client: ClientBase, serviceRole: string): Promise<Catalogue> {
  const list = async <Row extends object>(text: string) =>
    (await client.query<Row & { name: string }>(text, [serviceRole, OWN_TABLES])).rows;
  const tables = await list<{ file: string }>(TABLES);
  const columns = await list<ColumnShape>(COLUMNS);
  const constraints = await list<ConstraintShape>(CONSTRAINTS);
  const indexes = await list<IndexShape>(INDEXES);
  const triggers = await list<{ table: string }>(TRIGGERS);
  const routines = await list<{ definition: string }>(ROUTINES);
  const privileges = await list(PRIVILEGES);
  return {
    tables: new Map(tables.map(({ name, file }) => [name, file])),
    columns: byName(columns),
    constraints: byName(constraints),
    indexes: byName(indexes),
    triggers: byName(triggers),
    routines: new Map(routines.map(({ name, definition }) => [name, definition])),
    privileges: new Set(privileges.map(({ name }) => name)),
  };
}

/** Returns a hash of the schema that does not depend on the server's version: columns, and names of everything else. */
export function hashOf({ columns, constraints, indexes, triggers, routines, privileges }: Catalogue): string {
  const shapes = [...columns].map(([name, shape]) => `${name} ${JSON.stringify(shape)}`);
  const names = [constraints, indexes, triggers, routines].flatMap((each) => [...each.keys()]);
  return createHash('sha256')
    .update([...shapes, ...names, ...privileges].sort().join('\n'))
    .digest('hex');
}

function byName<Shape>(rows: readonly (Shape & { name: string })[]): Map<string, Shape> {
  return new Map(rows.map(({ name, ...shape }) => [name, shape as unknown as Shape]));
}

/** The parameters are the service's role and OWN_TABLES. Each statement uses both, so that all have the same form. */
const OWNED = `
  own AS (
    SELECT c.oid, c.relname, c.relfilenode, c.relrowsecurity, $1::text AS role FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname <> ALL($2::text[])
  )`;

const TABLES = `WITH ${OWNED} SELECT relname AS name, relfilenode::text AS file FROM own`;

const COLUMNS = `
  WITH ${OWNED}
  SELECT own.relname || '.' || a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
    a.attnotnull AS is_required, (a.atthasdef OR a.attidentity <> '' OR a.attgenerated <> '') AS is_filled
  FROM own JOIN pg_attribute a ON a.attrelid = own.oid AND a.attnum > 0 AND NOT a.attisdropped`;

const CONSTRAINTS = `
  WITH ${OWNED}
  SELECT own.relname || '.' || c.conname AS name, own.relname AS table, c.contype AS kind, c.convalidated AS is_validated,
    c.oid::text AS id,
    regexp_replace(pg_get_constraintdef(c.oid), ' NOT VALID$', '') AS definition,
    ARRAY(
      SELECT own.relname || '.' || a.attname FROM pg_attribute a
      WHERE a.attrelid = own.oid AND a.attnum = ANY(c.conkey) ORDER BY a.attnum
    ) AS columns
  FROM own JOIN pg_constraint c ON c.conrelid = own.oid AND c.contype IN ('c', 'f', 'u', 'p', 'x')`;

const INDEXES = `
  WITH ${OWNED}
  SELECT own.relname || '.' || ic.relname AS name, own.relname AS table, i.indisunique AS is_unique,
    ARRAY(
      SELECT own.relname || '.' || a.attname FROM pg_attribute a
      WHERE a.attrelid = own.oid AND a.attnum = ANY(i.indkey::int2[]) ORDER BY a.attnum
    ) AS columns
  FROM own JOIN pg_index i ON i.indrelid = own.oid JOIN pg_class ic ON ic.oid = i.indexrelid
  WHERE NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)`;

const TRIGGERS = `
  WITH ${OWNED}
  SELECT own.relname || '.' || t.tgname AS name, own.relname AS table
  FROM own JOIN pg_trigger t ON t.tgrelid = own.oid AND NOT t.tgisinternal AND t.tgenabled <> 'D'
  UNION ALL
  SELECT own.relname || '.' || r.rulename, own.relname FROM own JOIN pg_rewrite r ON r.ev_class = own.oid
  UNION ALL
  SELECT own.relname || '.row security', own.relname FROM own WHERE own.relrowsecurity`;

const ROUTINES = `
  WITH ${OWNED}
  SELECT p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' AS name,
    md5(pg_get_function_result(p.oid) || p.prosrc) AS definition
  FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
  UNION ALL
  SELECT c.relname, md5(pg_get_viewdef(c.oid)) FROM pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('v', 'm')`;

const PRIVILEGES = `
  WITH ${OWNED}
  SELECT privilege || ' of ' || own.relname || '.' || a.attname AS name
  FROM own JOIN pg_attribute a ON a.attrelid = own.oid AND a.attnum > 0 AND NOT a.attisdropped
  CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE']) AS privilege
  WHERE has_column_privilege(own.role, own.oid, a.attnum, privilege)
  UNION ALL
  SELECT 'DELETE of ' || own.relname FROM own WHERE has_table_privilege(own.role, own.oid, 'DELETE')`;
