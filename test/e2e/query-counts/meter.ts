import { DATABASE_SERVICES } from '../../../lib/config/service-names.ts';
import type { Cost, CountedServices } from '../../harness/counted-services.ts';
import { operationIdOf } from '../../../services/gateway/openapi/operation.rules.ts';
import { HttpClient, type Json } from '../../harness/http.ts';
import { ALL_ROUTES } from '../../harness/own-document.ts';

/** Measures requests one after another, and records the cost of each under its name. */
export class Meter {
  readonly services: CountedServices;
  readonly costs = new Map<string, Cost>();
  /** Number of members of a group and of items of a list. */
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

  /**
   * Measures every read in an association whose path needs only these ids, unless it is already measured. A list must
   * have at least as many items as the meter's size; otherwise a cost that grows with the list would not be noticed.
   */
  async reads(http: HttpClient, ids: Record<string, string>): Promise<void> {
    for (const { method, path, endpoint } of ALL_ROUTES) {
      const name = operationIdOf(endpoint.name);
      const isRead = method === 'GET' && 'association_id' in endpoint.path;
      if (!isRead || this.costs.has(name) || Object.keys(endpoint.path).some((id) => !(id in ids))) continue;
      const place = path.replace(/:(\w+)/g, (_all, id: string) => ids[id] ?? '');
      const { data } = await this.get(name, http, place);
      if (Array.isArray(data) && data.length < this.size)
        throw new Error(`${name}: ${String(data.length)} items, which is fewer than ${String(this.size)}`);
    }
  }

  /** Sends a request that must succeed. @param name the operation id, optionally followed by a comma and the case */
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

  /** Creates a client of this user. */
  client(user: string, claims: { name?: string; scope?: string } = {}): HttpClient {
    return new HttpClient(this.services.origin, this.services.token(user, claims));
  }
}

/** Returns a cost in the form of the table: the statements of each service that ran any, and the calls. */
export function written({ statements, calls }: Cost): string {
  const counts = DATABASE_SERVICES.map((service) => ({
    service,
    count: statements.filter((statement) => statement.service === service).length,
  }));
  const parts = counts.filter(({ count }) => count > 0).map(({ service, count }) => `${service} ${String(count)}`);
  return `${parts.length === 0 ? 'nothing' : parts.join(', ')}; calls ${String(calls.length)}`;
}
