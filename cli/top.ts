import { setTimeout as sleep } from 'node:timers/promises';
import { OPERATOR } from '../lib/config/service-names.ts';
import { loadSettings } from '../lib/config/settings.ts';
import { StartupError } from '../lib/config/startup-error.ts';
import { attachInfrastructure } from '../lib/embedded/infrastructure.ts';
import { readArguments, runOnce } from '../lib/node/run-once.ts';
import { fleetFigures, nodeFigures, type Pair } from './top/figures.ts';
import { findNodes, type FoundNode } from './top/find-nodes.ts';
import { readSamples, type Samples } from './top/samples.ts';
import { screen, type NodeRow } from './top/screen.ts';

const USAGE =
  'Usage: npm run top -- [--once] [--targets http://host:9464,http://…]   (without targets, all processes at NATS_URL)';

const REFRESH_MS = 2_000;

/** All nodes have answered by then, as each does at once. */
const DISCOVERY_MS = 1_000;

const HOME = '\x1b[H';
const CLEAR_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';
const CLEAR_ALL = '\x1b[2J';
/** Lines that are longer than the terminal is wide are cut. */
const NO_WRAP = '\x1b[?7l';
const WRAP = '\x1b[?7h';

/** npm run top: shows all processes and what waits in them, again every 2 s, until it is interrupted. */
async function main(): Promise<void> {
  const { once, targets } = readTop();
  const finder = targets === undefined ? await findFleet() : fixedNodes(targets);
  const isDrawing = process.stdout.isTTY && !once;
  process.once('SIGINT', () => void finder.stop().then(() => process.exit(0)));
  let before = new Map<string, Samples>();
  // Rates need two readings.
  before = (await show(finder.nodes(), before)).samples;
  if (isDrawing) process.stdout.write(CLEAR_ALL);
  do {
    await sleep(REFRESH_MS);
    const { samples, lines } = await show(finder.nodes(), before);
    before = samples;
    process.stdout.write(isDrawing ? drawn(lines) : `${lines.join('\n')}\n`);
  } while (!once);
  await finder.stop();
}

function readTop(): { once: boolean; targets: string[] | undefined } {
  const options = { once: { type: 'boolean', default: false }, targets: { type: 'string' } } as const;
  const { once, targets } = readArguments(USAGE, { options }).values;
  const origins = targets?.split(',');
  if (origins?.some((origin) => !URL.canParse(origin)) === true) throw new StartupError(USAGE);
  return { once, targets: origins?.map((origin) => new URL(origin).origin) };
}

async function findFleet(): Promise<{ nodes(): FoundNode[]; stop(): Promise<void> }> {
  const settings = loadSettings(process.env, OPERATOR);
  const { natsUrl } = await attachInfrastructure(settings, []);
  const finder = await findNodes(settings, natsUrl);
  await sleep(DISCOVERY_MS);
  return finder;
}

function fixedNodes(targets: readonly string[]): { nodes(): FoundNode[]; stop(): Promise<void> } {
  const nodes = targets.map((origin) => ({
    name: new URL(origin).host,
    id: undefined,
    services: [],
    origins: [origin],
  }));
  return { nodes: () => nodes, stop: () => Promise.resolve() };
}

/** Reads all nodes. @returns their metrics, by node, and the lines to show */
async function show(
  nodes: readonly FoundNode[],
  before: ReadonlyMap<string, Samples>,
): Promise<{ samples: Map<string, Samples>; lines: string[] }> {
  const samples = new Map<string, Samples>();
  const pairs: Pair[] = [];
  const rows = await Promise.all(
    nodes.map(async ({ name, services, ...node }): Promise<NodeRow> => {
      const now = await readSamples(node);
      if ('fault' in now) return { name, services, fault: now.fault };
      const pair = { before: before.get(name), now };
      samples.set(name, now);
      pairs.push(pair);
      return { name, services, figures: nodeFigures(pair) };
    }),
  );
  return { samples, lines: screen(rows, fleetFigures(pairs), new Date(), process.stdout.isTTY) };
}

/** Draws over the earlier lines, without a moment in which the screen is empty. */
function drawn(lines: readonly string[]): string {
  return `${HOME}${NO_WRAP}${lines.map((line) => line + CLEAR_LINE).join('\n')}\n${WRAP}${CLEAR_BELOW}`;
}

await runOnce(main);
