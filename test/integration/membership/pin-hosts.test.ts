import { readFile, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { StartupError } from '../../../lib/config/startup-error.ts';
import { pinKeys, setPin } from '../../../lib/contracts/membership.ts';
import { rotateKeyFile } from '../../../lib/pin/key-file.ts';
import { OVERLAP_MS } from '../../../lib/pin/key-set.ts';
import { createPinKeyOffer } from '../../../services/membership/pins/pin-keys.ts';
import { pepperCheck } from '../../../services/membership/pins/pin.rules.ts';
import { eventually } from '../../harness/eventually.ts';
import { MembershipHarness, TEST_PEPPER } from '../../harness/membership.ts';
import { outcomeOf, startRefusalOf } from '../../harness/refusal.ts';
import { testIds } from '../../harness/runtime.ts';

const PIN = '246810';
const HONEST_PAYMENTS = 32;

describe('membership processes on several hosts', () => {
  let first: MembershipHarness;
  let second: MembershipHarness | undefined;
  beforeEach(async () => {
    first = new MembershipHarness();
    await first.start();
    await first.foundOurs();
    await first.setPin('host', PIN);
  });
  afterEach(async () => {
    await second?.stop();
    second = undefined;
    await first.stop();
  });

  /** Starts a process on the database of the first one, with separate PIN keys unless keys are given. */
  const startAnother = async (given: ConstructorParameters<typeof MembershipHarness>[0] = {}) => {
    const host = new MembershipHarness(given);
    await host.start(first.database);
    host.association_id = first.association_id;
    return host;
  };
  const sameKeys = async () => ({ keys: await readFile(first.keysFile, 'utf8') });
  const offered = async (harness: MembershipHarness) =>
    (await harness.as('anyone', pinKeys)).keys.map(({ kid }) => kid);

  /** Pays with keys from either host at either host, expects no counted attempt, and returns the distinct outcomes. */
  async function payments(): Promise<Set<string>> {
    const hosts = [first, second ?? first];
    const outcomes = new Set<string>();
    for (let n = 0; n < HONEST_PAYMENTS; n += 1) {
      const pin = await hosts[n % 2]!.seal(PIN);
      outcomes.add(await outcomeOf(hosts[(n >> 1) % 2]!.pay('host', pin)));
    }
    const counted = `SELECT failed_attempts, lock_count FROM pins WHERE user_id = 'host'`;
    expect(await first.sql(counted)).to.deep.equal([{ failed_attempts: 0, lock_count: 0 }]);
    return outcomes;
  }

  it('do not count attempts of honest users if they have no key in common', async () => {
    second = await startAnother();
    expect(await payments()).to.deep.equal(new Set(['done', 'pin_unreadable']));
  });

  it('offer a new key only when all of them have it', async () => {
    const old = await offered(first);
    second = await startAnother(await sameKeys());
    await rotateKeyFile(first.keysFile, new Date(), OVERLAP_MS);
    await eventually(async () => {
      const nodes = await first.sql<{ kids: string[] }>('SELECT kids FROM pin_key_nodes');
      expect(nodes.flatMap(({ kids }) => kids)).to.have.length(3);
    });
    expect([await offered(first), await offered(second)]).to.deep.equal([old, old]);
    expect(await payments()).to.deep.equal(new Set(['done']));

    await writeFile(second.keysFile, await readFile(first.keysFile));
    await eventually(async () => {
      for (const host of [first, second!]) expect(await offered(host)).to.have.length(2);
    });
    expect(await payments()).to.deep.equal(new Set(['done']));
  });

  it('do not wait for a process that has ended', async () => {
    const id = first.newId();
    await first.sql(`INSERT INTO pin_key_nodes VALUES ($1, 'other', '{x}', now() - interval '9 seconds')`, id);
    const [old] = await offered(first);
    await rotateKeyFile(first.keysFile, new Date(), OVERLAP_MS);
    await eventually(async () => {
      const kids = await offered(first);
      expect(kids).to.have.length(2).and.to.include(old);
    });
  });

  it('log once which of them have other keys, if the difference persists', async () => {
    let now_ms = 0;
    const runtime = { systemClock: () => new Date(now_ms), newId: testIds() };
    let others = [{ name: 'b', kids: ['old'] }];
    const db = { rows: () => Promise.resolve(others) };
    const key = (kid: string) => ({ kid, created: 0, exp: 1e9 });
    const ring = { keys: () => Promise.resolve([key('new'), key('old')]) };
    const logged: string[] = [];
    // Only the members that the offer uses.
    const offer = createPinKeyOffer({ runtime, db } as never, ring as never);
    const loggedAfter = async (seconds: number) => {
      for (let n = 0; n < seconds; n += 1, now_ms += 1_000) {
        await offer.exchange('a', { error: (message) => logged.push(message) });
      }
      return logged.splice(0).join('\n');
    };
    expect(await loggedAfter(14)).to.equal('');
    expect(await loggedAfter(60)).to.match(/^.* of b: only the common ones are offered.*$/);
    others = [...others, { name: 'c', kids: ['x'] }];
    expect(await loggedAfter(60)).to.match(/^.* of b, c: none is common.*$/);
    others = [];
    expect(await loggedAfter(60)).to.equal('');
  });

  it('share a pepper: a process with another pepper does not start', async () => {
    const refused = await startAnother({ pepper: 'another' }).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(StartupError);
    expect((refused as Error).message).to.match(/^PIN_PEPPER .*\.$/);
    second = await startAnother(await sameKeys());
    expect(await payments()).to.deep.equal(new Set(['done']));
  });

  describe('replace the pepper', () => {
    const [OLD, NEW] = [TEST_PEPPER, 'a new pepper for tests'];
    /** The hosts of each step, as docs/rotation.md has them: of each two, one is restarted before the other. */
    const STEPS = [
      [{ pepper: OLD }, { pepper: OLD, secondPepper: NEW }],
      [
        { pepper: NEW, secondPepper: OLD },
        { pepper: OLD, secondPepper: NEW },
      ],
      [
        { pepper: NEW, secondPepper: OLD },
        { pepper: NEW, secondPepper: OLD },
      ],
    ] as const;
    const waiting = async () =>
      (
        await first.sql<{ n: number }>(
          'SELECT count(*)::int AS n FROM pins WHERE pepper IS DISTINCT FROM $1',
          pepperCheck(NEW),
        )
      )[0]?.n;

    it('in steps, at none of which a payment fails', async () => {
      for (const [one, other] of STEPS) {
        const hosts = [
          await startAnother({ ...one, ...(await sameKeys()) }),
          await startAnother({ ...other, ...(await sameKeys()) }),
        ];
        try {
          for (let n = 0; n < HONEST_PAYMENTS; n += 1) {
            const host = hosts[n % 2]!;
            expect(await outcomeOf(host.pay('host', await host.seal(PIN)))).to.equal('done');
            expect(await outcomeOf(host.pay('host', await host.seal('135790')))).to.equal('pin_invalid');
          }
          const user = first.newId();
          await hosts[0]!.join(user);
          await hosts[0]!.setPin(user, PIN);
          expect(await outcomeOf(hosts[1]!.pay(user, await hosts[1]!.seal(PIN)))).to.equal('done');
        } finally {
          for (const host of hosts) await host.stop();
        }
      }
      // The user who has paid and the one who has set a PIN now; those of the earlier steps have not paid since.
      expect(await waiting()).to.equal(2);
      second = await startAnother({ pepper: NEW, ...(await sameKeys()) });
      expect(await outcomeOf(second.pay('host', await second.seal(PIN)))).to.equal('done');
    });

    it('by a right PIN only, which is hashed again at once, and has not changed', async () => {
      second = await startAnother({ pepper: NEW, secondPepper: OLD, ...(await sameKeys()) });
      expect(await outcomeOf(second.pay('host', await second.seal('135790')))).to.equal('pin_invalid');
      expect(await waiting()).to.equal(1);
      expect(await outcomeOf(second.pay('host', await second.seal(PIN)))).to.equal('done');
      expect(await waiting()).to.equal(0);
      expect(await outcomeOf(second.pay('host', await second.seal(PIN)))).to.equal('done');
      const changes = `SELECT event -> 'data' AS data FROM outbox WHERE type = 'pin.changed'`;
      expect(await first.sql(changes)).to.deep.equal([{ data: { user_id: 'host', reason: 'set' } }]);
    });

    it('and then refuse a process that has the old one alone', async () => {
      second = await startAnother({ pepper: NEW, secondPepper: OLD });
      expect(await startRefusalOf(startAnother({ pepper: OLD }))).to.match(/^PIN_PEPPER .*docs\/rotation\.md\.$/);
    });
  });

  it('agree on one pepper if several with different peppers start concurrently', async () => {
    await first.sql('TRUNCATE pin_pepper');
    const starts = ['one', 'two', 'three'].map((pepper) => startAnother({ pepper }));
    const started = await Promise.allSettled(starts);
    const winners = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    for (const each of winners) await each.stop();
    expect(winners).to.have.length(1);
    for (const each of started.filter(({ status }) => status === 'rejected')) {
      expect(each).to.have.property('reason').instanceOf(StartupError);
    }
    expect(await first.as('newcomer', setPin, { body: { pin: await first.seal(PIN) } })).to.deep.equal({});
  });
});
