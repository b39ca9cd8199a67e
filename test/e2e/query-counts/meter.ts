import { TABLE_SERVICES } from '../../../lib/config/service-names.ts';
import type { Cost, CountedServices } from '../../harness/counted-services.ts';
import { HttpClient } from '../../harness/http.ts';
import type { Json } from '../../harness/http.ts';

/** Measures requests one after the other, and keeps what each cost under its name. */
export class Meter {
  readonly services: CountedServices;
  readonly costs = new Map<string, Cost>();
  /** How many members a group has, and how many items a list. */
  readonly size: number;

  constructor(services: CountedServices, size: number) {
    this.services = services;
    this.size = size;
  }

  get(name: string, http: HttpClient, path: string): Promise<Json> {
    return this.send(name, http, 'GET', path);
  }

  post(name: string, http: HttpClient, path: string, body: Json = {}): Promise<Json> {
    return this.send(name, http, 'POST', path, body);
  }

  /** @param name the operation's id, and after a comma what is special; it must succeed */
  async send(
    name: string,
    http: HttpClient,
    method: string,
    path: string,
    body?: Json,
    headers: Record<string, string> = {},
  ): Promise<Json> {
    if (this.costs.has(name)) throw new Error(`${name} is measured twice`);
    const { answer, cost } = await this.services.count(() => http.send(method, path, body, headers));
    if (answer.status >= 300)
      throw new Error(`${name}: ${method} ${path} gave ${String(answer.status)} ${answer.text}`);
    this.costs.set(name, cost);
    return answer.body;
  }

  /** A client of this user. */
  client(user: string, claims: { name?: string; scope?: string } = {}): HttpClient {
    return new HttpClient(this.services.origin, this.services.token(user, claims));
  }
}

/** A cost as the table has it: the statements of each service that ran any, and the calls. */
export function written({ statements, calls }: Cost): string {
  const counts = TABLE_SERVICES.map((service) => ({
    service,
    count: statements.filter((statement) => statement.service === service).length,
  }));
  const parts = counts.filter(({ count }) => count > 0).map(({ service, count }) => `${service} ${String(count)}`);
  return `${parts.length === 0 ? 'nothing' : parts.join(', ')}; calls ${String(calls.length)}`;
}
