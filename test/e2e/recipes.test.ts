import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { linkPackages, projectFiles, root } from '../harness/project-files.ts';
import { ENDPOINT } from './recipes/endpoint.ts';
import { HANDLER } from './recipes/handler.ts';
import { differences, filesNamed, filesOf, follow } from './recipes/recipe.ts';
import { TABLE } from './recipes/table.ts';

const run = promisify(execFile);
const RECIPES = [ENDPOINT, TABLE, HANDLER];

/** Tests that fail if a change is incomplete: routes, documents, types of the client, tables, statements. */
const REMINDERS = [
  'test/unit/gateway/routes.test.ts',
  'test/unit/gateway/documents.test.ts',
  'test/unit/client/schema.test.ts',
  'test/unit/tidy.test.ts',
  'test/unit/transport/nats-permissions.test.ts',
  'test/integration/tables.test.ts',
  'test/e2e/query-counts.test.ts',
];

describe('CONTRIBUTING.md', function () {
  this.timeout(300_000);
  const touched = [...new Set(RECIPES.flatMap(filesOf))];
  const originals = projectFiles();
  let copy: string;

  before(async () => {
    copy = await mkdtemp(join(tmpdir(), 'recipes-'));
    for (const file of originals) await cp(join(root, file), join(copy, file));
    await mkdir(join(root, '.cache'), { recursive: true });
    linkPackages(copy);
    await symlink(join(root, '.cache'), join(copy, '.cache'));
    for (const recipe of RECIPES) await follow(recipe, copy);
    await inCopy('prettier', '--write', '--ignore-unknown', ...touched);
    for (const { script } of RECIPES.flatMap(({ generates = [] }) => generates)) await execute('npm', 'run', script);
  });
  after(() => rm(copy, { recursive: true, force: true }));

  for (const recipe of RECIPES) {
    it(`names exactly the files that a change touches: ${recipe.heading}`, async () => {
      const document = await readFile(join(root, 'CONTRIBUTING.md'), 'utf8');
      expect(differences(filesNamed(document, recipe.heading), filesOf(recipe))).to.deep.equal([]);
    });
  }

  it('has recipes that touch no other file than they name', async () => {
    const entries = await readdir(copy, { recursive: true, withFileTypes: true });
    const paths = entries.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const changed: string[] = [];
    for (const file of paths.map((path) => relative(copy, path))) {
      const isOriginal =
        originals.includes(file) && (await readFile(join(root, file))).equals(await readFile(join(copy, file)));
      if (!isOriginal) changed.push(file);
    }
    expect(changed).to.have.members(touched);
  });

  it('has a recipe for a list endpoint that touches at most eight files', () => {
    expect(filesOf(ENDPOINT)).to.have.length.of.at.most(8);
  });

  it('has recipes whose code passes the type check', async () => {
    await execute('npm', 'run', 'typecheck');
  });

  it('has recipes whose code passes the linter and the rules for imports', async () => {
    await inCopy('eslint', '--max-warnings', '0', '--no-warn-ignored', ...touched);
    await execute('npm', 'run', 'imports');
  });

  it('has recipes whose code passes its tests and the tests for incomplete changes', async () => {
    const own = touched.filter((file) => file.endsWith('.test.ts'));
    expect(own).to.have.length(RECIPES.length);
    await inCopy('mocha', ...own, ...REMINDERS);
  });

  function inCopy(tool: string, ...args: string[]): Promise<void> {
    return execute(process.execPath, join('node_modules', '.bin', tool), ...args);
  }

  /** @throws Error with the output of the program if it fails */
  async function execute(program: string, ...args: string[]): Promise<void> {
    // The copy uses separate servers, because the databases of the run lack the recipes. Its coverage does not count.
    const env = { ...process.env, TEST_SERVERS: undefined, NODE_V8_COVERAGE: undefined };
    await run(program, args, { cwd: copy, env }).catch((error: unknown) => {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${[program, ...args].join(' ')}\n${stdout}${stderr}`);
    });
  }
});
