import { randomBytes } from 'node:crypto';
import type { AddressInfo, Server } from 'node:net';
import { request } from 'node:http';
import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import { ServiceBroker } from 'moleculer';
import type { ServiceSchema } from 'moleculer';
import jwt from 'jsonwebtoken';
import type { JwtSettings } from '../../lib/config/jwt-settings.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import { API_BASE } from '../../lib/contracts/api.ts';
import { uuidV7Source } from '../../lib/node/runtime.ts';
import { contractValidator } from '../../lib/schema/validator.ts';
import { gatewayService } from '../../services/gateway/gateway.service.ts';

export const SECRET = 'a secret for tests that is long enough';

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The JSON of the answer; an empty object if it is none. */
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

/** A gateway on a free port of this machine, in front of stub services. */
export class GatewayBench {
  readonly broker: ServiceBroker;
  port = 0;

  /** @param env settings beside the defaults; nothing is limited unless they say so */
  constructor(
    services: ServiceSchema[],
    jwtSettings: JwtSettings = { secret: SECRET },
    port = 0,
    env = {},
    clock = () => new Date(),
  ) {
    this.broker = new ServiceBroker({ logger: false, validator: contractValidator(), requestTimeout: 500 });
    for (const service of services) this.broker.createService(service);
    this.broker.createService(
      gatewayService({
        settings: { ...loadSettings({ RATE_LIMIT: 'off', ...env }), port },
        resources: { natsUrl: '', databases: {}, secrets: { jwt: jwtSettings, pinPepper: '', pinKeysFile: '' } },
        clock,
        newId: uuidV7Source(clock, () => randomBytes(4).readUInt32BE()),
        randomBytes,
        reached: () => Promise.resolve(),
      }),
    );
  }

  static async start(services: ServiceSchema[], jwtSettings?: JwtSettings, env = {}): Promise<GatewayBench> {
    const bench = new GatewayBench(services, jwtSettings, 0, env);
    await bench.start();
    return bench;
  }

  async start(): Promise<void> {
    await this.broker.start();
    // Moleculer's type of a service does not tell of what moleculer-web adds.
    const { server } = this.broker.getLocalService('gateway') as unknown as { server: Server };
    this.port = (server.address() as AddressInfo).port;
  }

  stop(): Promise<void> {
    return this.broker.stop();
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

  /** Begins a request whose body the test sends itself. */
  open(
    line: string,
    { body, headers = {}, chunked = false, token = this.token() }: Sending,
    resolve: (reply: Reply) => void,
    reject: (error: Error) => void,
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
}

function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined || body instanceof Buffer) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
