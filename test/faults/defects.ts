/** Deliberate defects of the product, each of which the chaos harness must notice: they check the harness. */

/** Replaces a text, which the file has once. */
export interface Edit {
  file: string;
  find: string;
  replace: string;
}

export interface Defect {
  about: string;
  edits: readonly Edit[];
}

const CLAIMS = 'lib/idempotency/claims.ts';
const CONTRIBUTION_SAGA = 'services/contribution/payments/contribution.saga.ts';
const PAY =
  'const { refusal } = await callOrRefusal(via, transfer, transferOf(row, parts), timings.call_timeout_ms, statement);';
const RELAY = 'lib/events/outbox-relay.ts';
const IGNORE_LOST_EVENTS: Edit = {
  file: 'lib/events/lost-events.ts',
  find: 'found.lost += await unmark(db, lost, lease);',
  replace: 'found.lost += 0;',
};

export const DEFECTS: Record<string, Defect> = {
  forgets_answers: {
    about:
      'the row of an idempotency key is deleted when its answer should be kept, so that a repeat is a new operation',
    edits: [
      {
        file: CLAIMS,
        find: 'UPDATE idempotency_keys SET answer = $5, held_until = NULL WHERE ${IS_HELD}',
        replace: 'DELETE FROM idempotency_keys WHERE ${IS_HELD} AND $5::json IS NOT NULL',
      },
    ],
  },
  repeats_as_new_operation: {
    about: 'a repeat that takes over an unfinished request has another operation id',
    edits: [
      {
        file: CLAIMS,
        find: 'const operation_id = resumed ? stored.operation_id : claim.operation_id;',
        replace: 'const operation_id = claim.operation_id;',
      },
    ],
  },
  marks_before_publishing: {
    about:
      'the relay marks events as published before it publishes them; the search for lost events, which would publish them later, ' +
      'is off too',
    edits: [
      IGNORE_LOST_EVENTS,
      {
        file: RELAY,
        find: 'const { published, failure } = await publishInOrder(this.#parts.bus, rows, lease);',
        replace: `await lease.db.run('UPDATE outbox SET published_at = now() WHERE position = ANY($1::bigint[])', [
      rows.map(({ position }) => position.toString()),
    ]);
    const { published, failure } = await publishInOrder(this.#parts.bus, rows, lease);`,
      },
    ],
  },
  publishes_newest_first: {
    about: 'the relay publishes waiting events in the wrong order',
    edits: [
      {
        file: RELAY,
        find: 'ORDER BY position LIMIT $1`,',
        replace: 'ORDER BY position DESC LIMIT $1`,',
      },
    ],
  },
  ignores_lost_events: {
    about: 'events that the stream has lost are not published again',
    edits: [IGNORE_LOST_EVENTS],
  },
  skips_inbox: {
    about: 'a subscriber does not store which events it has handled',
    edits: [
      {
        file: 'lib/events/handle-events.ts',
        find: 'const rows = await tx.rows<{ event_id: string }>(MARK_SEEN, [subscription.durable, ids, now]);',
        replace: `const rows = await Promise.resolve(ids.map((event_id) => ({ event_id })));
  void [MARK_SEEN, now];`,
      },
    ],
  },
  acknowledges_before_handling: {
    about: 'a subscriber acknowledges an event before it handles it',
    edits: [
      {
        file: 'lib/events/subscriber.ts',
        find: '() => handle(message),',
        replace: '() => (message.ack(), handle(message)),',
      },
    ],
  },
  loses_recovery: {
    about: 'sagas that a process left unfinished are not continued',
    edits: [
      {
        file: 'lib/saga/saga.ts',
        find: 'const rows = await claimUnfinished(db, definition, timings.stale_after_ms, runtime.clock());',
        replace: 'const rows: Row[] = [];\n        void claimUnfinished;',
      },
    ],
  },
  answers_before_commit: {
    about: 'the ledger answers before its transaction is committed',
    edits: [
      {
        file: 'services/treasury/ledger/ledger-writer.ts',
        find: 'else await this.#send({ batch, decisions, changes, expected, cached });',
        replace: `else {
        answer(batch, decisions);
        await this.#send({ batch, decisions, changes, expected, cached });
      }`,
      },
    ],
  },
  takes_faults_for_refusals: {
    about: 'a call with an unknown outcome counts as refused',
    edits: [
      {
        file: 'lib/service/call.ts',
        find: 'if (refusal === undefined) throw error;',
        replace: `if (refusal === undefined) return { refusal: { code: 'not_found', extras: {} } };`,
      },
    ],
  },
  takes_faults_for_success: {
    about: 'a contribution is paid if the outcome of its transfer is unknown',
    edits: [
      {
        file: CONTRIBUTION_SAGA,
        find: PAY,
        replace: `const call = callOrRefusal(via, transfer, transferOf(row, parts), timings.call_timeout_ms, statement);
    const { refusal } = await call.catch(() => ({ refusal: undefined }));`,
      },
    ],
  },
  repeats_writes_blindly: {
    about: 'a call is repeated on another process, although the first may have had its effect',
    edits: [
      {
        file: 'lib/service/call.ts',
        find: 'const isSafe = hasNotRun(failure) || (reads && couldNotServe(failure));',
        replace: 'const isSafe = hasNotRun(failure) || reads || couldNotServe(failure);',
      },
    ],
  },
  pays_contributions_twice: {
    about: 'recovery pays a contribution under another id',
    edits: [
      {
        file: CONTRIBUTION_SAGA,
        find: PAY,
        replace: `const own = { ...transferOf(row, parts), id: isRecovery ? runtime.newId() : row.id };
    const { refusal } = await callOrRefusal(via, transfer, own, timings.call_timeout_ms, statement);`,
      },
    ],
  },
  pays_fines_twice: {
    about: 'recovery pays a fine under another id',
    edits: [
      {
        file: 'services/contribution/fines/fine-payment.saga.ts',
        find: 'const { refusal } = await callOrRefusal(via, transfer, transferOf(row), timings.call_timeout_ms, statement);',
        replace: `const own = { ...transferOf(row), id: isRecovery ? runtime.newId() : row.id };
    const { refusal } = await callOrRefusal(via, transfer, own, timings.call_timeout_ms, statement);`,
      },
    ],
  },
  keeps_fines_of_rejected_sheets: {
    about: 'a meeting sheet that the board rejects gives back the dues of its lines, but not the fines',
    edits: [
      {
        file: 'services/contribution/sheets/sheet.saga.ts',
        find: 'giveFinesBack(tx, id);',
        replace: 'void giveFinesBack;',
      },
    ],
  },
  forgets_event: {
    about: 'a contribution that recovery has paid has no event',
    edits: [
      {
        file: CONTRIBUTION_SAGA,
        find: 'events: outbox.rowsOf([paidFact(row)]), keepAnswer',
        replace: 'events: outbox.rowsOf(keepAnswer === undefined ? [] : [paidFact(row)]), keepAnswer',
      },
    ],
  },
  settles_without_waiting: {
    about: 'a settlement neither waits for payments from wallets that are in flight, nor is refused because of them',
    edits: [
      {
        file: 'services/contribution/payments/contribution.store.ts',
        find: `return row?.in_flight ?? 'nothing';`,
        replace: `return row?.in_flight === 'cash' ? 'cash' : 'nothing';`,
      },
    ],
  },
  forgets_meeting_lock: {
    about: 'a contribution does not lock its meeting, which may be settled at the same time',
    edits: [
      {
        file: 'services/contribution/payments/payment.store.ts',
        find: 'ORDER BY id ${lock}\n  ), terms AS (',
        replace: `ORDER BY id /* \${lock} */
  ), terms AS (`,
      },
    ],
  },
  accepts_used_ciphertexts: {
    about: 'a PIN that has authorized an operation authorizes another one',
    edits: [
      {
        file: 'services/membership/pins/pin.store.ts',
        find: '`used_ciphertexts.user_id = EXCLUDED.user_id AND used_ciphertexts.idempotency_key',
        replace:
          '`${oldest}::timestamptz IS NOT NULL OR used_ciphertexts.user_id = EXCLUDED.user_id AND used_ciphertexts.idempotency_key',
      },
    ],
  },
  counts_former_officers: {
    about: 'the vote of an officer counts after they have lost their role',
    edits: [
      {
        file: 'services/governance/approvals/approval.rules.ts',
        find: 'const eligible = new Set(eligibleApprovers(board, request));',
        replace:
          'const eligible = new Set(eligibleApprovers([...board, ...votes.map((vote) => vote.member_id)], request));',
      },
    ],
  },
};
