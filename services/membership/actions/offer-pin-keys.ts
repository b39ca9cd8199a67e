/** Which PIN keys are offered to clients: those that every membership node can open. */
import { liveKeys, publicPart } from '../../../lib/pin/key-set.ts';
import type { PinKey, PublicPinKey } from '../../../lib/pin/key-set.ts';
import type { PinKeyRing } from '../../../lib/pin/key-ring.ts';
import type { Runtime } from '../../../lib/node/runtime.ts';
import type { Reader } from '../../../lib/db/statements.ts';
import { exchangeKeys } from '../persistence/pin-nodes.ts';
import type { NodeKeys } from '../persistence/pin-nodes.ts';

/** Ten missed beats: a node that pauses longer reads the key file again before it refuses a ciphertext. */
const NODE_LIVE_MS = 10_000;

/** Longer than nodes that have gone are remembered and than a rotation takes with one file for all nodes. */
const DIFFER_MAX_MS = 15_000;

type Log = { error: (message: string) => void };

export interface PinOffer {
  /** The newest first. */
  publicKeys(): Promise<PublicPinKey[]>;
  /** Tells the other nodes which keys this one has, and reads theirs. Called every second. */
  beat(node: string, log: Log): Promise<void>;
}

export function pinOffer(runtime: Runtime, db: Reader, ring: PinKeyRing): PinOffer {
  const { clock } = runtime;
  const id = runtime.newId();
  let others: NodeKeys[] = [];
  let differ_since: Date | undefined;
  let logged: string | undefined;

  const own = async (): Promise<PinKey[]> => liveKeys(await ring.keys(), clock());

  /** Logs a difference that lasts, once. */
  function complain(kids: string[], log: Log): void {
    const message = difference(kids, others);
    if (message === undefined) {
      differ_since = logged = undefined;
      return;
    }
    differ_since ??= clock();
    if (message === logged || clock().getTime() - differ_since.getTime() < DIFFER_MAX_MS) return;
    logged = message;
    log.error(message);
  }

  return {
    async publicKeys() {
      const keys = await own();
      const common = keys.filter(({ kid }) => others.every(({ kids }) => kids.includes(kid)));
      // Where nothing is in common any key is refused somewhere, and none everywhere.
      return (common.length > 0 ? common : keys).map(publicPart);
    },
    async beat(name, log) {
      const kids = (await own()).map(({ kid }) => kid);
      others = await exchangeKeys(db, id, { name, kids }, NODE_LIVE_MS);
      complain(kids, log);
    },
  };
}

/** What the operator must know of nodes that have other keys than this one. */
function difference(kids: string[], others: NodeKeys[]): string | undefined {
  const differing = others.filter(
    (node) => node.kids.length !== kids.length || !kids.every((kid) => node.kids.includes(kid)),
  );
  if (differing.length === 0) return undefined;
  const hasCommon = kids.some((kid) => others.every((node) => node.kids.includes(kid)));
  const names = [...new Set(differing.map(({ name }) => name))].toSorted().join(', ');
  const effect = hasCommon
    ? 'only the common ones are offered'
    : 'none is common, so many PINs are refused as unreadable';
  return `PIN keys differ from those of ${names}: ${effect}. Give all membership nodes the same file.`;
}
