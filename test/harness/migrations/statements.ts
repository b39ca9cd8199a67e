import { escapeIdentifier, type ClientBase } from 'pg';

/**
 * Returns a complaint for each statement that the service's role can no longer execute. Its plan shows that: it needs the
 * tables, columns and functions of the statement, with their types, and the privileges.
 */
export async function brokenStatements(
  client: ClientBase,
  serviceRole: string,
  statements: readonly string[],
): Promise<string[]> {
  const complaints: string[] = [];
  await client.query(`SET ROLE ${escapeIdentifier(serviceRole)}`);
  for (const text of statements) {
    try {
      await client.query(`EXPLAIN (GENERIC_PLAN) ${text}`);
    } catch (error) {
      const shown = text.replaceAll(/\s+/g, ' ').trim().slice(0, 160);
      complaints.push(`The running release can no longer execute "${shown}": ${(error as Error).message}.`);
    }
  }
  await client.query('RESET ROLE');
  return complaints;
}
