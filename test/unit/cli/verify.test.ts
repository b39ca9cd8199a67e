import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { canonicalHash } from '../../../lib/canonical/canonical-hash.ts';
import { planRotation, type Rotation } from '../../../services/contribution/cycles/rotation.rules.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const COMMAND = join(ROOT, 'cli', 'verify.ts');
const DRAW_SCRIPT = join(ROOT, 'examples', 'verify-draw.mjs');

const SEED = 'c0ffee'.padEnd(64, '0');
const MEMBERS = [3, 1, 2, 2].map((hands, index) => ({
  member_id: `019aa5c0-0000-7000-8000-00000000000${String(index)}`,
  hands,
  joined_at: '2026-01-01T00:00:00.000Z',
}));

/** Returns a cycle in the form of a GET response, drawn by the service's rules, with two hands per round. */
function drawnCycle() {
  const order = { by: 'draw', seed: Buffer.from(SEED, 'hex') } as const;
  const { hands, rounds } = planRotation(MEMBERS, order, 2) as Rotation;
  return { order: 'draw', seed: SEED, hands, rounds, rules: { beneficiaries_per_meeting: 2 } };
}

function exportedLedger(): string {
  const transfer = {
    id: '019aa5c0-0000-7000-8000-000000000001',
    seq: 1,
    association_id: '019aa5c0-0000-7000-8000-000000000002',
    kind: 'contribution',
    legs: [
      { account: 'wallet:w', amount_minor: -5 },
      { account: 'pool:p', amount_minor: 5 },
    ],
    currency: 'XAF',
    // U+2028 ends a line for many readers, but not in JSON.
    reference: 'one\u2028two',
    posted_at: '2026-11-21T03:00:00.123Z',
    prev_hash: '0'.repeat(64),
  };
  return `${JSON.stringify({ ...transfer, hash: canonicalHash(transfer) })}\n`;
}

describe('npm run verify', () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'verify-'));
  });

  after(() => {
    rmSync(folder, { recursive: true });
  });

  function run(script: string, given: string[], input = '') {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...given], { input, encoding: 'utf8' });
    return { status, stdout, stderr };
  }

  function fileOf(name: string, text: string): string {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  }

  it('reports a draw of the service as valid, read from a file or from stdin', () => {
    const answer = JSON.stringify(drawnCycle());
    const expected = { status: 0, stdout: `VALID: 8 hands of 4 members, drawn by ${SEED}\n`, stderr: '' };
    expect(run(COMMAND, ['draw', fileOf('cycle.json', answer)])).to.deep.equal(expected);
    expect(run(COMMAND, ['draw'], answer)).to.deep.equal(expected);
    expect(run(DRAW_SCRIPT, [], answer), 'the script without the command').to.deep.equal(expected);
  });

  const forgeries: [string, (cycle: ReturnType<typeof drawnCycle>) => object, RegExp][] = [
    [
      'a draw in which two hands changed places',
      (c) => ({ ...c, hands: swapped(c.hands) }),
      /position \d was drawn by/,
    ],
    ['a draw with another seed', (c) => ({ ...c, seed: SEED.replace('c0', 'c1') }), /position \d was drawn by/],
    ['a draw without one of its hands', (c) => ({ ...c, hands: c.hands.slice(1) }), /position|drawn by/],
    [
      'a draw that moves a hand to an earlier round',
      (c) => ({ ...c, hands: early(c.hands) }),
      /position 3 does not have its turn in round 1/,
    ],
    [
      'a draw with wrong positions',
      (c) => ({ ...c, hands: c.hands.map((h) => ({ ...h, position: 1 })) }),
      /hand 2 is said/,
    ],
    ['a draw with too many rounds', (c) => ({ ...c, rounds: 5 }), /8 hands do not make 5 rounds/],
    [
      'a draw whose rules have another number of beneficiaries',
      (c) => ({ ...c, rules: { beneficiaries_per_meeting: 4 } }),
      /does not have its turn/,
    ],
    ['a draw without the number of beneficiaries', (c) => ({ ...c, rules: {} }), /rules do not say/],
    ['a cycle whose order was not drawn', (c) => ({ ...c, order: 'join', seed: null }), /order is join, not draw/],
    ['a savings cycle', (c) => ({ ...c, order: null, seed: null, hands: [] }), /order is none, not draw/],
    ['a draw with a short seed', (c) => ({ ...c, seed: 'c0ffee' }), /seed is not 32 bytes/],
    ['a draw without hands', (c) => ({ ...c, hands: [] }), /no hands/],
    ['a draw whose hands have no members', (c) => ({ ...c, hands: [null, {}] }), /a hand has no member/],
  ];
  for (const [what, forge, reason] of forgeries) {
    it(`refuses ${what}`, () => {
      const { status, stdout, stderr } = run(DRAW_SCRIPT, [], JSON.stringify(forge(drawnCycle())));
      expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
      expect(stderr)
        .to.match(/^NOT VALID: .*\n$/)
        .and.to.match(reason);
    });
  }

  it('refuses input that is not a cycle with a message of one line', () => {
    for (const text of ['no JSON', 'null', '[]']) {
      const { status, stderr } = run(DRAW_SCRIPT, [], text);
      expect(status, text).to.equal(1);
      expect(stderr, text).to.match(/^NOT VALID: .*\n$/);
    }
    expect(run(DRAW_SCRIPT, [join(folder, 'nowhere.json')]).stderr).to.match(/^NOT VALID: no cycle to read.*\n$/);
  });

  it('verifies a ledger with the argument `ledger`, and without a command', () => {
    const file = fileOf('ledger.ndjson', exportedLedger());
    for (const given of [['ledger', file], [file]]) {
      const { status, stdout } = run(COMMAND, given);
      expect(stdout).to.match(/^VALID: 1 transfers, head [0-9a-f]{64}\n/);
      expect(status).to.equal(0);
    }
    for (const given of [['ledger'], []]) expect(run(COMMAND, given, exportedLedger()).status).to.equal(0);
    const forged = run(COMMAND, ['ledger'], exportedLedger().replaceAll('5}', '6}'));
    expect(forged.status).to.equal(1);
    expect(forged.stderr).to.contain('NOT VALID at line 1');
  });

  it('refuses an export with a line that is no transfer with a message of one line', () => {
    for (const line of ['no JSON', 'null', '[]', '{"seq":2}', '{"legs":[null]}']) {
      const { status, stderr } = run(COMMAND, ['ledger'], `${exportedLedger()}${line}\n`);
      expect(status, line).to.equal(1);
      expect(stderr, line).to.equal('NOT VALID at line 2: not a transfer\n');
    }
  });

  it('shows its usage for wrong arguments', () => {
    for (const given of [['draw', 'one', 'two'], ['one', 'two'], [join(folder, 'nowhere')]]) {
      const { status, stderr } = run(COMMAND, given);
      expect(status).to.equal(2);
      expect(stderr)
        .to.match(/^NOT VERIFIED: /)
        .and.to.contain('Usage: npm run verify');
    }
  });

  it('verifies the databases if there is no export in a file or a pipe, or if it is asked to', () => {
    const env = { PATH: process.env['PATH'], DATA_DIR: join(folder, 'no-data') };
    const reason = /^NOT VERIFIED: No NATS server: set NATS_URL, or run npm start/;
    for (const [given, stdin] of [
      [['ledger'], 'ignore'],
      [[], 'ignore'],
      [['ledger', '--databases'], 'pipe'],
      [['--incremental'], 'pipe'],
    ] as const) {
      const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...given], {
        env,
        stdio: [stdin, 'pipe', 'pipe'],
        encoding: 'utf8',
      });
      expect(stderr, given.join(' ')).to.match(reason);
      expect(status).to.equal(2);
    }
  });
});

type Hands = Rotation['hands'];

function swapped(hands: Hands): Hands {
  const [first, ...rest] = hands;
  const other = rest.find((hand) => hand.member_id !== first?.member_id);
  return hands.map((hand) => {
    if (hand === first) return { ...hand, member_id: other?.member_id ?? '' };
    return hand === other ? { ...hand, member_id: first?.member_id ?? '' } : hand;
  });
}

function early(hands: Hands): Hands {
  return hands.map((hand) => (hand.position === 3 ? { ...hand, round: 1 } : hand));
}
