import type pg from 'pg';

/**
 * One connection for statements that must run in the order in which they are sent, without waiting for one another. It
 * is taken from the pool while something is on its way, and given back after that.
 */
export class PipelinedConnection {
  readonly #pool: pg.Pool;
  #client: pg.PoolClient | undefined;
  #in_flight = 0;
  #isBroken = false;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /**
   * Sends a statement.
   * @returns when it is sent; `answer` resolves to what it answers
   * @throws if no connection can be had
   */
  async send<T>(statement: (client: pg.PoolClient) => Promise<T>): Promise<{ answer: Promise<T> }> {
    // A connection that has failed once is left to end: what is sent over it fails, too.
    this.#client ??= await this.#pool.connect();
    this.#in_flight += 1;
    const answer = statement(this.#client).then(
      (value) => this.#arrived(false, value),
      (error: unknown) => {
        this.#arrived(!isAnswer(error), undefined);
        throw error;
      },
    );
    return { answer };
  }

  #arrived<T>(isBroken: boolean, value: T): T {
    this.#in_flight -= 1;
    this.#isBroken ||= isBroken;
    if (this.#in_flight === 0) {
      this.#client?.release(this.#isBroken);
      this.#client = undefined;
      this.#isBroken = false;
    }
    return value;
  }
}

/** Whether PostgreSQL itself has refused the statement, and takes the next one on the same connection. */
function isAnswer(error: unknown): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof code === 'string' && severity === 'ERROR';
}
