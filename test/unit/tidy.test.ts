import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectFiles, root } from '../harness/project-files.ts';

/** The file of a service only wires its parts; decisions belong elsewhere. */
const WIRING_MAX_LINES = 100;

const files = projectFiles().filter((file) => /\.(ts|mjs|js|md|json|yml)$/.test(file) && file !== 'package-lock.json');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Returns the files among `candidates` whose text matches, as `file: match`. */
function found(candidates: string[], pattern: RegExp): string[] {
  return candidates.flatMap((file) => {
    const match = pattern.exec(read(file));
    return match === null ? [] : [`${file}: ${match[0]}`];
  });
}

const sources = files.filter((file) => /^(lib|services|cli|examples|bench)\/.*\.(ts|mjs)$/.test(file));

/** Rules of the project that a linter cannot check. */
describe('the source tree', () => {
  it('has no folder or file named utils, helpers, misc or common', () => {
    expect(files.filter((file) => /(^|\/)(utils?|helpers?|misc|common)(\/|\.ts$)/.test(file))).to.deep.equal([]);
  });

  it(`has service files of at most ${String(WIRING_MAX_LINES)} lines`, () => {
    const wiring = files.filter((file) => /^services\/[^/]+\/[^/]+\.service\.ts$/.test(file));
    expect(wiring.length).to.equal(5);
    expect(wiring.filter((file) => read(file).split('\n').length > WIRING_MAX_LINES)).to.deep.equal([]);
  });

  it('has no comments that postpone work', () => {
    const later = /TODO|FIXME|HACK|XXX\b(?!\s*(\(|U|X))/;
    expect(found(sources, later).filter((line) => !line.startsWith('lib/money/currency.ts'))).to.deep.equal([]);
  });

  it('has no skipped or exclusive tests', () => {
    const tests = files.filter((file) => file.endsWith('.test.ts'));
    expect(found(tests, /\b(describe|it|context)\.(only|skip)\(|this\.skip\(/)).to.deep.equal([]);
  });

  it('changes balances only in the ledger', () => {
    // The baselines of the benchmark write the same rows, into separate databases.
    const others = sources.filter((file) => !/^(services\/treasury|bench)\//.test(file));
    expect(found(others, /UPDATE accounts|INSERT INTO (entries|transfers)/)).to.deep.equal([]);
  });

  it('has actions that read on the connections for reads, which do not wait for writes', () => {
    const reading = sources.filter((file) => /^services\/(?!gateway).*\/(read|list)-[^/]+\.ts$/.test(file));
    expect(reading.length).to.be.greaterThan(10);
    expect(found(reading, /\{[^}]*\bdb\b[^}]*\}(: \w+Deps| = deps)|\bdeps\.db\b/)).to.deep.equal([]);
  });

  it('names the columns that prepared statements return, since those of running processes fail if a migration adds one', () => {
    const named = /name: '[^']+',\s*text:\s*(?:`\s*([^`]*)`|'([^']*)')/g;
    const star = /RETURNING (\w+\.)?\*|SELECT ([\w.]+, )*\w+\.\*|^SELECT \*/;
    // Those of commands are longer, and may have a star inside.
    const outerStar = /^SELECT (\w+\.)?\*/;
    const services = sources.filter((file) => /^(services|lib|cli)\//.test(file));
    const broken = services.flatMap((file) =>
      [...read(file).matchAll(named)]
        .filter(([, long, short]) => (file.startsWith('cli/') ? outerStar : star).test(long ?? short ?? ''))
        .map(([statement]) => `${file}: ${statement.split('\n')[0] ?? ''}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('has documents that link only to existing files', () => {
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
