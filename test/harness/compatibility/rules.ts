/** The rules of docs/versions.md, by a short name. A test checks that the page states each in these words. */
export const RULES = {
  operation: 'An operation keeps its method, path, `operationId`, roles, scope and success statuses.',
  request: 'A request that was accepted stays accepted, and a field or parameter that is absent keeps its meaning.',
  answer: 'A member or header of an answer or event is not removed and keeps its type, format and smallest value.',
  present: 'A member that is always present stays so, and one that is never null stays so.',
  value: 'A value of an enumeration is not removed or renamed.',
  code: 'An operation keeps its error codes, and a `code` its status.',
  event: 'A type of event keeps its subject, source, stream and durable consumers.',
  command: 'A command between services keeps its name and input. Its answer gains optional members only.',
  sunset: 'An announced end is not brought forward.',
} as const;

export type Rule = keyof typeof RULES;

/** A change that breaks a rule. */
export interface Break {
  rule: Rule;
  /** JSON Pointer into the document of the last release, or for what it lacks to the place where it would be. */
  pointer: string;
  what: string;
}

/** A break, and the operation, event or command that it belongs to. */
export interface Difference extends Break {
  of: string;
}

/** Returns a line for each change. A schema that many operations share is shown with the first of them. */
export function linesOf(differences: readonly Difference[]): string[] {
  const groups = Map.groupBy(differences, ({ rule, pointer, what }) => `${pointer}: ${what}. ${RULES[rule]}`);
  return [...groups].map(([change, [first, ...others]]) => {
    const more = new Set(others.map(({ of }) => of).filter((of) => of !== first?.of)).size;
    return `${first?.of ?? ''}${more === 0 ? '' : ` and ${String(more)} more`}: ${change}`;
  });
}

/** Differences that are wanted, such as a security fix. They end with the next release's fixture. */
export interface Exception {
  /** Matches their lines, as linesOf() writes them. */
  lines: RegExp;
  /** Why it is made, and why it does no harm while processes of both releases run. */
  reason: string;
  /** Words of its entry in CHANGELOG.md. */
  changelog: string;
}

/** Clients use a new operation once all processes are of its release: until then it is refused. */
const ONLY_NEW_OPERATIONS = 'Only operations that are new in this release send it.';

/** They are installed once the release runs that has what they call. */
const ONLY_OTHER_TEAMS = 'Only services of other teams call it. Processes of 0.1.0 do not know it, and the call fails.';

/** The differences from the last release that are wanted. */
export const EXCEPTIONS: readonly Exception[] = [
  {
    lines: /^contribution\.(check_reversal|take_back|finish_reversal): \S+ is new\./,
    reason: ONLY_NEW_OPERATIONS,
    changelog: 'Corrections',
  },
  {
    lines: /InputPermission: sent to an earlier process, correct is refused\./,
    reason: ONLY_NEW_OPERATIONS,
    changelog: 'Corrections',
  },
  {
    lines: /^(treasury\.transfer|governance\.request_approval): .*\b(reversal|correction) is (refused|removed)\./,
    reason: ONLY_NEW_OPERATIONS,
    changelog: 'Corrections',
  },
  {
    lines: /^contribution\.(check_fine|execute_approval): \S+ is new\./,
    reason: ONLY_NEW_OPERATIONS,
    changelog: 'fines',
  },
  {
    lines: /InputPermission: sent to an earlier process, (record_attendance|assess_fine) is refused\./,
    reason: ONLY_NEW_OPERATIONS,
    changelog: 'fines',
  },
  {
    lines: /Input(SubjectType|Type): sent to an earlier process, (meeting_sheet|correction|fine_waiver) is refused\./,
    reason: ONLY_NEW_OPERATIONS,
    changelog: 'fines',
  },
  {
    lines: /^(treasury\.transfer|governance\.request_approval): .*\b(fine_payment|fine_waiver) is (refused|removed)\./,
    reason: ONLY_NEW_OPERATIONS,
    changelog: 'fines',
  },
  {
    lines: /^contribution\.take_cash: .*\bmetadata: sent to an earlier process, is not accepted\./,
    reason:
      'Only for cash with metadata, which is new. Recovery repeats the call until a process of this release accepts it.',
    changelog: '`metadata`: associations, contributions, cash contributions',
  },
  {
    lines: /^contribution\.(un)?lock_membership: \S+ is new\./,
    reason: 'It is sent to processes that have it. The others have no sheets and no fines.',
    changelog: 'Meeting sheets',
  },
  {
    lines: /^treasury\.cash_box: \S+ is new\./,
    reason: ONLY_NEW_OPERATIONS,
    changelog: 'Meeting sheets',
  },
  {
    lines: /InputPermission: sent to an earlier process, record_sheet is refused\./,
    reason: ONLY_NEW_OPERATIONS,
    changelog: 'Meeting sheets',
  },
  {
    lines: /^(treasury\.transfer|governance\.request_approval): .*\bmeeting_sheet is (refused|removed)\./,
    reason: ONLY_NEW_OPERATIONS,
    changelog: 'Meeting sheets',
  },
  {
    lines: /(Rules\/properties\/fines|ApprovalRules\/properties\/\w+): answered by an earlier process, is missing\./,
    reason: 'completeRules() adds what the rules of an earlier process lack.',
    changelog: 'fines',
  },
  {
    lines: /^POST \/associations: \S+\/properties\/(rules|approvals): default .* became .*"fine_waiver":1/,
    reason: 'The default of the rules gains the defaults of new rules. What it had is as before.',
    changelog: 'fines',
  },
  {
    lines: /^(contribution\.overview|treasury\.list_wallets|governance\.overview): \S+ is new\./,
    reason: 'Only GET /me/overview calls it, which is new too, and 503 where a service has only processes of 0.1.0.',
    changelog: '`GET /me/overview`, one call for a home screen',
  },
  {
    lines: /^membership\.authorize: \S+InputPermission: sent to an earlier process, change_association is refused\./,
    reason: 'Only membership itself asks for this permission, in an action that the last release does not have.',
    changelog: '`PATCH /associations/:association_id` changes name, description and visibility',
  },
  {
    lines: /^contribution\.savings_of_transfers: \S+ is new\./,
    reason: 'Only balances at an instant need it, which are new: they are refused where contribution is of 0.1.0.',
    changelog: 'they may be refused while processes of 0.1.0 run',
  },
  {
    lines: /^governance\.waiting_votes: \S+ is new\./,
    reason: ONLY_OTHER_TEAMS,
    changelog: '`governance.waiting_votes` for services of other teams',
  },
  {
    lines: /^contribution\.meeting_summary: \S+ is new\./,
    reason: ONLY_OTHER_TEAMS,
    changelog: '`contribution.meeting_summary` for services of other teams',
  },
];

/** Returns the differences without an exception, exceptions without a difference, and those that the changelog lacks. */
export function unexplained(lines: readonly string[], exceptions: readonly Exception[], changelog: string): string[] {
  const unread = changelog.replaceAll(/\s+/g, ' ');
  return [
    ...lines.filter((line) => !exceptions.some((each) => each.lines.test(line))),
    ...exceptions
      .filter((each) => !lines.some((line) => each.lines.test(line)))
      .map((each) => `no longer a difference: ${each.lines.source}`),
    ...exceptions
      .filter((each) => !unread.includes(each.changelog))
      .map((each) => `not in CHANGELOG.md: ${each.lines.source}`),
  ];
}
