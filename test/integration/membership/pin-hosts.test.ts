import { readFile, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { StartupError } from '../../../lib/config/startup-error.ts';
import { pinKeys, setPin } from '../../../lib/contracts/membership.ts';
import { rotateKeyFile } from '../../../lib/pin/key-file.ts';
import { OVERLAP_MS } from '../../../lib/pin/key-set.ts';
import { testIds } from '../../harness/runtime.ts';
import { createPinKeyOffer } from '../../../services/membership/pins/pin-keys.ts';
import { eventually } from '../../harness/eventually.ts';
import { MembershipHarness } from '../../harness/membership.ts';
import { outcomeOf } from '../../harness/refusal.ts';

const PIN = '246810';
const HONEST_PAYMENTS = 32;

describe('membership nodes on several hosts', () => {
  let first: MembershipHarness;
  let second: MembershipHarness | undefined;
  let association_id: string;
  beforeEach(async () => {
    first = new MembershipHarness();
    await first.start();
    ({ id: association_id } = await first.found('host'));
    await first.setPin('host', PIN);
  });
  afterEach(async () => {
    await second?.stop();
    second = undefined;
    await first.stop();
  });

  /** Starts another host: a node on the database of the first, with keys of its own unless these are given. */
  const startAnother = async (given: ConstructorParameters<typeof MembershipHarness>[0] = {}) => {
    const host = new MembershipHarness(given);
    await host.start(first.database);
    return host;
  };
  const offered = async (bench: MembershipHarness) => (await bench.as('anyone', pinKeys)).keys.map(({ kid }) => kid);
  const attempts = async () => {
    const [row] = await first.sql<{ n: number }>(
      'SELECT failed_attempts + 5 * lock_count AS n FROM pins WHERE user_id = $1',
      'host',
    );
    return row?.n;
  };

  /** What comes of payments of one who gets the keys from either host and pays at either. */
  async function payments(): Promise<(string | undefined)[]> {
    const hosts = [first, second ?? first];
    const outcomes: (string | undefined)[] = [];
    for (let n = 0; n < HONEST_PAYMENTS; n += 1) {
      const pin = await hosts[n % 2]!.seal(PIN);
      outcomes.push(await outcomeOf(hosts[(n >> 1) % 2]!.pay(association_id, 'host', pin)));
    }
    return outcomes;
  }

  it('whose keys have nothing in common count no honest user down', async () => {
    second = await startAnother();
    const outcomes = await payments();
    expect(new Set(outcomes)).to.deep.equal(new Set(['done', 'pin_unreadable']));
    expect(await attempts()).to.equal(0);
  });

  it('offer a new key only once every one of them has it', async () => {
    const old = await offered(first);
    second = await startAnother({ keys: await readFile(first.keysFile, 'utf8') });
    await rotateKeyFile(first.keysFile, new Date(), OVERLAP_MS);
    const kids = async () =>
      (await first.sql<{ kids: string[] }>('SELECT kids FROM pin_key_nodes')).flatMap((row) => row.kids);
    await eventually(async () => expect(await kids()).to.have.length(3));
    expect([await offered(first), await offered(second)]).to.deep.equal([old, old]);
    expect(new Set(await payments())).to.deep.equal(new Set(['done']));

    await writeFile(second.keysFile, await readFile(first.keysFile));
    await eventually(async () => {
      for (const host of [first, second!]) expect(await offered(host)).to.have.length(2);
    });
    expect(new Set(await payments())).to.deep.equal(new Set(['done']));
    expect(await attempts()).to.equal(0);
  });

  it('do not wait for one that is gone', async () => {
    const id = first.newId();
    await first.sql(`INSERT INTO pin_key_nodes VALUES ($1, 'other', '{x}', now() - interval '9 seconds')`, id);
    const [old] = await offered(first);
    await rotateKeyFile(first.keysFile, new Date(), OVERLAP_MS);
    await eventually(async () =>
      expect(await offered(first))
        .to.have.length(2)
        .and.to.include(old),
    );
  });

  it('say which of them have other keys, once, when it lasts', async () => {
    let now_ms = 0;
    const runtime = { clock: () => new Date(now_ms), newId: testIds() };
    let others = [{ name: 'b', kids: ['old'] }];
    const db = { rows: () => Promise.resolve(others) };
    const key = (kid: string) => ({ kid, created: 0, exp: 1e9 });
    const ring = { keys: () => Promise.resolve([key('new'), key('old')]) };
    const said: string[] = [];
    // As much of each as the offer uses.
    const offer = createPinKeyOffer({ runtime, db } as never, ring as never);
    const beats = async (seconds: number) => {
      for (let n = 0; n < seconds; n += 1, now_ms += 1_000) {
        await offer.exchange('a', { error: (message) => said.push(message) });
      }
    };
    await beats(14);
    expect(said).to.deep.equal([]);
    await beats(60);
    expect(said).to.have.length(1);
    expect(said[0]).to.contain('of b: only the common ones are offered');
    others = [...others, { name: 'c', kids: ['x'] }];
    await beats(60);
    expect(said).to.have.length(2);
    expect(said[1]).to.contain('of b, c: none is common');
    others = [];
    await beats(60);
    expect(said).to.have.length(2);
  });

  it('have one pepper: a node with another does not start', async () => {
    const refused = await startAnother({ pepper: 'another' }).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(StartupError);
    expect((refused as Error).message).to.match(/^PIN_PEPPER .*\.$/);
    second = await startAnother({ keys: await readFile(first.keysFile, 'utf8') });
    expect(new Set(await payments())).to.deep.equal(new Set(['done']));
    expect(await attempts()).to.equal(0);
  });

  it('settle on one pepper where two with different ones start first', async () => {
    await first.sql('TRUNCATE pin_pepper');
    const starts = ['one', 'two', 'three'].map((pepper) => startAnother({ pepper }));
    const started = await Promise.allSettled(starts);
    const [winner, ...more] = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    for (const bench of [winner, ...more]) await bench?.stop();
    expect(winner).to.not.equal(undefined);
    expect(more).to.deep.equal([]);
    for (const each of started.filter(({ status }) => status === 'rejected')) {
      expect(each).to.have.property('reason').instanceOf(StartupError);
    }
    expect(await first.as('newcomer', setPin, { body: { pin: await first.seal(PIN) } })).to.deep.equal({});
  });
});
