import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { openBus } from '../../lib/events/bus.ts';
import { eventually } from '../harness/eventually.ts';
import { natsUrl } from '../harness/servers.ts';

const root = join(import.meta.dirname, '..', '..');
const START_TIMEOUT_MS = 30_000;

describe('examples/follow-events.mjs', function () {
  this.timeout(90_000);
  const away = '127.0.0.1:1';

  for (const [what, form] of [
    ['one URL', (url: string) => url],
    ['one without a scheme', (url: string) => url.replace('nats://', '')],
    ['several, of which one is away', (url: string) => `nats://${away}, ${url}`],
    ['several, the last with the login, without schemes', (url: string) => `${away},${url.replace('nats://', '')}`],
  ] as const) {
    it(`prints events, with NATS_URL of ${what}`, async () => {
      const type = `followed_${what.replace(/[^a-z]/g, '_')}`;
      const bus = await openBus(natsUrl(), 'test');
      const event = { time: '2026-01-31T00:00:00.000Z', type, data: { amount_minor: 5 } };
      await bus.jetstream.publish(`ledger.v1.wallets.${type}`, JSON.stringify(event));
      const child = spawn(process.execPath, ['examples/follow-events.mjs', type], {
        cwd: root,
        env: { PATH: process.env['PATH'], NATS_URL: form(natsUrl()) },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const exit = once(child, 'exit');
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += String(text)));
      try {
        const line = `2026-01-31T00:00:00.000Z ${type} {"amount_minor":5}\n`;
        await eventually(() => {
          if (child.exitCode === null) expect(output).to.equal(line);
        }, START_TIMEOUT_MS);
        expect(output).to.equal(line);
      } finally {
        child.kill('SIGINT');
        await exit;
        await bus.manager.consumers.delete('LEDGER', `example-${type}`).catch(() => undefined);
        await bus.close();
      }
    });
  }
});
