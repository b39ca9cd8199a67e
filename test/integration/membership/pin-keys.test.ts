import { execFile } from 'node:child_process';
import { chmod, link, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { StartupError } from '../../../lib/config/startup-error.ts';
import { pinKeys } from '../../../lib/contracts/membership.ts';
import { lockFile } from '../../../lib/files/file-lock.ts';
import { createKeyFile, generatePinKey, readKeyFile, rotateKeyFile } from '../../../lib/pin/key-file.ts';
import { openKeyRing } from '../../../lib/pin/key-ring.ts';
import { KEY_LIFE_MS, OVERLAP_MS, publicPart } from '../../../lib/pin/key-set.ts';
import { eventually } from '../../harness/eventually.ts';
import { useAssociation } from '../../harness/membership.ts';
import { sealPin } from '../../harness/pins.ts';
import { atOnce, outcomeOf, refusalOf } from '../../harness/refusal.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const DAY_MS = 86_400_000;

/** Opens a key ring whose clock advances, so that it reads its file each time, and collects the faults it reports. */
async function watched(path: string) {
  const faults: string[] = [];
  let now_ms = Date.now();
  const clock = () => new Date((now_ms += 2_000));
  return { faults, ring: await openKeyRing(path, clock, ({ message }) => faults.push(message)) };
}

describe('PIN keys', () => {
  const harness = useAssociation();
  before(() => harness.setPin('host', '1234'));

  const keys = async () => (await harness.as('anyone', pinKeys)).keys;
  const send = (pin: string) => harness.pay('host', pin);

  it('are published as a JWK Set without private parts', async () => {
    const [key] = await keys();
    expect(Object.keys(key!).toSorted()).to.deep.equal(['alg', 'e', 'exp', 'kid', 'kty', 'n', 'use']);
    expect(key).to.include({ kty: 'RSA', use: 'enc', alg: 'RSA-OAEP-256', e: 'AQAB' });
    expect(Buffer.from(key!.n as string, 'base64url').length * 8).to.be.at.least(2048);
    expect((key!.exp as number) * 1_000).to.be.within(Date.now() + KEY_LIFE_MS - 60_000, Date.now() + KEY_LIFE_MS);
  });

  it('rotate without a restart; ciphertexts of the old key are readable only during the overlap', async () => {
    const [old] = await keys();
    await rotateKeyFile(harness.keysFile, new Date(), OVERLAP_MS);
    await eventually(async () => expect(await keys()).to.have.length(2));
    const [newest, second] = await keys();
    expect(second!.kid).to.equal(old!.kid);
    expect(newest!.kid).to.not.equal(old!.kid);
    await send(await sealPin(old!, '1234'));
    await send(await sealPin(newest!, '1234'));

    harness.clock.offset_ms = OVERLAP_MS + 1_000;
    expect((await keys()).map((key) => key.kid)).to.deep.equal([newest!.kid]);
    const { code, extras } = await refusalOf(send(await sealPin(old!, '1234')));
    expect([code, extras]).to.deep.equal(['pin_unreadable', {}]);
    await send(await sealPin(newest!, '1234'));
  });

  it('are read again from the file immediately for a ciphertext that no known key decrypts', async () => {
    harness.clock.stopped_at = new Date();
    // The service has just read the file and, because its clock is stopped, would not read it again.
    await keys();
    const [fresh] = (await rotateKeyFile(harness.keysFile, new Date(), OVERLAP_MS)) ?? [];
    await send(await sealPin({ ...fresh }, '1234'));
  });

  it('do not change while the file is damaged', async () => {
    const text = await readFile(harness.keysFile, 'utf8');
    await writeFile(harness.keysFile, '{');
    harness.clock.offset_ms = 2_000;
    const shown = await keys();
    expect(shown).to.have.length.above(0);
    await send(await sealPin(shown[0]!, '1234'));
    await writeFile(harness.keysFile, text);
  });

  it('cause one fault with its reason for each change of the file that cannot be loaded', async () => {
    const { ring, faults } = await watched(harness.keysFile);
    const text = await readFile(harness.keysFile, 'utf8');
    const shown = await ring.keys();
    for (const spoil of [() => writeFile(harness.keysFile, '{'), () => rm(harness.keysFile)]) {
      await spoil();
      for (let n = 0; n < 3; n += 1) expect(await ring.keys()).to.equal(shown);
    }
    await writeFile(harness.keysFile, text);
    expect((await ring.keys()).map(({ kid }) => kid)).to.deep.equal(shown.map(({ kid }) => kid));
    expect(faults).to.have.length(2);
    for (const fault of faults) expect(fault).to.contain(harness.keysFile);
    expect(faults[0]).to.contain('damaged');
    expect(faults[1]).to.contain('ENOENT');
  });

  it('are renewed by a development service before they expire; used ciphertexts of expired keys are deleted', async () => {
    const used = () => harness.sql('SELECT digest FROM used_ciphertexts');
    const [before] = await keys();
    harness.clock.offset_ms = 100 * DAY_MS;
    await harness.restart();
    const [after] = await keys();
    expect(after!.kid).to.not.equal(before!.kid);
    expect(await used()).to.deep.equal([]);
    await send(await sealPin(after!, '1234'));
    expect(await used()).to.have.length(1);
    await harness.restart();
    expect(await used()).to.have.length(1);
  });

  it('may arrive after a ciphertext, so an undecryptable ciphertext is remembered until no key for it can arrive', async () => {
    const unopened = () => harness.sql('SELECT digest FROM used_ciphertexts WHERE kid IS NULL');
    const pin = await sealPin({ ...publicPart(await generatePinKey(new Date())) }, '1234');
    expect(await outcomeOf(send(pin))).to.equal('pin_unreadable');
    for (const [days, kept] of [
      [0, 1],
      [80, 1],
      [100, 0],
    ] as const) {
      harness.clock.offset_ms = days * DAY_MS;
      await harness.restart();
      expect(await unopened()).to.have.length(kept);
    }
  });

  describe('in a file', () => {
    let directory: string;
    let path: string;
    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'pin-keys-'));
      path = join(directory, 'deep', 'keys.json');
    });
    afterEach(() => rm(directory, { recursive: true, force: true }));
    const create = () => createKeyFile(path, new Date());
    const rotate = (overlap_ms = OVERLAP_MS) => rotateKeyFile(path, new Date(), overlap_ms);
    const kidsOf = async () => (await readKeyFile(path)).map((key) => key.kid);
    /** Expects that the service does not start, and returns the reason. */
    const refusedWith = async (attempt: Promise<unknown>) => {
      const error: unknown = await attempt.then(
        () => new Error('it was not refused'),
        (reason: unknown) => reason,
      );
      expect(error).to.be.instanceOf(StartupError);
      return (error as Error).message;
    };

    it('are created once by processes that start concurrently', async () => {
      await Promise.all(atOnce(4, create));
      const made = await kidsOf();
      expect(made).to.have.length(1);
      await create();
      expect(await kidsOf()).to.deep.equal(made);
    });

    it('are refused in one line if the file cannot be created', async () => {
      const file = join(directory, 'file');
      await writeFile(file, '');
      const refused = await refusedWith(createKeyFile(join(file, 'keys.json'), new Date()));
      expect(refused).to.match(/^Cannot write [^\n]+$/);
    });

    it('are loaded after a fault has passed, even if the file itself has not changed', async () => {
      await create();
      const { ring, faults } = await watched(path);
      await writeFile(path, '{');
      const before = await ring.keys();
      // With a copy next to it, the damaged file can be read.
      const copy = { keys: [await generatePinKey(new Date()), ...(before as object[])] };
      await writeFile(`${path}.new`, JSON.stringify(copy));
      expect(await ring.keys()).to.have.length(2);
      expect(faults).to.have.length(1);
    });

    it('are rotated by one process at a time, and no key is lost', async () => {
      await create();
      const [first] = await kidsOf();
      const results = await Promise.all(atOnce(3, () => rotate()));
      const made = results.flatMap((set) => (set === undefined ? [] : [set[0]!.kid]));
      expect(made).to.have.length.within(1, 3);
      expect(await kidsOf()).to.have.members([first, ...made]);
      const other = lockFile(`${path}.lock`);
      expect(await rotate(0)).to.equal(undefined);
      other?.release();
      expect(await rotate(0)).to.have.length(1);
    });

    it('are refused with a reason when they are missing, unreadable, damaged or weak', async () => {
      const opening = () =>
        refusedWith(
          openKeyRing(
            path,
            () => new Date(),
            (fault) => expect.fail(fault.message),
          ),
        );
      expect(await opening()).to.match(/Cannot read.*rotate-pin-key/);
      await mkdir(path, { recursive: true });
      const isDirectory = await opening();
      expect(isDirectory).to.contain(path).and.to.contain('EISDIR');
      await rm(path, { recursive: true });
      await create();
      if (process.getuid?.() !== 0) {
        await chmod(path, 0);
        const isForbidden = await opening();
        expect(isForbidden).to.contain(path).and.to.contain('EACCES');
        await chmod(path, 0o600);
      }
      for (const content of ['{"keys":[{"d":"hunter2"}]}', 'hunter2', '{"keys":[]}']) {
        await writeFile(path, content);
        const isDamaged = await opening();
        expect(isDamaged).to.contain('damaged').and.not.contain('hunter2');
      }
      const key = await generatePinKey(new Date());
      const short = Buffer.from(key.n, 'base64url').subarray(0, 128).toString('base64url');
      await writeFile(path, JSON.stringify({ keys: [{ ...key, n: short }] }));
      expect(await opening()).to.contain('fewer than 2048 bits');
    });

    it('are rotated in place, for processes with another path to the file, and are never read partly written', async () => {
      await create();
      // A file mounted into a container is the same inode, without the files next to it.
      const mounted = join(directory, 'mounted.json');
      await link(path, mounted);
      const written = new Set([JSON.stringify(await readKeyFile(path))]);
      const read = new Set<string>();
      let isDone = false;
      const reader = async (from: string) => {
        while (!isDone) read.add(JSON.stringify(await readKeyFile(from)));
      };
      const readers = [path, path, mounted, mounted].map(reader);
      for (let n = 0; n < 8; n += 1) {
        written.add(JSON.stringify(await rotate(n % 3 === 2 ? 0 : OVERLAP_MS)));
      }
      isDone = true;
      await Promise.all(readers);
      expect([...read].filter((keys) => !written.has(keys))).to.deep.equal([]);
      expect(await readKeyFile(mounted)).to.deep.equal(await readKeyFile(path));
      expect((await stat(path)).mode & 0o777).to.equal(0o600);
    });

    it('are not lost if a rotation is interrupted', async () => {
      await create();
      const whole = await readFile(path, 'utf8');
      const first = await kidsOf();
      // The rotation is interrupted while it writes the copy, then while it writes the file; the other one is intact.
      await writeFile(`${path}.new`, whole.slice(0, 500));
      expect(await kidsOf()).to.deep.equal(first);
      await writeFile(`${path}.new`, whole);
      for (const length of [0, 500, whole.length - 10]) {
        await writeFile(path, whole.slice(0, length));
        expect(await kidsOf()).to.deep.equal(first);
      }
      const [second] = (await rotate()) ?? [];
      await rm(`${path}.new`, { force: true });
      expect(await kidsOf()).to.deep.equal([second!.kid, ...first]);
    });

    it('are read only if their checksum matches', async () => {
      await create();
      const { sha256, keys: made } = JSON.parse(await readFile(path, 'utf8')) as { sha256: string; keys: object[] };
      await writeFile(path, JSON.stringify({ sha256, keys: [...made, ...made] }));
      expect(await readKeyFile(path).catch((error: Error) => error.message)).to.contain('damaged');
      // Files of earlier releases have no checksum.
      await writeFile(path, JSON.stringify({ keys: made }));
      expect(await readKeyFile(path)).to.deep.equal(made);
    });

    it('are rotated by cli/rotate-pin-key.ts, which prints the keys and until when they are accepted', async () => {
      const env = { ...process.env, PIN_PRIVATE_KEYS_FILE: path, DATA_DIR: directory };
      const run = (...args: string[]) =>
        promisify(execFile)(process.execPath, ['cli/rotate-pin-key.ts', ...args], { cwd: root, env });
      expect((await run()).stdout).to.match(/^new key \S+: accepted until \S+Z\n$/);
      const [first] = await kidsOf();
      expect((await run()).stdout).to.match(/^new key .*\nold key .*\n$/);
      const [second, ...older] = await kidsOf();
      expect(older).to.deep.equal([first]);
      expect((await run('--now')).stdout).to.match(/^new key .*\n$/);
      const [third, ...others] = await kidsOf();
      expect([third === second, others]).to.deep.equal([false, []]);
      const wrong = await run('--soon').catch((error: unknown) => error);
      expect(wrong)
        .to.have.property('stderr')
        .that.matches(/^Usage: .*\n$/);
    });
  });
});
