/** Which PIN keys are offered to clients: those that every membership node can open. */
import type { ActionSchema } from 'moleculer';
import { pinKeys } from '../../../lib/contracts/membership.ts';
import type { PinKeyRing } from '../../../lib/pin/key-ring.ts';
import { liveKeys, publicPart, type PublicPinKey } from '../../../lib/pin/key-set.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import { exchangeKeys, type NodeKeys } from './pin.store.ts';

/** Ten missed exchanges. A node that was paused for longer reads the key file again before it refuses a ciphertext. */
const NODE_LIVE_MS = 10_000;

/** Longer than stopped nodes count as live, and than a rotation takes if all nodes have the same file. */
const DIFFER_MAX_MS = 15_000;

export interface PinKeyOffer {
  /** The newest first. */
  publicKeys(): Promise<PublicPinKey[]>;
  /** Tells the other nodes which keys this one has, and reads theirs. Called every second. */
  exchange(node: string, log: { error: (message: string) => void }): Promise<void>;
}

/** The keys to encrypt PINs to, as a JWK Set, the newest first. */
export function pinKeysAction({ pinKeyOffer }: { pinKeyOffer: PinKeyOffer }): ActionSchema {
  return implement(pinKeys, async () => ({ keys: (await pinKeyOffer.publicKeys()).map((key) => ({ ...key })) }));
}

export function createPinKeyOffer(
  { runtime, db }: Pick<ServiceContext, 'runtime' | 'db'>,
  ring: PinKeyRing,
): PinKeyOffer {
  const { clock } = runtime;
  const id = runtime.newId();
  let others: NodeKeys[] = [];
  let differ_since: Date | undefined;
  let logged: string | undefined;

  const readOwn = async () => liveKeys(await ring.keys(), clock());

  /** The difference to log: it has lasted, and was not logged before. */
  function differenceToLog(kids: string[]): string | undefined {
    const difference = describeDifference(kids, others);
    if (difference === undefined) {
      differ_since = logged = undefined;
      return undefined;
    }
    differ_since ??= clock();
    if (difference === logged || clock().getTime() - differ_since.getTime() < DIFFER_MAX_MS) return undefined;
    logged = difference;
    return difference;
  }

  return {
    async publicKeys() {
      const keys = await readOwn();
      const common = keys.filter(({ kid }) => others.every(({ kids }) => kids.includes(kid)));
      // Without a common key, all are offered: each works on some nodes.
      return (common.length > 0 ? common : keys).map(publicPart);
    },
    async exchange(name, log) {
      const kids = (await readOwn()).map(({ kid }) => kid);
      others = await exchangeKeys(db, id, { name, kids }, NODE_LIVE_MS);
      const difference = differenceToLog(kids);
      if (difference !== undefined) log.error(difference);
    },
  };
}

/** Tells the operator which nodes have other keys than this one; undefined if none has. */
function describeDifference(kids: string[], others: NodeKeys[]): string | undefined {
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
