import { escapeIdentifier, type ClientBase } from 'pg';

/** A statement of a service, as a process of its release has sent it. */
export interface Statement {
  /** The name of a prepared statement, which a session keeps. */
  name?: string;
  text: string;
}

/** Prepares the named statements as the sessions of running processes have. */
export async function prepare(client: ClientBase, statements: readonly Statement[]): Promise<void> {
  await client.query('DEALLOCATE ALL');
  for (const { name, text } of statements) {
    if (name !== undefined) await client.query(`PREPARE ${escapeIdentifier(name)} AS ${text}`);
  }
}

/**
 * Returns a complaint for each statement that the service's role can no longer execute: in a new session, or in one that has
 * prepared it. Its plan shows that: it needs the tables, columns and functions of the statement, with their types, and the
 * privileges.
 */
export async function brokenStatements(
  client: ClientBase,
  serviceRole: string,
  statements: readonly Statement[],
): Promise<string[]> {
  const complaints: string[] = [];
  await client.query(`SET ROLE ${escapeIdentifier(serviceRole)}`);
  for (const { name, text } of statements) {
    const shown = name ?? text.slice(0, SHOWN_CHARACTERS);
    const broken = await failureOf(client, `EXPLAIN (GENERIC_PLAN) ${text}`);
    if (broken !== undefined) complaints.push(`The running release can no longer execute "${shown}": ${broken}.`);
    if (broken !== undefined || name === undefined) continue;
    const outdated = await failureOf(client, `EXPLAIN EXECUTE ${escapeIdentifier(name)}${nulls(text)}`);
    if (outdated === undefined) continue;
    complaints.push(
      `The running release has prepared "${shown}", which fails from now on: ${outdated}. If it returns all columns of a table, ` +
        'put a new column into another table, or wait for a release without this statement.',
    );
  }
  await client.query('RESET ROLE');
  return complaints;
}

const SHOWN_CHARACTERS = 160;

async function failureOf(client: ClientBase, statement: string): Promise<string | undefined> {
  return client.query(statement).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
}

/** Returns a list with null for each parameter of the statement. */
function nulls(text: string): string {
  const parameters = new Set([...text.matchAll(/\$(\d+)/g)].map(([, number]) => number));
  return parameters.size === 0 ? '' : `(${Array.from(parameters, () => 'NULL').join()})`;
}
