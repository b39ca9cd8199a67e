import { expect } from 'chai';
import { allOutput, allSecrets } from '../harness/written-output.ts';

/** What personal data and secrets look like, wherever they come from. */
const PATTERNS: Record<string, RegExp> = {
  'a signed token': /\beyJ[\w-]{10,}\.[\w-]{10,}\./,
  'a ciphertext of RSA-2048 in base64': /[A-Za-z0-9+/]{300,}/,
  'an e-mail address': /[\w.+-]+@[\w-]+(\.[\w-]+)*\.[a-z]{2,}\b/i,
  'a phone number': /\+\d{9,15}\b/,
  'a PIN': /\bpin\\?["']?\s*[:=]\s*\\?["']?\d/i,
  'a password in a URL': /\b(postgres|postgresql|nats|tls):\/\/[^\s:/@]+:[^\s@/]+@/,
};

/** Runs after all other files, because it reads what their processes have written. */
describe('the output of all processes of the run', () => {
  const output = allOutput();

  it('was kept', () => {
    expect(output.length).to.be.above(0);
    expect(allSecrets().size).to.be.above(0);
  });

  it('contains no secret, PIN, token or full name that the tests have used', () => {
    const secrets = [...allSecrets()];
    const whole = output.join('\n');
    const found = secrets.filter((secret) => whole.includes(secret));
    expect(found.map((secret) => output.find((line) => line.includes(secret)))).to.deep.equal([]);
  });

  for (const [what, pattern] of Object.entries(PATTERNS)) {
    it(`contains nothing that looks like ${what}`, () => {
      expect(output.filter((line) => pattern.test(line))).to.deep.equal([]);
    });
  }
});
