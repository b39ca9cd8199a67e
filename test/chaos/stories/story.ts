import type { ServiceName } from '../../../lib/config/service-names.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { GroupOptions } from '../../harness/group.ts';
import type { Asked } from '../../harness/requests.ts';
import type { Scene } from './scene.ts';

/** A fault point of a service at which its process is killed. */
export interface Death {
  service: ServiceName;
  step: string;
}

/** Changes of the association's money and its members' wallets; absent parts do not change. */
export interface Moves {
  /** Index of the member -> change. */
  wallets?: Partial<Record<number, number>>;
  treasury?: number;
  reserved?: number;
  available?: number;
  /** All cash of the association. */
  cash?: number;
  /** E-money and cash in the pools of all meetings, and the cash among it. */
  pools?: number;
  pools_cash?: number;
}

/** A request of a story, during which processes are killed. */
export interface Act {
  /** The attempted operation, for the test's title. */
  what: string;
  /** In order: the process that recovers after the first kill is killed at the second point, and so on. */
  deaths: readonly Death[];
  /** Prepares the act; no process is killed. */
  before?: (scene: Scene) => Promise<void>;
  asked: (scene: Scene) => Asked | Promise<Asked>;
  /** Actions of others before the killed process is replaced. */
  during_outage?: (scene: Scene) => Promise<void>;
  /** Whether the process is killed before recovery could complete the operation, so that only a repeat does. */
  needs_repeat?: boolean;
  /** The expected refusal; a success if absent. */
  refused?: ErrorCode;
  /** The total changes of money. */
  moves?: Moves | ((scene: Scene) => Moves | Promise<Moves>);
  /** Checks of the final state. */
  then?: (scene: Scene) => Promise<unknown>;
}

/** Acts that a group plays in order. */
export interface Story {
  title: string;
  group: GroupOptions;
  /** Whether each act has a separate group, because it can be played only once. */
  separate_groups?: boolean;
  set_up?: (scene: Scene) => Promise<void>;
  acts: readonly Act[];
  /** Checks after all acts. */
  end?: (scene: Scene) => Promise<void>;
}

/** A kill at a fault point that only one service announces. */
export function at(step: string): Death {
  return { service: step.slice(0, step.indexOf('.')) as ServiceName, step };
}

/** A kill after the service has claimed an Idempotency-Key, before anything else is stored. */
export function claimedBy(service: ServiceName): Death {
  return { service, step: 'idempotency.claimed' };
}
