import { request, type ClientRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import jwt from 'jsonwebtoken';
import { ServiceBroker, type Service, type ServiceSchema } from 'moleculer';
import { checkCallers } from '../../lib/service/check-caller.ts';
import { implement, implementCommand, type CallContext } from '../../lib/service/implement.ts';
import type { JwtSettings } from '../../lib/config/jwt-settings.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import type { Caller, Endpoint } from '../../lib/contracts/action.ts';
import { API_BASE } from '../../lib/contracts/api.ts';
import * as contribution from '../../lib/contracts/contribution.ts';
import * as governance from '../../lib/contracts/governance.ts';
import * as membership from '../../lib/contracts/membership.ts';
import * as treasury from '../../lib/contracts/treasury.ts';
import type { Clock } from '../../lib/node/clock.ts';
import { contractValidator } from '../../lib/schema/validator.ts';
import { gatewayService } from '../../services/gateway/gateway.service.ts';
import { testClock, testRuntime } from './runtime.ts';
import { testCheck } from './stated-caller.ts';

type Actions = NonNullable<ServiceSchema['actions']>;

const CONTRACTS = { membership, contribution, treasury, governance };

export const SECRET = 'a secret for tests that is long enough';

/** A well-formed id. */
export const SOME = '0192f0c0-0000-7000-8000-000000000001';

/** A valid body of a request that creates an association. */
export const NEW = {
  name: 'Njangi',
  type: 'tontine',
  currency: 'XAF',
  contribution_amount: 10_000,
  contribution_frequency: 'monthly',
};

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The JSON of the answer; an empty object if the answer is not JSON. */
  body: Record<string, unknown>;
}

export interface Sending {
  /** Sent as JSON, or verbatim if it is bytes or text. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Sent without a Content-Length. */
  chunked?: boolean;
  /** False to send no token. */
  token?: string | false;
}

export interface GatewayOptions {
  /** The services that run as fakes. */
  services?: (keyof typeof CONTRACTS)[];
  jwtSettings?: JwtSettings;
  /** Settings that differ from the defaults; the rate limit is off unless they set it. */
  env?: Record<string, string>;
  clock?: Clock;
}

/** Starts a gateway before the tests of a `describe`, and stops it after them. */
export function useGateway(options: GatewayOptions = {}): TestGateway {
  const gateway = new TestGateway(options);
  before(() => gateway.start());
  after(() => gateway.stop());
  afterEach(() => {
    gateway.reset();
  });
  return gateway;
}

/** A call that a fake received. */
export interface Called {
  action: string;
  input: { path: Record<string, string>; query: Record<string, unknown>; body: Record<string, unknown> };
  /** As the service has checked it. */
  caller: Caller;
  ctx: CallContext;
}

const nameOfAction = ({ action }: Called): unknown => ({ from: action });

/**
 * A gateway on a free loopback port, with fakes of the services that answer as the test sets, by default with the name
 * of the action.
 */
export class TestGateway {
  /** Created by start(). */
  broker!: ServiceBroker;
  port = 0;
  readonly #options: GatewayOptions;
  /** The last call that a fake received. */
  seen: Called | undefined;
  /** Returns the answer of the fakes. */
  answer: (called: Called) => unknown = nameOfAction;

  constructor(options: GatewayOptions = {}) {
    this.#options = options;
  }

  async start(): Promise<this> {
    const { services = ['membership', 'treasury'], jwtSettings, env, clock = testClock } = this.#options;
    const settings = { ...loadSettings({ RATE_LIMIT: 'off', ...env }), port: 0 };
    const secrets = { jwt: jwtSettings ?? { secret: SECRET } };
    this.broker = new ServiceBroker({ logger: false, validator: contractValidator(), requestTimeout: 500 });
    for (const service of services) this.startService(service);
    this.broker.createService(gatewayService(testRuntime({}, { settings, clock, secrets })));
    await this.broker.start();
    this.port = (this.service<{ server: Server }>().server.address() as AddressInfo).port;
    return this;
  }

  stop(): Promise<void> {
    return this.broker.stop();
  }

  reset(): void {
    this.answer = nameOfAction;
    this.seen = undefined;
  }

  /** Makes the fakes throw. */
  fails(error: () => unknown): void {
    this.answer = () => {
      throw error() as Error;
    };
  }

  /** Returns a service of this broker. Moleculer's type lacks the members of its schema. */
  service<T>(name = 'gateway'): T {
    return this.broker.getLocalService(name) as T;
  }

  get origin(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  token(claims: Record<string, unknown> = {}, secret = SECRET): string {
    return jwt.sign({ sub: 'awa', exp: Math.floor(Date.now() / 1_000) + 60, ...claims }, secret);
  }

  /** Sends `GET /path`; the path is relative to the API, or, after `//`, to the server's root. */
  send(line: string, sending: Sending = {}): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const outgoing = this.open(line, sending, resolve, reject);
      outgoing.end(bytesOf(sending.body));
    });
  }

  /** Returns the status of an answer and the code of its problem, for example `404 not_found` or `200`. */
  async outcome(line: string, sending: Sending = {}): Promise<string> {
    const { status, body } = await this.send(line, sending);
    return status < 400 ? String(status) : `${String(status)} ${String(body.code)}`;
  }

  /** Begins a request whose body the test sends. */
  open(
    line: string,
    { body, headers = {}, chunked = false, token = this.token() }: Sending = {},
    resolve: (reply: Reply) => void = () => undefined,
    reject: (error: Error) => void = () => undefined,
  ): ClientRequest {
    const [method, target = '/'] = line.split(' ');
    const bytes = bytesOf(body);
    return request(
      {
        host: '127.0.0.1',
        port: this.port,
        method,
        path: target.startsWith('//') ? target.slice(1) : API_BASE + target,
        headers: {
          ...(token === false ? {} : { Authorization: `Bearer ${token}` }),
          ...(bytes === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(bytes === undefined || chunked ? {} : { 'Content-Length': String(bytes.length) }),
          ...headers,
        },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = /\/(problem\+)?json(;|$)/.test(incoming.headers['content-type'] ?? '') && text !== '';
          const parsed = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, body: parsed });
        });
      },
    ).on('error', reject);
  }

  /** Starts a fake of a healthy service. */
  startService(name: keyof typeof CONTRACTS): void {
    const { health, ...contracts } = CONTRACTS[name];
    const check = testCheck(name, this.#options.clock);
    const endpoints = Object.values(contracts as Record<string, { kind?: unknown }>).filter(isEndpoint);
    const actions: Actions = Object.fromEntries(
      endpoints.map((contract) => {
        const fake = implement(contract, async (input, caller, ctx) => {
          // NATS drops members that are undefined.
          this.seen = {
            action: contract.name,
            input: JSON.parse(JSON.stringify(input)) as Called['input'],
            caller,
            ctx,
          };
          return (await this.answer(this.seen)) ?? {};
        });
        return [contract.name.slice(name.length + 1), fake];
      }),
    );
    this.broker.createService({
      name,
      actions: { ...actions, health: implementCommand(health, () => Promise.resolve({ ok: true })) },
      created(this: Service) {
        checkCallers(this, check);
      },
    });
  }
}

function isEndpoint(contract: { kind?: unknown }): contract is Endpoint {
  return contract.kind === 'endpoint';
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined || body instanceof Buffer) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
