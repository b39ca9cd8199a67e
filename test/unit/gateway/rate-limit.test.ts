import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import fc from 'fast-check';
import { giveBackMemory } from '../../../lib/node/give-back-memory.ts';
import { rateCounter } from '../../../services/gateway/http/rate-limit.ts';
import { clientAddresses, plainAddress, siteOf } from '../../../services/gateway/http/client-address.ts';

const MINUTE_MS = 60_000;

describe('the rate limit', () => {
  const headers = (left: number, reset_s: number) => ({
    'RateLimit-Policy': '"default";q=2;w=60',
    RateLimit: `"default";r=${String(left)};t=${String(reset_s)}`,
  });

  it('allows its number of requests in each minute that starts with a request, and returns the rest in headers', () => {
    const count = rateCounter(2);
    for (const [now_ms, left, reset_s, over] of [
      [0, 1, 60, false],
      [30_500, 0, 30, false],
      [59_999, 0, 1, true],
      [MINUTE_MS, 1, 60, false],
    ] as const) {
      expect(count('awa', now_ms)).to.deep.equal({ over, reset_s, headers: headers(left, reset_s) });
    }
  });

  it('is never exceeded in a window, regardless of the requests of other users', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 0, max: 20_000 })), { maxLength: 60 }),
        (limit, calls) => {
          const count = rateCounter(limit);
          const passed: Record<string, number[]> = { a: [], b: [] };
          let now_ms = 0;
          for (const [user, later_ms] of calls) {
            now_ms += later_ms;
            if (!count(user, now_ms).over) passed[user]?.push(now_ms);
          }
          // A minute overlaps at most two windows, so it has at most twice the limit.
          for (const times of Object.values(passed)) {
            for (const from of times) {
              const within = times.filter((time) => time >= from && time < from + MINUTE_MS);
              expect(within.length).to.be.at.most(2 * limit);
            }
          }
        },
      ),
    );
  });

  it('forgets the client with the least recent request when it reaches its maximum number of clients', () => {
    const count = rateCounter(1);
    for (let index = 0; index < 60_000; index += 1) count(String(index), 0);
    expect(count('0', 0).over).to.equal(false);
    expect(count('59999', 0).over).to.equal(true);
  });

  it('starts a new window if the clock is set back', () => {
    const count = rateCounter(1);
    count('awa', 10 * MINUTE_MS);
    expect(count('awa', 0)).to.include({ over: false, reset_s: 60 });
  });
});

describe('the address of a client', () => {
  const asked = (remoteAddress: string | undefined, forwarded?: string) =>
    ({
      socket: { remoteAddress },
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
      // The parts of a request that the address is read from.
    }) as unknown as IncomingMessage;

  it("is the connection's address, or the last X-Forwarded-For entry that is not a trusted proxy", () => {
    const proxies = ['10.0.0.0/8', '::1'];
    for (const [trusted, connection, forwarded, address] of [
      [[], '192.0.2.1', '198.51.100.1', '192.0.2.1'],
      [proxies, '192.0.2.1', '198.51.100.1', '192.0.2.1'],
      [proxies, '10.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
      [proxies, '::ffff:10.0.0.1', '1.1.1.1, 198.51.100.1, 10.2.3.4', '198.51.100.1'],
      [proxies, '::1', '10.0.0.9', '10.0.0.9'],
      [proxies, '10.0.0.1', undefined, '10.0.0.1'],
      [proxies, '10.0.0.1', 'x'.repeat(9_000), '10.0.0.1'],
      [proxies, '10.0.0.1', '0xc0000201', '10.0.0.1'],
      [proxies, '10.0.0.1', '2001:DB8::1', '2001:db8::1'],
      [proxies, '10.0.0.1', 'fe80::1%eth-0', '10.0.0.1'],
      [[], undefined, undefined, 'unknown'],
    ] as const) {
      expect(clientAddresses(trusted)(asked(connection, forwarded)), forwarded).to.equal(address);
    }
  });

  it('is found in any X-Forwarded-For, and has a site', () => {
    const characters = fc.constantFrom(...'0123456789abcdefxz:.,% -');
    fc.assert(
      fc.property(
        fc.string({ unit: characters, maxLength: 50 }),
        fc.constantFrom('', '::', 'fe80::1%'),
        (text, start) => {
          const address = clientAddresses(['10.0.0.0/8'])(asked('10.0.0.1', start + text));
          expect(plainAddress(address)).to.equal(address);
          expect(siteOf(address)).to.not.equal('unknown');
        },
      ),
    );
  });

  it('does not keep the header that it was found in', async () => {
    const addresses = clientAddresses(['10.0.0.1']);
    const find = (index: number) => {
      const header = Buffer.from(`${'x'.repeat(16_000)}, 198.51.100.${String(index % 256)}`).toString('latin1');
      return addresses(asked('10.0.0.1', header));
    };
    await giveBackMemory();
    const before = process.memoryUsage().heapUsed;
    const found = Array.from({ length: 1_000 }, (_, index) => find(index));
    await giveBackMemory();
    expect((process.memoryUsage().heapUsed - before) / found.length, 'bytes for each address').to.be.below(4_000);
    expect(found[7]).to.equal('198.51.100.7');
  });

  it('counts as the same for all addresses of an IPv6 site, and for both notations of an IPv4 address', () => {
    expect(siteOf('2001:db8:1:2:3:4:5:6')).to.equal(siteOf('2001:db8:1:2::1'));
    expect(siteOf('2001:db8:1:2::1')).to.not.equal(siteOf('2001:db8:1:3::1'));
    expect(siteOf('::ffff:192.0.2.1')).to.equal('192.0.2.1');
  });

  it('is written in its canonical form', () => {
    for (const [address, plain] of [
      ['::ffff:192.0.2.1', '192.0.2.1'],
      ['2001:DB8::1', '2001:db8::1'],
      [undefined, 'unknown'],
    ] as const) {
      expect(plainAddress(address)).to.equal(plain);
    }
  });
});
