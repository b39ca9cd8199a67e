import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDatabase } from '../../cli/catalogue.ts';
import type { TableService } from '../../lib/config/service-names.ts';
import type { MigrationClass } from '../../lib/db/migrate.ts';
import type { Contracts } from './compatibility/contracts.ts';
import type { Statement } from './migrations/statements.ts';

const FOLDER = join(import.meta.dirname, '..', 'fixtures', 'releases');

/** The releases with a fixture, oldest first. */
export const RELEASES: readonly string[] = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort((one, other) => one.localeCompare(other, undefined, { numeric: true }));

/** The release before this one, whose processes run while this one's start. */
export const LAST_RELEASE = RELEASES.at(-1)!;

export function releaseFile(file: string, release = LAST_RELEASE): string {
  return join(FOLDER, release, file);
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(releaseFile(file), 'utf8'));
}

/** Returns the statements of a service of the last release, as its processes sent them in its end-to-end and chaos tests. */
export function lastStatements(service: TableService): readonly Statement[] {
  return (readJson('statements.json') as Record<TableService, Statement[]>)[service];
}

/** Returns the hash of the schema that the last release's migrations have created. */
export function lastSchemaHash(service: TableService): string {
  return (readJson('schemas.json') as Record<TableService, string>)[service];
}

/** Returns a service's migrations: those of the last release, and those since then. */
export async function migrationsSince(
  service: TableService,
): Promise<{ released: MigrationClass[]; added: MigrationClass[] }> {
  const names = (readJson('migrations.json') as Record<TableService, string[]>)[service];
  const { migrations } = await loadDatabase(service);
  const released = migrations.slice(0, names.length);
  const found = released.map((each) => new each().name ?? each.name);
  if (found.join() !== names.join()) throw new Error(`${service}: the migrations of ${LAST_RELEASE} have changed`);
  return { released, added: migrations.slice(names.length) };
}

/** Returns the contracts of the last release. */
export function lastContracts(): Contracts {
  const [openapi, asyncapi, internal] = ['openapi', 'asyncapi', 'internal'].map((name) => readJson(`${name}.json`));
  return { openapi, asyncapi, internal } as Contracts;
}
