import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { expect } from 'chai';
import { lockedPackages } from '../../harness/locked-packages.ts';
import { root } from '../../harness/project-files.ts';

interface Sbom {
  components: { name: string; version: string; purl: string; hashes: { alg: string }[]; licenses?: unknown[] }[];
}

describe('npm run sbom', function () {
  this.timeout(60_000);
  let text: string;

  before(async () => {
    text = (await promisify(execFile)('npm', ['run', '--silent', 'sbom'], { cwd: root })).stdout;
  });

  it('writes valid CycloneDX', async () => {
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot5).validate(text)).to.equal(null);
  });

  it('lists each production dependency with version and hash, and no other', () => {
    const { components } = JSON.parse(text) as Sbom;
    const workspaces = ['contracts', 'webhooks', 'reminders'];
    const external = components.filter(({ name }) => !workspaces.includes(name));
    const listed = new Set(external.map(({ name, version }) => `${name}@${version}`));
    const locked = lockedPackages().filter(({ forProduction }) => forProduction);
    expect(locked).to.have.length.above(100);
    expect([...listed].toSorted()).to.deep.equal([...new Set(locked.map(({ id }) => id))].toSorted());
    expect(external.filter(({ hashes }) => hashes.length === 0)).to.deep.equal([]);
  });
});
