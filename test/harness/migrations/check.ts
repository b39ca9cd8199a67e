import type { ClientBase } from 'pg';
import type { Migration } from '../../../lib/db/migrate.ts';
import type { Catalogue } from './catalogue.ts';
import { readCatalogue } from './catalogue.ts';
import { blockingStatements } from './blocking.ts';
import { brokenStatements, prepare, type Statement } from './statements.ts';

/** What the check of a migration must know of the release whose processes run while it is applied. */
export interface Running {
  /** The statements of that release. */
  statements: readonly Statement[];
  /** All releases up to that one, oldest first. */
  releases: readonly string[];
}

/**
 * Applies a migration as the service's process would, and returns what would break or block the processes of the running
 * release: a sentence for each problem, which says what to do instead. The client is an administrator's, whose session has the
 * settings of migrate().
 */
export async function checkMigration(
  client: ClientBase,
  serviceRole: string,
  migration: Migration,
  running: Running,
): Promise<string[]> {
  const inTransaction = migration.transaction !== false;
  const before = await readCatalogue(client, serviceRole);
  await prepare(client, running.statements);
  const sent: string[] = [];
  const runner = {
    query: async (text: string, values?: unknown[]) => {
      sent.push(text);
      return (await client.query<object>(text, values)).rows;
    },
  };
  if (inTransaction) await client.query('BEGIN');
  await migration.up(runner as unknown as Parameters<Migration['up']>[0]);
  if (inTransaction) await client.query('COMMIT');
  const after = await readCatalogue(client, serviceRole);
  const contracted = contractedBy(migration, running.releases);
  return [
    ...contracted.complaints,
    ...differences(before, after)
      .filter(({ object }) => !contracted.objects.has(object))
      .map(({ complaint }) => complaint),
    ...blockingStatements(sent, before, after),
    ...(await brokenStatements(client, serviceRole, running.statements)),
  ];
}

/** Returns the objects that a contract step may remove: no running release uses them. */
function contractedBy({ contracts = {} }: Migration, releases: readonly string[]) {
  const entries = Object.entries(contracts);
  const isKnown = ([, release]: [string, string]) => releases.includes(release);
  return {
    objects: new Set(entries.filter(isKnown).map(([object]) => object)),
    complaints: entries
      .filter((entry) => !isKnown(entry))
      .map(
        ([object, release]) =>
          `${object} is contracted since ${release}, but the running release is ${String(releases.at(-1))}: wait for the ` +
          `release after ${release}.`,
      ),
  };
}

interface Difference {
  object: string;
  complaint: string;
}

const EXPAND =
  'Add the new form beside it, and remove the old one in a release after one that does not use it (contracts).';

/** Returns the differences that statements of the running release notice. */
function differences(before: Catalogue, after: Catalogue): Difference[] {
  return [
    ...removals(before, after),
    ...columnChanges(before, after),
    ...newLimits(before, after),
    ...[...before.tables]
      .filter(([name, file]) => after.tables.has(name) && after.tables.get(name) !== file)
      .map(([object]) => ({
        object: `${object} (rewritten)`,
        complaint:
          `${object} is rewritten, which blocks all its statements meanwhile. Add a column without a volatile default, and ` +
          'fill it in batches from the service.',
      })),
  ];
}

function removals(before: Catalogue, after: Catalogue): Difference[] {
  const gone: Difference[] = [];
  const report = (object: string, what: string) =>
    gone.push({ object, complaint: `${what} ${object} is gone, or has another name. ${EXPAND}` });
  for (const name of before.tables.keys()) if (!after.tables.has(name)) report(name, 'The table');
  for (const name of before.columns.keys()) {
    const [table = ''] = name.split('.');
    if (!after.columns.has(name) && after.tables.has(table)) report(name, 'The column');
  }
  for (const [name, definition] of before.routines) {
    if (!after.routines.has(name)) report(name, 'The function or view');
    else if (after.routines.get(name) !== definition)
      gone.push({ object: name, complaint: `${name} works in another way. Create a new function with another name.` });
  }
  for (const [name, { kind, table }] of before.constraints) {
    // A CHECK that is gone refuses nothing. The others decide under concurrency.
    if (kind !== 'c' && after.tables.has(table) && !after.constraints.has(name)) report(name, 'The constraint');
  }
  for (const [name, { is_unique, table }] of before.indexes) {
    if (is_unique && after.tables.has(table) && !after.indexes.has(name)) report(name, 'The unique index');
  }
  return [...gone, ...lostPrivileges(before, after)];
}

function lostPrivileges(before: Catalogue, after: Catalogue): Difference[] {
  const lost = new Map<string, string[]>();
  for (const privilege of before.privileges) {
    const [, kind = '', table = '', column] = /^(\w+) of (\w+)(?:\.(\w+))?$/.exec(privilege) ?? [];
    const exists = column === undefined ? after.tables.has(table) : after.columns.has(`${table}.${column}`);
    if (!exists || after.privileges.has(privilege)) continue;
    lost.set(table, [...(lost.get(table) ?? []), column === undefined ? kind : `${kind} (${column})`]);
  }
  return [...lost].map(([object, privileges]) => ({
    object,
    complaint:
      `The service's role loses privileges on ${object}: ${privileges.join(', ')}. Revoke them in a release after one that ` +
      'does not use them (contracts).',
  }));
}

function columnChanges(before: Catalogue, after: Catalogue): Difference[] {
  return [...after.columns].flatMap(([object, now]): Difference[] => {
    const then = before.columns.get(object);
    if (then === undefined) {
      const isNewTable = !before.tables.has(object.split('.')[0] ?? '');
      if (isNewTable || !now.is_required || now.is_filled) return [];
      const complaint = `${object} is required, but the running release does not fill it. Give it a default, or allow null until every running release fills it (contracts).`;
      return [{ object, complaint }];
    }
    const found: Difference[] = [];
    if (then.type !== now.type)
      found.push({ object, complaint: `${object} has the type ${now.type} instead of ${then.type}. ${EXPAND}` });
    if (!then.is_required && now.is_required) {
      const complaint = `${object} must not be null any more. First let a release always fill it, then require it in the next one (contracts).`;
      found.push({ object, complaint });
    }
    if (then.is_filled && !now.is_filled) {
      const complaint = `${object} has no default any more, on which the running release may rely. Drop it in a release after one that fills the column (contracts).`;
      found.push({ object, complaint });
    }
    return found;
  });
}

/** New constraints, unique indexes and triggers on tables that the running release writes. */
function newLimits(before: Catalogue, after: Catalogue): Difference[] {
  const found: Difference[] = [];
  const isOld = (column: string) => before.columns.has(column);
  for (const [object, now] of after.constraints) {
    const { id, table, kind, columns, is_validated, definition } = now;
    const then = before.constraints.get(object);
    if (then?.id === id || !before.tables.has(table)) continue;
    // A CHECK of new columns alone is satisfied by rows that lack them.
    if (kind === 'c' && columns.length > 0 && !columns.some(isOld)) continue;
    if (then === undefined || !allowsMore(then.definition, definition)) {
      const complaint =
        `The constraint ${object} may refuse what the running release writes. Let a release satisfy it first, and add it in ` +
        'the next one as NOT VALID, with VALIDATE CONSTRAINT in a later migration (contracts).';
      found.push({ object, complaint });
    }
    if (is_validated && 'cf'.includes(kind)) {
      const scan = `The constraint ${object} reads the whole table while it blocks it. Add it as NOT VALID, with VALIDATE CONSTRAINT in a later migration.`;
      found.push({ object: `${object} (validated)`, complaint: scan });
    }
  }
  for (const [object, { table, columns, is_unique }] of after.indexes) {
    if (before.indexes.has(object) || !before.tables.has(table) || !is_unique) continue;
    // Absent values are distinct, so an index of new columns alone refuses nothing, unless they have a default.
    if (
      columns.length > 0 &&
      columns.every((column) => !isOld(column) && after.columns.get(column)?.is_filled === false)
    )
      continue;
    const complaint = `The unique index ${object} may refuse what the running release writes. Let a release satisfy it first, and add it in the next one (contracts).`;
    found.push({ object, complaint });
  }
  for (const [object, { table }] of after.triggers) {
    if (before.triggers.has(object) || !before.tables.has(table)) continue;
    const complaint = `${object} changes what statements of the running release do. Let the service do it, or add it in a release after one that expects it (contracts).`;
    found.push({ object, complaint });
  }
  return found;
}

/** Whether a CHECK differs from the one before only by more values of a list, such as those of a new state. */
function allowsMore(then: string, now: string): boolean {
  const lists = /ARRAY\[[^\]]*\]/g;
  const valuesOf = (definition: string) =>
    new Set(
      definition
        .match(lists)
        ?.join()
        .match(/'(?:[^']|'')*'/g),
    );
  const frame = (definition: string) => definition.replaceAll(lists, '');
  return frame(then) === frame(now) && valuesOf(then).isSubsetOf(valuesOf(now));
}
