/**
 * One node of the empty hops: a bare gateway or one of three services that answer without doing anything. Run with
 * its part as the only argument, and NATS_URL; the gateway prints the port that it listens on.
 */
import type { AddressInfo, Server } from 'node:net';
import { ServiceBroker } from 'moleculer';
import type { Context, Service, ServiceSchema, ServiceSettingSchema } from 'moleculer';
import ApiGateway from 'moleculer-web';
import { natsConnectOptions } from '../../lib/config/server-urls.ts';
import { API_BASE } from '../../lib/contracts/api.ts';
import { AUTHORIZATION, CONTRIBUTION, TRANSFER } from './empty-hops-answers.ts';

/** The same as the real services have: without one, Moleculer waits for ever and keeps no timer. */
const REQUEST_TIMEOUT_MS = 10_000;

interface Body {
  association_id: string;
  meeting_id: string;
  wallet_id: string;
  amount: number;
  pin: string;
}

const parts: Record<string, () => ServiceSchema> = {
  gateway: () => ({
    name: 'gateway',
    dependencies: ['a', 'b', 'c'],
    mixins: [ApiGateway],
    settings: {
      port: 0,
      ip: '127.0.0.1',
      // A line for each request is nothing that the others write either.
      logRequest: null,
      logResponse: null,
      routes: [
        {
          path: API_BASE,
          aliases: { 'POST /associations/:association_id/meetings/:meeting_id/contribute': 'a.contribute' },
          bodyParsers: { json: true },
        },
      ],
    } as ServiceSettingSchema,
    started(this: Service) {
      // moleculer-web's types don't tell of the server that it makes.
      const { server } = this as unknown as { server: Server };
      process.stdout.write(`port ${String((server.address() as AddressInfo).port)}\n`);
    },
  }),
  a: () => ({
    name: 'a',
    actions: {
      async contribute(ctx: Context<Body>) {
        const { association_id, meeting_id, wallet_id, amount, pin } = ctx.params;
        const user_id = 'g12345-1-31';
        const { member }: typeof AUTHORIZATION = await ctx.call('b.authorize', {
          ...{ association_id, user_id, permission: 'contribute', pin, amount },
        });
        await ctx.call('c.transfer', {
          ...{ id: CONTRIBUTION.id, association_id, kind: 'contribution', currency: 'XAF', legs: TRANSFER.legs },
          ...{ reference: null, payer_user_id: user_id, member_id: member.member_id },
        });
        return { ...CONTRIBUTION, association_id, meeting_id, wallet_id };
      },
    },
  }),
  b: () => ({ name: 'b', actions: { authorize: () => AUTHORIZATION } }),
  c: () => ({ name: 'c', actions: { transfer: () => TRANSFER } }),
};

const part = parts[process.argv[2] ?? ''];
if (part === undefined) throw new Error(`Which part? One of ${Object.keys(parts).join(', ')}`);
const broker = new ServiceBroker({
  transporter: { type: 'NATS', options: natsConnectOptions(process.env['NATS_URL'] ?? '') },
  requestTimeout: REQUEST_TIMEOUT_MS,
  logLevel: 'warn',
});
broker.createService(part());
await broker.start();
