import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectFiles, root } from '../harness/project-files.ts';

/** Wiring says what a service is made of; decisions belong elsewhere. */
const WIRING_MAX_LINES = 100;

const files = projectFiles().filter((file) => /\.(ts|mjs|js|md|json|yml)$/.test(file) && file !== 'package-lock.json');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** The files among `candidates` whose text matches, as `file: match`. */
function found(candidates: string[], pattern: RegExp): string[] {
  return candidates.flatMap((file) => {
    const match = pattern.exec(read(file));
    return match === null ? [] : [`${file}: ${match[0]}`];
  });
}

const sources = files.filter((file) => /^(lib|services|cli|examples|bench)\/.*\.(ts|mjs)$/.test(file));

/** The house rules that a linter has no rule for. */
describe('the house', () => {
  it('has no folder or file called utils, helpers or misc', () => {
    expect(files.filter((file) => /(^|\/)(utils?|helpers?|misc|common)(\/|\.ts$)/.test(file))).to.deep.equal([]);
  });

  it('keeps the wiring of a service short', () => {
    const wiring = files.filter((file) => /^services\/[^/]+\/[^/]+\.service\.ts$/.test(file));
    expect(wiring.length).to.equal(5);
    expect(wiring.filter((file) => read(file).split('\n').length > WIRING_MAX_LINES)).to.deep.equal([]);
  });

  it('leaves nothing for later in the code', () => {
    // Written in two halves so that this line does not find itself.
    const later = new RegExp(['TO' + 'DO', 'FIX' + 'ME', 'HA' + 'CK', 'X' + 'XX\\b(?!\\s*(\\(|U|X))'].join('|'));
    expect(found(sources, later).filter((line) => !line.startsWith('lib/money/currency.ts'))).to.deep.equal([]);
  });

  it('skips no test', () => {
    const tests = files.filter((file) => file.endsWith('.test.ts'));
    expect(found(tests, /\b(describe|it|context)\.(only|skip)\(|this\.skip\(/)).to.deep.equal([]);
  });

  it('lets only the ledger change balances', () => {
    // What the benchmark measures the ledger against writes the same rows, into databases of its own.
    const others = sources.filter((file) => !/^(services\/treasury|bench)\//.test(file));
    expect(found(others, /UPDATE accounts|INSERT INTO (entries|transfers)/)).to.deep.equal([]);
  });

  it('links to files that exist', () => {
    const broken = files
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) =>
        [...read(file).matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)(#[^)]*)?\)/g)]
          .map((match) => join(file, '..', match[1] ?? ''))
          .filter(
            (target) => !files.some((each) => each === target || each.startsWith(`${target.replace(/\/$/, '')}/`)),
          )
          .filter((target) => !['docker-compose.yml', 'LICENSE'].includes(target))
          .map((target) => `${file} -> ${target}`),
      );
    expect(broken).to.deep.equal([]);
  });
});
