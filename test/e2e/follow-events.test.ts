import { expect } from 'chai';
import { openBus } from '../../lib/events/stream.ts';
import { startProcess, untilPrinted } from '../harness/process.ts';
import { natsUrl } from '../harness/servers.ts';

describe('examples/follow-events.mjs', function () {
  this.timeout(90_000);
  const unreachable = '127.0.0.1:1';

  for (const [what, form] of [
    ['one URL', (url: string) => url],
    ['one URL without a scheme', (url: string) => url.replace('nats://', '')],
    ['several URLs, one of them unavailable', (url: string) => `nats://${unreachable}, ${url}`],
    [
      'several URLs without schemes, the last with the credentials',
      (url: string) => `${unreachable},${url.replace('nats://', '')}`,
    ],
  ] as const) {
    it(`prints events if NATS_URL has ${what}`, async () => {
      const type = `followed_${what.replace(/[^a-z]/g, '_')}`;
      const bus = await openBus(natsUrl(), 'test');
      const event = { time: '2026-01-31T00:00:00.000Z', type, data: { amount_minor: 5 } };
      await bus.jetstream.publish(`ledger.v1.wallets.${type}`, JSON.stringify(event));
      const env = { PATH: process.env['PATH'], NATS_URL: form(natsUrl()) };
      const follower = startProcess(['examples/follow-events.mjs', type], { env });
      try {
        const line = `2026-01-31T00:00:00.000Z ${type} {"amount_minor":5}\n`;
        await untilPrinted(follower, line);
        expect(follower.output()).to.equal(line);
      } finally {
        await follower.end('SIGINT');
        await bus.manager.consumers.delete('LEDGER', `example-${type}`).catch(() => undefined);
        await bus.close();
      }
    });
  }
});
