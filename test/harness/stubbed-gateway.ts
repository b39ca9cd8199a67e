import { implement, implementCommand } from '../../lib/service/implement.ts';
import type { CallContext } from '../../lib/service/implement.ts';
import * as membership from '../../lib/contracts/membership.ts';
import * as treasury from '../../lib/contracts/treasury.ts';
import { GatewayBench } from './gateway.ts';

/** An id as ours are. */
export const SOME = '0192f0c0-0000-7000-8000-000000000001';

/** A body that creates an association. */
export const NEW = {
  name: 'Njangi',
  type: 'tontine',
  currency: 'XAF',
  contribution_amount: 10_000,
  contribution_frequency: 'monthly',
};

/** A gateway in front of a membership and a treasury that answer as the test says, by default with their own name. */
export class StubbedGateway {
  readonly bench: GatewayBench;
  /** What a stub was called with last. */
  seen: { input: unknown; ctx: CallContext } | undefined;
  answer: (ctx: CallContext) => unknown = () => ({});

  private constructor(make: (stubs: StubbedGateway) => GatewayBench) {
    this.bench = make(this);
  }

  /** @param env settings beside the defaults; nothing is limited unless they say so */
  static async start(env: Record<string, string> = {}): Promise<StubbedGateway> {
    const gateway = new StubbedGateway((stubs) => new GatewayBench(stubs.#services(), undefined, 0, env));
    await gateway.bench.start();
    return gateway;
  }

  /** Makes the stubs fail. */
  fails(error: () => unknown): void {
    this.answer = () => {
      throw error() as Error;
    };
  }

  reset(): void {
    this.answer = () => ({});
    this.seen = undefined;
  }

  #services() {
    const take = (contract: Parameters<typeof implement>[0]) =>
      implement(contract, async (input, _caller, ctx) => {
        // As it would come over NATS: without members that are undefined.
        this.seen = { input: JSON.parse(JSON.stringify(input)), ctx };
        return { from: contract.name, ...((await this.answer(ctx)) as object) };
      });
    return [
      {
        name: 'membership',
        actions: {
          create_association: take(membership.createAssociation),
          my_associations: take(membership.myAssociations),
          get_association: take(membership.getAssociation),
          list_members: take(membership.listMembers),
          change_own_membership: take(membership.changeOwnMembership),
          leave: take(membership.leaveAssociation),
          set_pin: take(membership.setPin),
          pin_keys: take(membership.pinKeys),
          accept_invitation: take(membership.acceptInvitation),
          join: take(membership.joinAssociation),
          health: implementCommand(membership.health, () => Promise.resolve({ ok: true })),
        },
      },
      {
        name: 'treasury',
        actions: {
          deposit: take(treasury.depositToWallet),
          health: implementCommand(treasury.health, () => Promise.resolve({ ok: true })),
        },
      },
    ];
  }
}
