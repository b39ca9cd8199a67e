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

/** A difference that is wanted, such as a security fix. It ends with the next release's fixture. */
export interface Exception {
  /** As linesOf() writes it. */
  line: string;
  /** Why it is made, and why it does no harm while processes of both releases run. */
  reason: string;
  /** Words of its entry in CHANGELOG.md. */
  changelog: string;
}

/** The differences from the last release that are wanted. */
export const EXCEPTIONS: readonly Exception[] = [
  {
    line: `contribution.savings_of_transfers: /commands/contribution.savings_of_transfers: is new. ${RULES.command}`,
    reason: 'Only balances at an instant need it, which are new: they are refused where contribution is of 0.1.0.',
    changelog: 'they may be refused while processes of 0.1.0 run',
  },
];

/** Returns the differences without an exception, exceptions without a difference, and those that the changelog lacks. */
export function unexplained(lines: readonly string[], exceptions: readonly Exception[], changelog: string): string[] {
  const unread = changelog.replaceAll(/\s+/g, ' ');
  return [
    ...lines.filter((line) => !exceptions.some((each) => each.line === line)),
    ...exceptions.filter(({ line }) => !lines.includes(line)).map(({ line }) => `no longer a difference: ${line}`),
    ...exceptions.filter((each) => !unread.includes(each.changelog)).map(({ line }) => `not in CHANGELOG.md: ${line}`),
  ];
}
