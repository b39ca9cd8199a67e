import type { ServiceSchema } from 'moleculer';
import { implementCommand } from '../../lib/service/implement.ts';
import type { Answer, CommandInput } from '../../lib/contracts/action.ts';
import { decideCash, statementFacts, takeCash } from '../../lib/contracts/contribution.ts';
import { problem } from '../../lib/errors/problem.ts';
import type { Problem } from '../../lib/errors/problem.ts';

type TakeInput = CommandInput<typeof takeCash>;
type DecideInput = CommandInput<typeof decideCash>;

/** What happens to one call: it, or its answer, gets lost, or the service is not there. */
export type Mishap = 'none' | 'request_lost' | 'answer_lost' | 'away';

/** The contribution service's part in cash for a meeting, in memory, each id taken and decided once, and in statements. */
export class FakeContribution {
  readonly taken = new Map<string, TakeInput>();
  readonly decided = new Map<string, Pick<DecideInput, 'paid' | 'code'>>();
  /** What it tells for the next statements, and what it was asked last. */
  facts: Answer<typeof statementFacts> = { meetings: [], owes_minor: 0, is_owed_minor: 0, arrears: [] };
  asked: CommandInput<typeof statementFacts> | undefined;
  /** What the next calls meet. */
  readonly mishaps: Mishap[] = [];
  /** Refuses to take what it has not taken yet. */
  refusal: Problem | undefined;

  schema(): ServiceSchema {
    return {
      name: 'contribution',
      actions: {
        take_cash: implementCommand(takeCash, (input) => this.#answer(() => this.#take(input))),
        statement_facts: implementCommand(statementFacts, async (input) => {
          await this.#answer(() => (this.asked = input));
          return this.facts;
        }),
        decide_cash: implementCommand(decideCash, (input) => this.#answer(() => this.#decide(input))),
      },
    };
  }

  #answer(work: () => void): Promise<{ ok: boolean }> {
    const mishap = this.mishaps.shift() ?? 'none';
    if (mishap === 'request_lost') throw new Error('the request got lost');
    if (mishap === 'away') throw Object.assign(new Error('away'), { type: 'SERVICE_NOT_AVAILABLE', retryable: true });
    work();
    if (mishap === 'answer_lost') throw new Error('the answer got lost');
    return Promise.resolve({ ok: true });
  }

  #take(input: TakeInput): void {
    const { contribution_id } = input;
    if (this.taken.has(contribution_id)) return;
    if (this.refusal !== undefined) throw this.refusal;
    this.taken.set(contribution_id, structuredClone(input));
  }

  #decide({ contribution_id, paid, code }: DecideInput): void {
    if (!this.taken.has(contribution_id)) throw problem('not_found');
    const before = this.decided.get(contribution_id);
    if (before !== undefined && before.paid !== paid) throw new Error('decided twice, and otherwise');
    this.decided.set(contribution_id, { paid, code });
  }
}
