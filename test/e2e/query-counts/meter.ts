import { TABLE_SERVICES } from '../../../lib/config/service-names.ts';
import type { Cost, CountedServices } from '../../harness/counted-services.ts';
import { operationIdOf } from '../../../services/gateway/openapi/operation.rules.ts';
import { ROUTES } from '../../../services/gateway/routes.ts';
import { HttpClient, type Json } from '../../harness/http.ts';

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

  /**
   * Measures every read in an association whose path takes no other ids than these, unless it is measured already. A list
   * has to have as many items as the meter's size: only then does it show what grows with them.
   */
  async reads(http: HttpClient, ids: Record<string, string>): Promise<void> {
    for (const { method, path, endpoint } of ROUTES) {
      const name = operationIdOf(endpoint.name);
      const isRead = method === 'GET' && 'association_id' in endpoint.path;
      if (!isRead || this.costs.has(name) || Object.keys(endpoint.path).some((id) => !(id in ids))) continue;
      const place = path.replace(/:(\w+)/g, (_all, id: string) => ids[id] ?? '');
      const { data } = await this.get(name, http, place);
      if (Array.isArray(data) && data.length < this.size)
        throw new Error(`${name}: ${String(data.length)} items, which is fewer than ${String(this.size)}`);
    }
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
