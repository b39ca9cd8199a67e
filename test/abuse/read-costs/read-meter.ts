import pg from 'pg';
import { DATABASE_SERVICES, type DatabaseService } from '../../../lib/config/service-names.ts';
import { PAGE_MAX_ROWS } from '../../../lib/contracts/fields.ts';
import type { CountedServices } from '../../harness/counted-services.ts';
import { nameOf, targetOf, type ReadCase } from './cases.ts';
import { rowsReadBy } from './explain.ts';
import type { ReadWorld } from './world.ts';

/** Number of items in the measured pages. */
export const PAGE_ROWS = 10;

/** The rows of one table that one request has read. */
export interface Measured {
  read: ReadCase;
  page: 'first' | 'last';
  table: string;
  rows: number;
}

/** Other statements that a read may send. */
const TRANSACTION = /^(BEGIN|COMMIT|ROLLBACK)\b/;

/** Sends requests, and counts the rows that PostgreSQL reads for each. */
export class ReadMeter {
  readonly measured: Measured[] = [];
  /** The operations with an answer of 200. */
  readonly answered = new Set<string>();
  /** The operations whose last page is measured. */
  readonly paged = new Set<string>();
  readonly otherStatements: string[] = [];
  readonly #services: CountedServices;
  readonly #world: ReadWorld;
  readonly #clients: Map<DatabaseService, pg.Client>;

  private constructor(services: CountedServices, world: ReadWorld, clients: Map<DatabaseService, pg.Client>) {
    this.#services = services;
    this.#world = world;
    this.#clients = clients;
  }

  static async open(services: CountedServices, world: ReadWorld): Promise<ReadMeter> {
    const clients = new Map<DatabaseService, pg.Client>();
    for (const service of DATABASE_SERVICES) {
      // Small tables are read as a whole if that is cheaper than a few lookups. This gives the plans of large tables.
      const client = new pg.Client({ connectionString: services.adminUrl(service), options: '-c enable_seqscan=off' });
      await client.connect();
      clients.set(service, client);
    }
    return new ReadMeter(services, world, clients);
  }

  async close(): Promise<void> {
    for (const client of this.#clients.values()) await client.end();
  }

  /** Measures the request and, if it is for a list of several pages, the request for the last page. */
  async measure(read: ReadCase): Promise<void> {
    const limit = String(PAGE_ROWS);
    const next = await this.#measurePage(read, 'first', read.isList ? { limit } : {});
    if (next === undefined) return;
    await this.#measurePage(read, 'last', { limit, cursor: await this.#lastCursor(read, next) });
    this.paged.add(read.operation);
  }

  /** @returns the cursor of the next page; undefined if there is none */
  async #measurePage(read: ReadCase, page: Measured['page'], query: Record<string, string>) {
    const { operation } = read;
    const { answer, cost } = await this.#services.count(() =>
      this.#world.readerFor(operation).get(targetOf(read, query)),
    );
    // What belongs to one association is not found in the other one, and some meetings have no settlement.
    if (answer.status === 200) this.answered.add(operation);
    else if (![404, 409].includes(answer.status)) throw new Error(`${nameOf(read)}: ${answer.text}`);
    const tables = new Map<string, number>();
    for (const statement of cost.statements) {
      if (TRANSACTION.test(statement.text)) continue;
      if (!/^(SELECT|WITH)\b/.test(statement.text)) this.otherStatements.push(`${operation}: ${statement.text}`);
      const found = await rowsReadBy(this.#clients.get(statement.service)!, statement);
      for (const [table, rows] of found) tables.set(table, rows + (tables.get(table) ?? 0));
    }
    for (const [table, rows] of tables) this.measured.push({ read, page, table, rows });
    const { next_cursor } = answer.body;
    return typeof next_cursor === 'string' ? next_cursor : undefined;
  }

  /** Returns the cursor of the last page. */
  async #lastCursor(read: ReadCase, from: string): Promise<string> {
    let cursor = from;
    for (;;) {
      const target = targetOf(read, { limit: String(PAGE_MAX_ROWS), cursor });
      const { next_cursor } = await this.#world.readerFor(read.operation).ok(target);
      if (typeof next_cursor !== 'string') return cursor;
      cursor = next_cursor;
    }
  }
}
