import type { ServiceName } from '../../../lib/config/service-names.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { GroupOptions } from '../../harness/group.ts';
import type { Asked } from '../../harness/requests.ts';
import type { Scene } from './scene.ts';

/** Where a process dies: at a step that this service announces. */
export interface Death {
  service: ServiceName;
  step: string;
}

/** How the association's money and its members' wallets change; what is not named stays as it is. */
export interface Moves {
  /** By the member's place in the group. */
  wallets?: Partial<Record<number, number>>;
  treasury?: number;
  reserved?: number;
  available?: number;
  /** All that the cash box holds. */
  cash?: number;
  /** In the pools of all meetings, in both monies; of it in cash. */
  pools?: number;
  pools_cash?: number;
}

/** One request of a story, on whose way a process dies. */
export interface Act {
  /** What is tried, for the test's title. */
  what: string;
  /** One after the other: the process that recovers after the first death dies at the second step, and so on. */
  deaths: readonly Death[];
  /** What has to happen before, undisturbed. */
  before?: (scene: Scene) => Promise<void>;
  asked: (scene: Scene) => Asked | Promise<Asked>;
  /** What others do before the dead process is replaced. */
  meanwhile?: (scene: Scene) => Promise<void>;
  /** True where the process dies before anything stored asks to be done: then only a repeat of the request does it. */
  needs_repeat?: boolean;
  /** The refusal in which it has to end; a success if absent. */
  refused?: ErrorCode;
  /** How often and how much money moves in all. */
  moves?: Moves | ((scene: Scene) => Moves | Promise<Moves>);
  /** What else holds in the end. */
  then?: (scene: Scene) => Promise<unknown>;
}

/** What one group of people goes through. */
export interface Story {
  title: string;
  group: GroupOptions;
  /** Whether each act has a group of its own, because it can only be played once. */
  afresh?: boolean;
  set_up?: (scene: Scene) => Promise<void>;
  acts: readonly Act[];
  /** What holds once all acts are over. */
  end?: (scene: Scene) => Promise<void>;
}

/** Death at a step that only one service announces. */
export function at(step: string): Death {
  return { service: step.slice(0, step.indexOf('.')) as ServiceName, step };
}

/** Death of a service that has just claimed an Idempotency-Key: nothing else has happened yet. */
export function claimedBy(service: ServiceName): Death {
  return { service, step: 'idempotency.claimed' };
}
