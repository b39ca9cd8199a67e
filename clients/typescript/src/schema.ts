/** Generated from the OpenAPI document by `npm run client:generate`. Do not edit. */

export interface paths {
    "/associations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search the public directory
         * @description Active public associations, newest first.
         */
        get: operations["listPublicAssociations"];
        put?: never;
        /**
         * Create an association
         * @description The caller becomes its president, and gets a wallet in its currency if they have none. Type, currency, frequency and time zone never change; proposals can change amount, rules and size.
         */
        post: operations["createAssociation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an association
         * @description Members may read a private association, and every user a public one.
         */
        get: operations["getAssociation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the name, description or visibility of an association
         * @description Absent fields stay as they are, and at least one is required. An association that is no longer public keeps its members.
         *
         *     Roles: president, secretary.
         */
        patch: operations["changeAssociation"];
        trace?: never;
    };
    "/associations/{association_id}/arrears": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List arrears
         * @description What members owe one another from settled rounds and have not paid, oldest first.
         *
         *     Every member may call it.
         */
        get: operations["listArrears"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/balances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what the association holds
         * @description Now, or at an instant: after all transfers that were posted at or before it.
         *
         *     Every member may call it.
         */
        get: operations["balances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/cash-contribution": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record cash that a member paid
         * @description The `pin` is that of the officer who records the cash. The cash counts once the board has approved it: for the treasury or, with `meeting_id`, as a contribution to that meeting. Such cash reserves the due immediately, and the meeting can be neither settled nor cancelled until it is decided. `Location` is the approval, which shows the outcome.
         *
         *     Roles: president, treasurer, secretary.
         */
        post: operations["recordCashContribution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/cash-contributions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List recorded cash
         * @description Newest first. Cash whose recording was refused is not listed.
         *
         *     Every member may call it.
         */
        get: operations["listCashContributions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/cash-contributions/{cash_contribution_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show recorded cash
         * @description Show recorded cash.
         *
         *     Every member may call it.
         */
        get: operations["getCashContribution"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/cash-ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the movements of the cash box
         * @description Newest first.
         *
         *     Every member may call it.
         */
        get: operations["cashLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/corrections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List corrections
         * @description Newest first.
         *
         *     Every member may call it.
         */
        get: operations["listCorrections"];
        put?: never;
        /**
         * Request the reversal of a transfer
         * @description For contributions to an open meeting, its sheets, cash, payments of fines and distributions. After the approval the ledger posts a transfer of the kind `reversal` with each leg negated, whose `reference` is the id of the reversed one, and what it had paid is undone: the due of a contribution and the fine of a payment are open again. A distribution is named by its `distribution_payment`; its reserve is reversed with it. The requester and the beneficiary of a distribution do not vote. What would take an account below zero ends as `failed` with `insufficient_funds`, and a payment for a meeting that is settled before the approval with `meeting_not_open`. Another correction may then be requested.
         *
         *     Roles: president, treasurer.
         */
        post: operations["requestCorrection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/corrections/{correction_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a correction
         * @description Show a correction.
         *
         *     Every member may call it.
         */
        get: operations["getCorrection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/cycles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List cycles
         * @description Newest first.
         *
         *     Every member may call it.
         */
        get: operations["listCycles"];
        put?: never;
        /**
         * Start a cycle
         * @description Fixes the members, their hands, the amount and the rules, and creates all meetings, one for each round. Round n is due n−1 periods after `starts_on`; in a month without that day, on the last day of the month. A tontine requires `order`, and for `manual` also `member_order`; the number of rounds follows from the hands. Savings require `rounds` and do not accept `order`. A cycle cannot be withdrawn, so a draw cannot be repeated.
         *
         *     Roles: president, secretary.
         */
        post: operations["startCycle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/cycles/{cycle_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a cycle with its rotation
         * @description Any member can compute a drawn order again from `seed` and the members: `npm run verify -- draw <file>`.
         *
         *     Every member may call it.
         */
        get: operations["getCycle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/distributions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List distributions
         * @description Newest first.
         *
         *     Every member may call it.
         */
        get: operations["listDistributions"];
        put?: never;
        /**
         * Request a distribution from the treasury to a member
         * @description Reserves the funds immediately. After the decision of the board they are paid or released.
         *
         *     Roles: president, treasurer, secretary.
         */
        post: operations["requestDistribution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/distributions/{distribution_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a distribution
         * @description Show a distribution.
         *
         *     Every member may call it.
         */
        get: operations["getDistribution"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/fines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List fines
         * @description Newest first.
         *
         *     Every member may call it.
         */
        get: operations["listFines"];
        put?: never;
        /**
         * Fine a member by a manual rule
         * @description For rules with the trigger `manual`. The other fines are assessed by the service: late payments by the clock, absence and lateness at the settlement. The fine is a claim: no money moves until it is paid.
         *
         *     Roles: president, treasurer, secretary.
         */
        post: operations["assessFine"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/fines/{fine_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a fine
         * @description Show a fine.
         *
         *     Every member may call it.
         */
        get: operations["getFine"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/fines/{fine_id}/pay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pay a fine from a wallet
         * @description Pays into the treasury from one of the caller's own wallets, for the caller or for another member, all or a part. 202 while the outcome is unknown: the fine then shows it.
         *
         *     Every member may call it.
         */
        post: operations["payFine"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/governance/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List approvals
         * @description Newest first.
         *
         *     Every member may call it.
         */
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/governance/approvals/{approval_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an approval with its votes
         * @description Show an approval with its votes.
         *
         *     Every member may call it.
         */
        get: operations["getApproval"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/governance/approvals/{approval_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel the caller's own request
         * @description The requester may cancel it regardless of their current role.
         *
         *     Every member may call it.
         */
        post: operations["cancelApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/governance/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Vote for a request
         * @description The answer to the deciding vote waits a moment for the execution, which may still be `pending`. Send the `payload_hash` of the `payload` that the voter was shown, so that they approve exactly that payload.
         *
         *     Roles: president, treasurer, secretary.
         */
        post: operations["approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/governance/proposals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Propose a change of the association
         * @description A change of a role or of the rules (from the next cycle on; `shortfall` immediately), an expulsion, the closure, a motion, or that a member need not pay the rest of a fine. The board votes on it. While the board is one person, their proposal is approved and executed before the answer, except a `fine_waiver`, which needs another vote.
         *
         *     Roles: president, treasurer, secretary.
         */
        post: operations["propose"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/governance/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Vote against a request
         * @description A request is rejected as soon as it can no longer get the required number of approvals.
         *
         *     Roles: president, treasurer, secretary.
         */
        post: operations["reject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the invitations
         * @description Newest first, without the codes. Used-up and expired invitations are listed too.
         *
         *     Roles: president, secretary.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite people
         * @description Only this answer contains the code.
         *
         *     Roles: president, secretary.
         */
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/invitations/{invitation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an invitation
         * @description The answer does not contain the code. Used-up and expired invitations are shown too.
         *
         *     Roles: president, secretary.
         */
        get: operations["getInvitation"];
        put?: never;
        post?: never;
        /**
         * Withdraw an invitation
         * @description Its code is 404 `not_found` from then on, and it is no longer listed. Users who have joined with it stay members.
         *
         *     Roles: president, secretary.
         */
        delete: operations["withdrawInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/join": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Join a public association
         * @description A caller without a wallet in the currency of the association gets one; payouts go there by default. A member who joins during a cycle takes part from the next cycle on. Rejoining reactivates the earlier membership.
         */
        post: operations["join"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List transfers
         * @description Newest first. Filters may be combined. With filters, a page may have fewer items than `limit`, or none, although `next_cursor` is not null.
         *
         *     Every member may call it.
         */
        get: operations["ledger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/ledger/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export all transfers
         * @description Streams all transfers, oldest first, one JSON object per line. The export can be verified without the server: each `hash` is the SHA-256 of the RFC 8785 form of its transfer without `hash`, and each `prev_hash` is the hash of the previous line. If the connection is interrupted, the export is incomplete.
         *
         *     Every member may call it.
         */
        get: operations["ledgerExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/ledger/head": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the last transfer of the chain
         * @description If you keep this hash outside the service, any later change of the past can be detected.
         *
         *     Every member may call it.
         */
        get: operations["ledgerHead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/meetings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List meetings
         * @description The rounds of a cycle are listed in date order.
         *
         *     Every member may call it.
         */
        get: operations["listMeetings"];
        put?: never;
        /**
         * Schedule a meeting outside a cycle
         * @description For associations of any type. Members owe nothing for such a meeting. Their payments go to the treasury when it is settled.
         *
         *     Roles: president, secretary.
         */
        post: operations["scheduleMeeting"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/meetings/{meeting_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a meeting
         * @description Show a meeting.
         *
         *     Every member may call it.
         */
        get: operations["getMeeting"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Reschedule or rename an open meeting
         * @description Absent fields stay as they are. A round cannot move past the round before or after it.
         *
         *     Roles: president, secretary.
         */
        patch: operations["changeMeeting"];
        trace?: never;
    };
    "/associations/{association_id}/meetings/{meeting_id}/attendance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show who came to a meeting
         * @description Show who came to a meeting.
         *
         *     Every member may call it.
         */
        get: operations["getAttendance"];
        /**
         * Record who came to a meeting
         * @description Other members keep their entries. Until seven days after the settlement. Fines for absence and lateness are assessed when the meeting is settled, from the entries that it has then.
         *
         *     Roles: president, secretary.
         */
        put: operations["recordAttendance"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/meetings/{meeting_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a meeting outside a cycle
         * @description Refunds every contribution in one transfer: e-money to the wallets that paid, cash as cash. 202 while the outcome is unknown: the meeting then becomes `cancelled`, or `open` again.
         *
         *     Roles: president, secretary.
         */
        post: operations["cancelMeeting"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/meetings/{meeting_id}/contribute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Contribute to a meeting from a wallet
         * @description Pays from one of the caller's own wallets, for the caller or for another member. In a cycle the limit is the outstanding due, which may be paid in parts or in advance; outside a cycle there is no limit. For a settled round the limit is the arrears, which are paid directly to the members who are owed them. 202 while the outcome is unknown: the contribution then becomes `paid` or `failed`, never both, and money moves at most once.
         *
         *     Every member may call it.
         */
        post: operations["contribute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/meetings/{meeting_id}/contributions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the contributions to a meeting
         * @description Newest first. Contributions that were refused immediately are not listed.
         *
         *     Every member may call it.
         */
        get: operations["listContributions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/meetings/{meeting_id}/contributions/{contribution_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a contribution
         * @description Show a contribution.
         *
         *     Every member may call it.
         */
        get: operations["getContribution"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/meetings/{meeting_id}/dues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what each member owes for a meeting
         * @description In join order. Members owe nothing for a meeting outside a cycle: its list contains the members who paid.
         *
         *     Every member may call it.
         */
        get: operations["listDues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/meetings/{meeting_id}/settle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Settle a meeting
         * @description Closes the meeting and pays out the money collected, in one transfer. Rounds are settled in order. Before its day a round can be settled only if every due is paid. Settling waits a moment for contributions in flight. 202 while the outcome is unknown: the meeting then becomes `settled`, or `open` again.
         *
         *     Roles: president, treasurer.
         */
        post: operations["settle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/meetings/{meeting_id}/settlement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the settlement of a meeting
         * @description Show the settlement of a meeting.
         *
         *     Every member may call it.
         */
        get: operations["getSettlement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/meetings/{meeting_id}/settlement/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview what settling would do now
         * @description If you send its `preview_hash` with `settle`, the meeting is settled exactly like this, or the request is refused.
         *
         *     Every member may call it.
         */
        get: operations["previewSettlement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/meetings/{meeting_id}/sheet.pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Print a sheet for a meeting, or its minutes
         * @description A PDF to fill in by hand: each member with what they owe for the meeting, arrears and fines, boxes for what they pay and whether they came, the counted cash, and signatures. Once a meeting sheet is confirmed, its minutes: who came, what each member paid and still owes, and the cash. `sheet_id` selects another sheet of the meeting. 25 members fit on a page. In English or French, by `Accept-Language`.
         *
         *     Every member may call it.
         */
        get: operations["printSheet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/meetings/{meeting_id}/sheets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sheets of a meeting
         * @description Newest first.
         *
         *     Every member may call it.
         */
        get: operations["listSheets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/meetings/{meeting_id}/sheets/{sheet_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a meeting sheet
         * @description Show a meeting sheet.
         *
         *     Every member may call it.
         */
        get: operations["getSheet"];
        /**
         * Write a meeting sheet
         * @description The client chooses `sheet_id`, a UUID, so that a sheet can be written without a connection and sent later, any number of times: the same content again changes nothing. A draft is replaced with `If-Match`. Nothing is taken or posted before the sheet is submitted. The body may have 256 KiB.
         *
         *     Roles: president, treasurer, secretary.
         */
        put: operations["putSheet"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/meetings/{meeting_id}/sheets/{sheet_id}/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit a meeting sheet to the board
         * @description Takes the dues and fines of all lines, or none: a refusal `sheet_refused` names each line that cannot be taken. One approval decides on the whole sheet; the member who submits it does not vote, members who paid may. Approved, one transfer moves all lines, contributions and fines are paid, and the attendance is recorded. Otherwise everything is given back, and the sheet is a draft again. While it is submitted, the meeting can be neither settled nor cancelled. `expected_cash` is read again; a difference needs a `note` (422). `Location` is the approval.
         *
         *     Roles: president, treasurer, secretary.
         */
        post: operations["submitSheet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members with their roles
         * @description In join order, including former members.
         *
         *     Every member may call it.
         */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/members/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the caller's own membership
         * @description Show the caller's own membership.
         *
         *     Every member may call it.
         */
        get: operations["getOwnMembership"];
        put?: never;
        post?: never;
        /**
         * Leave an association
         * @description For a member who owes neither arrears nor fines, and about whose money the board has nothing to decide: cash, a meeting sheet on which they paid, a distribution, or a correction. They can still read their statement.
         *
         *     Every member may call it.
         */
        delete: operations["leave"];
        options?: never;
        head?: never;
        /**
         * Change the caller's own name, hands or payout wallet
         * @description At least one of them is required. `hands` can change only while no cycle is running. A change of the wallet requires the `pin`.
         *
         *     Every member may call it.
         */
        patch: operations["changeOwnMembership"];
        trace?: never;
    };
    "/associations/{association_id}/statement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A member's statement
         * @description The caller's own statement, unless `member_id` names another member, which requires a board role. The format is JSON, CSV or PDF, by `Accept`; the PDF and the header of the CSV are in English or French, by `Accept-Language`. Besides the balance the statement shows what is not in the ledger: what the member owes and is owed from settled rounds, and the fines that they owe. Days are in the time zone of the association. A member who has left can still read their own statement. It has at most 10 000 movements; for more, request shorter periods.
         *
         *     Every member may call it.
         */
        get: operations["statement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the endpoints of an association
         * @description Newest first, without their secrets.
         *
         *     Roles: president, secretary.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Add an endpoint of an association
         * @description From now on, the association's events are sent to the URL, signed as in the [Standard Webhooks](https://www.standardwebhooks.com) specification with `secret`, which only this answer contains. The body of each request is the event as in `/asyncapi.json`. See the page *Webhooks* of the documentation for what a receiver does.
         *
         *     Roles: president, secretary.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/webhooks/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an endpoint of an association
         * @description Show an endpoint of an association.
         *
         *     Roles: president, secretary.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete an endpoint of an association
         * @description Nothing more is sent to it, and its deliveries are deleted. A request that is running ends.
         *
         *     Roles: president, secretary.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change an endpoint of an association
         * @description Disabling it gives up what it has not got yet: those deliveries become `failed`. Enabling it lets the events that follow through; a replay brings those in between.
         *
         *     Roles: president, secretary.
         */
        patch: operations["changeWebhook"];
        trace?: never;
    };
    "/associations/{association_id}/webhooks/{webhook_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries to an endpoint of an association
         * @description Newest first. A delivery is one event on its way to one endpoint. Those that have ended are listed for 30 days.
         *
         *     Roles: president, secretary.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/webhooks/{webhook_id}/deliveries/{delivery_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery to an endpoint of an association again
         * @description It is sent at once, whatever its status was. If that fails, it is tried again as if it were new.
         *
         *     Roles: president, secretary.
         */
        post: operations["retryWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/webhooks/{webhook_id}/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event to an endpoint of an association
         * @description Its type is `webhook.ping`, and its data `{"webhook_id": …}`. What came of it shows in the list of deliveries.
         *
         *     Roles: president, secretary.
         */
        post: operations["pingWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/webhooks/{webhook_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send past events to an endpoint of an association again
         * @description For each event of the time range that the endpoint has chosen, a new delivery is made in the background, the oldest first. Events are stored for 30 days, also those from before the endpoint was added. There may be 24 replays to an endpoint within 24 hours. The header `webhook-id` is that of the event, so that a receiver recognises what it has got before.
         *
         *     Roles: president, secretary.
         */
        post: operations["replayWebhookEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/{association_id}/webhooks/{webhook_id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of an endpoint of an association
         * @description For 24 hours, requests have a signature with each of both secrets, so that the receiver can be changed meanwhile.
         *
         *     Roles: president, secretary.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/associations/my": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's associations
         * @description The associations of which the caller is an active member, newest membership first.
         */
        get: operations["myAssociations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitations/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what one would join with an invitation
         * @description For every user who has the code. A code that is unknown, used up, expired or withdrawn is 404 `not_found`.
         */
        get: operations["previewInvitation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitations/{code}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Join by invitation
         * @description An expelled member can rejoin only by invitation. A code that is used up, expired or withdrawn is 404 `not_found`.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/pin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the keys for encrypting PINs
         * @description A JWK Set (RFC 7517), newest key first. Use the newest key. No token is required.
         */
        get: operations["pinKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the caller's notification settings
         * @description How and about what the caller is told: by e-mail or SMS, in which language, and when not. A caller who has changed nothing has no address, so that nothing is sent to them.
         */
        get: operations["getPreferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the caller's notification settings
         * @description Absent members stay as they are, and at least one is required. A new `email` or `phone` gets a code of six digits, which confirms it within 15 minutes; set it again for another code, at most 5 an hour for a user and 3 for an address. Until it is confirmed, messages go to the earlier one, which is then told of the change. `null` removes an address at once, with all messages to it that were not sent.
         */
        patch: operations["changePreferences"];
        trace?: never;
    };
    "/me/notifications/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm the caller's new address by the code that it got
         * @description After 5 wrong codes, a new one is needed. What is not six digits is refused as `validation_failed` and does not count. The answer has the settings as they are then.
         */
        post: operations["confirmAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/notifications/sent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the messages to the caller
         * @description Newest first, also those that were skipped or failed, and why. Messages that still wait are not in the list. No address and no code is shown. Messages are kept for a year.
         */
        get: operations["listSent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the caller's overview
         * @description For a home screen: for each association of which the caller is an active member what they owe, when it is their turn and what waits for their vote; and their wallets, on each page. Newest membership first, at most 50 associations on a page.
         */
        get: operations["overview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/pin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show whether the caller's own PIN is set or locked
         * @description Show whether the caller's own PIN is set or locked.
         */
        get: operations["pinState"];
        /**
         * Set or change the caller's own PIN
         * @description `current_pin` is required if a PIN is set, and a wrong one counts like any wrong PIN. In this operation the ciphertext is part of the request that an `Idempotency-Key` belongs to: another ciphertext with the same key is refused with `idempotency_key_reused`.
         */
        put: operations["setPin"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{user_id}/pin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a user's PIN and its lock
         * @description For operators who have verified the identity of the user. Succeeds even if the user has no PIN.
         *
         *     Needs the scope `pins:reset`.
         */
        delete: operations["resetPin"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wallets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open a wallet in a currency
         * @description A user has one wallet per currency. 200 returns the existing one.
         */
        post: operations["openOwnWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wallets/{wallet_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show one of the caller's wallets
         * @description Show one of the caller's wallets.
         */
        get: operations["getWallet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wallets/{wallet_id}/deposits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deposit e-money into a wallet
         * @description For payment providers. Deposits into the wallet of any user.
         *
         *     Needs the scope `wallets:fund`.
         */
        post: operations["deposit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wallets/{wallet_id}/transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the transfers that moved money of a wallet
         * @description Newest first: deposits, withdrawals and transfers of associations, for the owner of the wallet and with the scope `wallets:fund`. Filters may be combined. With filters, a page may have fewer items than `limit`, or none, although `next_cursor` is not null.
         */
        get: operations["listWalletTransfers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wallets/{wallet_id}/transfers/{transfer_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a transfer that moved money of a wallet
         * @description Deposits, withdrawals and transfers of associations, for the owner of the wallet and with the scope `wallets:fund`.
         */
        get: operations["getWalletTransfer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wallets/{wallet_id}/withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw e-money from a wallet
         * @description For payment providers. Withdraws from the wallet of any user.
         *
         *     Needs the scope `wallets:fund`.
         */
        post: operations["withdraw"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wallets/my": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's wallets
         * @description List the caller's wallets.
         */
        get: operations["myWallets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the endpoints of all associations
         * @description Newest first, without their secrets.
         *
         *     Needs the scope `webhooks:manage`.
         */
        get: operations["listGlobalWebhooks"];
        put?: never;
        /**
         * Add an endpoint of all associations
         * @description From now on, the events of all associations, and those without one, are sent to the URL, signed as in the [Standard Webhooks](https://www.standardwebhooks.com) specification with `secret`, which only this answer contains. The body of each request is the event as in `/asyncapi.json`. See the page *Webhooks* of the documentation for what a receiver does.
         *
         *     Needs the scope `webhooks:manage`.
         */
        post: operations["createGlobalWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an endpoint of all associations
         * @description Show an endpoint of all associations.
         *
         *     Needs the scope `webhooks:manage`.
         */
        get: operations["getGlobalWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete an endpoint of all associations
         * @description Nothing more is sent to it, and its deliveries are deleted. A request that is running ends.
         *
         *     Needs the scope `webhooks:manage`.
         */
        delete: operations["deleteGlobalWebhook"];
        options?: never;
        head?: never;
        /**
         * Change an endpoint of all associations
         * @description Disabling it gives up what it has not got yet: those deliveries become `failed`. Enabling it lets the events that follow through; a replay brings those in between.
         *
         *     Needs the scope `webhooks:manage`.
         */
        patch: operations["changeGlobalWebhook"];
        trace?: never;
    };
    "/webhooks/{webhook_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries to an endpoint of all associations
         * @description Newest first. A delivery is one event on its way to one endpoint. Those that have ended are listed for 30 days.
         *
         *     Needs the scope `webhooks:manage`.
         */
        get: operations["listGlobalWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}/deliveries/{delivery_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery to an endpoint of all associations again
         * @description It is sent at once, whatever its status was. If that fails, it is tried again as if it were new.
         *
         *     Needs the scope `webhooks:manage`.
         */
        post: operations["retryGlobalWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event to an endpoint of all associations
         * @description Its type is `webhook.ping`, and its data `{"webhook_id": …}`. What came of it shows in the list of deliveries.
         *
         *     Needs the scope `webhooks:manage`.
         */
        post: operations["pingGlobalWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send past events to an endpoint of all associations again
         * @description For each event of the time range that the endpoint has chosen, a new delivery is made in the background, the oldest first. Events are stored for 30 days, also those from before the endpoint was added. There may be 24 replays to an endpoint within 24 hours. The header `webhook-id` is that of the event, so that a receiver recognises what it has got before.
         *
         *     Needs the scope `webhooks:manage`.
         */
        post: operations["replayGlobalWebhookEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of an endpoint of all associations
         * @description For 24 hours, requests have a signature with each of both secrets, so that the receiver can be changed meanwhile.
         *
         *     Needs the scope `webhooks:manage`.
         */
        post: operations["rotateGlobalWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** AcceptInvitationRequest */
        AcceptInvitationRequest: {
            /** @description The name that others see. Without it, it is that of the earlier membership, or else the token's `name`. */
            display_name?: string;
            /**
             * @description Shares in the rotation. Each hand owes the contribution at every meeting and receives the pot once in a cycle.
             * @default 1
             */
            hands?: number;
        };
        /** Approval */
        Approval: components["schemas"]["CashDepositApproval"] | components["schemas"]["DistributionApproval"] | components["schemas"]["CorrectionApproval"] | components["schemas"]["MeetingSheetApproval"] | components["schemas"]["RoleChangeApproval"] | components["schemas"]["RulesChangeApproval"] | components["schemas"]["ExpulsionApproval"] | components["schemas"]["ClosureApproval"] | components["schemas"]["MotionApproval"] | components["schemas"]["FineWaiverApproval"];
        /** ApprovalRules */
        ApprovalRules: {
            /** @description The number of approvals that a `cash_deposit` needs; fewer if fewer members may vote on it. */
            cash_deposit: number;
            /** @description The number of approvals that a `closure` needs; fewer if fewer members may vote on it. */
            closure: number;
            /** @description The number of approvals that a `correction` needs; fewer if fewer members may vote on it. */
            correction: number;
            /** @description The number of approvals that a `distribution` needs; fewer if fewer members may vote on it. */
            distribution: number;
            /** @description The number of approvals that a `expulsion` needs; fewer if fewer members may vote on it. */
            expulsion: number;
            /** @description The number of approvals that a `fine_waiver` needs; fewer if fewer members may vote on it. */
            fine_waiver: number;
            /** @description The number of approvals that a `meeting_sheet` needs; fewer if fewer members may vote on it. */
            meeting_sheet: number;
            /** @description The number of approvals that a `motion` needs; fewer if fewer members may vote on it. */
            motion: number;
            /** @description The number of approvals that a `role_change` needs; fewer if fewer members may vote on it. */
            role_change: number;
            /** @description The number of approvals that a `rules_change` needs; fewer if fewer members may vote on it. */
            rules_change: number;
        };
        /** ApprovalRulesChange */
        ApprovalRulesChange: {
            /** @description The number of approvals that a `cash_deposit` needs; fewer if fewer members may vote on it. */
            cash_deposit?: number;
            /** @description The number of approvals that a `closure` needs; fewer if fewer members may vote on it. */
            closure?: number;
            /** @description The number of approvals that a `correction` needs; fewer if fewer members may vote on it. */
            correction?: number;
            /** @description The number of approvals that a `distribution` needs; fewer if fewer members may vote on it. */
            distribution?: number;
            /** @description The number of approvals that a `expulsion` needs; fewer if fewer members may vote on it. */
            expulsion?: number;
            /** @description The number of approvals that a `fine_waiver` needs; fewer if fewer members may vote on it. */
            fine_waiver?: number;
            /** @description The number of approvals that a `meeting_sheet` needs; fewer if fewer members may vote on it. */
            meeting_sheet?: number;
            /** @description The number of approvals that a `motion` needs; fewer if fewer members may vote on it. */
            motion?: number;
            /** @description The number of approvals that a `role_change` needs; fewer if fewer members may vote on it. */
            role_change?: number;
            /** @description The number of approvals that a `rules_change` needs; fewer if fewer members may vote on it. */
            rules_change?: number;
        };
        /** ApprovalRulesChangeInput */
        ApprovalRulesChangeInput: {
            /** @description The number of approvals that a `cash_deposit` needs; fewer if fewer members may vote on it. */
            cash_deposit?: number;
            /** @description The number of approvals that a `closure` needs; fewer if fewer members may vote on it. */
            closure?: number;
            /** @description The number of approvals that a `correction` needs; fewer if fewer members may vote on it. */
            correction?: number;
            /** @description The number of approvals that a `distribution` needs; fewer if fewer members may vote on it. */
            distribution?: number;
            /** @description The number of approvals that a `expulsion` needs; fewer if fewer members may vote on it. */
            expulsion?: number;
            /** @description The number of approvals that a `fine_waiver` needs; fewer if fewer members may vote on it. */
            fine_waiver?: number;
            /** @description The number of approvals that a `meeting_sheet` needs; fewer if fewer members may vote on it. */
            meeting_sheet?: number;
            /** @description The number of approvals that a `motion` needs; fewer if fewer members may vote on it. */
            motion?: number;
            /** @description The number of approvals that a `role_change` needs; fewer if fewer members may vote on it. */
            role_change?: number;
            /** @description The number of approvals that a `rules_change` needs; fewer if fewer members may vote on it. */
            rules_change?: number;
        };
        /** ApprovalRulesInput */
        ApprovalRulesInput: {
            /**
             * @description The number of approvals that a `cash_deposit` needs; fewer if fewer members may vote on it.
             * @default 1
             */
            cash_deposit?: number;
            /**
             * @description The number of approvals that a `closure` needs; fewer if fewer members may vote on it.
             * @default 2
             */
            closure?: number;
            /**
             * @description The number of approvals that a `correction` needs; fewer if fewer members may vote on it.
             * @default 2
             */
            correction?: number;
            /**
             * @description The number of approvals that a `distribution` needs; fewer if fewer members may vote on it.
             * @default 2
             */
            distribution?: number;
            /**
             * @description The number of approvals that a `expulsion` needs; fewer if fewer members may vote on it.
             * @default 2
             */
            expulsion?: number;
            /**
             * @description The number of approvals that a `fine_waiver` needs; fewer if fewer members may vote on it.
             * @default 1
             */
            fine_waiver?: number;
            /**
             * @description The number of approvals that a `meeting_sheet` needs; fewer if fewer members may vote on it.
             * @default 1
             */
            meeting_sheet?: number;
            /**
             * @description The number of approvals that a `motion` needs; fewer if fewer members may vote on it.
             * @default 1
             */
            motion?: number;
            /**
             * @description The number of approvals that a `role_change` needs; fewer if fewer members may vote on it.
             * @default 1
             */
            role_change?: number;
            /**
             * @description The number of approvals that a `rules_change` needs; fewer if fewer members may vote on it.
             * @default 2
             */
            rules_change?: number;
        };
        /** ApproveRequest */
        ApproveRequest: {
            /**
             * Format: uuid
             * @description The approval.
             */
            approval_id: string;
            /** @description The hash of the payload that the voter was shown. */
            payload_hash?: string;
            /** @description The PIN, 4 to 12 digits, encrypted with a key of `GET /keys/pin` by RSA-OAEP (SHA-256 for hash and MGF1), in base64 or base64url. Encrypt it again for each operation: a ciphertext authorizes only one operation. */
            pin: components["schemas"]["SealedPin"];
        };
        /** Arrear */
        Arrear: {
            /** @description The amount. */
            amount: number;
            /**
             * Format: uuid
             * @description The member who owes it.
             */
            member_id: string;
            /** @description In rotation order, which is also the order of payment. */
            owed_to: components["schemas"]["Claim"][];
        };
        /** AssessFineRequest */
        AssessFineRequest: {
            /** @description The amount. The default is that of the rule. */
            amount?: number;
            /** @description The name of the rule among the rules of the association. */
            code: string;
            /**
             * Format: uuid
             * @description The meeting that it is for.
             */
            meeting_id?: string;
            /**
             * Format: uuid
             * @description The member who is fined, not the caller.
             */
            member_id: string;
            /** @description Why, for people. */
            reason: string;
        };
        /** Association */
        Association: {
            /** @description What each hand (share in the rotation) owes at each meeting. */
            contribution_amount: number;
            contribution_frequency: components["schemas"]["AssociationContributionFrequency"];
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description ISO 4217. Amounts are in its major unit. */
            currency: string;
            /** @description Free text. */
            description: string | null;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /** @description Whether the public directory lists the association and every user may join it. */
            is_public: boolean;
            /** @description The maximum number of members. */
            max_members: number;
            /** @description The number of active members. */
            member_count: number;
            /** @description The caller's own membership; absent for non-members. */
            membership?: components["schemas"]["MembershipSummary"];
            metadata?: components["schemas"]["Metadata"];
            /** @description The name of the association. */
            name: string;
            rules: components["schemas"]["Rules"];
            /**
             * Format: int64
             * @description The version increases with each change of the rules.
             */
            rules_version: number;
            status: components["schemas"]["AssociationStatus"];
            /** @description The IANA name of the time zone in which the days of the association are judged: `today`, due days, deadlines. */
            time_zone: string;
            type: components["schemas"]["AssociationType"];
        };
        /**
         * AssociationContributionFrequency
         * @description How often contributions are due.
         * @enum {string}
         */
        AssociationContributionFrequency: "daily" | "weekly" | "biweekly" | "monthly" | "quarterly" | "yearly";
        /** AssociationOverview */
        AssociationOverview: {
            /** @description The pending approvals on which the caller may vote and has not, those that expire first, at most 20. Before they vote, show them the `payload` of the approval. */
            approvals: components["schemas"]["WaitingApproval"][];
            /** @description The arrears of the caller by settled round, oldest first, at most 50. */
            arrears: components["schemas"]["OwnArrears"][];
            /** @description ISO 4217. Amounts are in its major unit. */
            currency: string;
            /** @description What the caller still owes for the rounds of the running cycle that are not settled, soonest first, at most 50. */
            dues: components["schemas"]["OpenDue"][];
            /** @description The fines of the caller that are due, oldest first, at most 50. */
            fines: components["schemas"]["OwnFine"][];
            /** @description What the caller owes in fines. */
            fines_outstanding: number;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /** @description The arrears that others owe to the caller. */
            is_owed: number;
            /** @description The caller's own membership. */
            membership: components["schemas"]["MembershipSummary"];
            /** @description The name of the association. */
            name: string;
            /** @description The next round of the running cycle in which a hand of the caller receives the pot; null if there is none. */
            next_turn: components["schemas"]["NextTurn"] | null;
            /** @description The arrears of the caller from settled rounds. */
            owes: number;
            status: components["schemas"]["AssociationOverviewStatus"];
            type: components["schemas"]["AssociationOverviewType"];
        };
        /**
         * AssociationOverviewStatus
         * @description A closed association accepts no changes.
         * @enum {string}
         */
        AssociationOverviewStatus: "active" | "closed";
        /**
         * AssociationOverviewType
         * @description `tontine`: a rotating pot. At each meeting every member pays in, and another member receives the pot. `savings`: payments are kept, and returned at the end of the cycle. `solidarity`: a mutual-aid fund, which pays approved distributions.
         * @enum {string}
         */
        AssociationOverviewType: "tontine" | "savings" | "solidarity";
        /**
         * AssociationStatus
         * @description A closed association accepts no changes.
         * @enum {string}
         */
        AssociationStatus: "active" | "closed";
        /**
         * AssociationType
         * @description `tontine`: a rotating pot. At each meeting every member pays in, and another member receives the pot. `savings`: payments are kept, and returned at the end of the cycle. `solidarity`: a mutual-aid fund, which pays approved distributions.
         * @enum {string}
         */
        AssociationType: "tontine" | "savings" | "solidarity";
        /** Attendance */
        Attendance: {
            /** @description In the order of member ids. Members without an entry are not in it. */
            entries: components["schemas"]["RecordedAttendance"][];
            /**
             * Format: uuid
             * @description The meeting.
             */
            meeting_id: string;
        };
        /** AttendanceEntry */
        AttendanceEntry: {
            /**
             * Format: uuid
             * @description The member.
             */
            member_id: string;
            /**
             * Format: uuid
             * @description The member who stood in for them; only with `represented`.
             */
            represented_by_member_id?: string;
            status: components["schemas"]["AttendanceEntryStatus"];
        };
        /** AttendanceEntryInput */
        AttendanceEntryInput: {
            /**
             * Format: uuid
             * @description The member.
             */
            member_id: string;
            /**
             * Format: uuid
             * @description The member who stood in for them; only with `represented`.
             */
            represented_by_member_id?: string;
            status: components["schemas"]["AttendanceEntryInputStatus"];
        };
        /**
         * AttendanceEntryInputStatus
         * @description Whether the member came. Absent members who are `excused` owe no fine.
         * @enum {string}
         */
        AttendanceEntryInputStatus: "present" | "late" | "absent" | "excused" | "represented";
        /**
         * AttendanceEntryStatus
         * @description Whether the member came. Absent members who are `excused` owe no fine.
         * @enum {string}
         */
        AttendanceEntryStatus: "present" | "late" | "absent" | "excused" | "represented";
        /** Balances */
        Balances: {
            /** @description What distributions can pay: the treasury minus the savings of members. */
            available: number;
            /** @description All cash in the cash box. */
            cash: number;
            /** @description ISO 4217. */
            currency: string;
            /** @description What was collected for meetings that are not settled. */
            pools: components["schemas"]["PoolBalance"][];
            /** @description Reserved for distributions that are not decided, e-money and cash together. */
            reserved: number;
            /** @description The treasury, e-money and cash together. */
            treasury: number;
        };
        /** Beneficiary */
        Beneficiary: {
            /** @description The number of their hands whose turn it is. */
            hands: number;
            /**
             * Format: uuid
             * @description The member whose turn it is.
             */
            member_id: string;
        };
        /** CashDeposit */
        CashDeposit: {
            /** @description The amount. */
            amount: number;
            /**
             * Format: uuid
             * @description The approval in which the board decides.
             */
            approval_id: string;
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /** @description ISO 4217. */
            currency: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /**
             * Format: uuid
             * @description The meeting to which the cash is a contribution; null if it is for the treasury.
             */
            meeting_id: string | null;
            /**
             * Format: uuid
             * @description The member who paid the cash.
             */
            member_id: string;
            metadata?: components["schemas"]["Metadata"];
            /** @description The reason, for the board and the ledger. */
            reason: string;
            /**
             * Format: date-time
             * @description When it was recorded.
             */
            recorded_at: string;
            /**
             * Format: uuid
             * @description The member who recorded it.
             */
            recorded_by_member_id: string;
            status: components["schemas"]["CashDepositStatus"];
        };
        /** CashDepositApproval */
        CashDepositApproval: {
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /**
             * Format: date-time
             * @description When it was decided.
             */
            decided_at: string | null;
            /** @description Whether the decision was carried out, which happens after the approval. */
            execution: components["schemas"]["Execution"];
            /**
             * Format: date-time
             * @description When it expires.
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            payload: components["schemas"]["CashDepositPayload"];
            /** @description SHA-256 (hex) of the RFC 8785 form of `payload`. */
            payload_hash: string;
            /**
             * Format: uuid
             * @description The member who requested it; they may not vote.
             */
            requested_by_member_id: string;
            /** @description The number of approving votes that are needed, fixed when the approval was requested. 0 if the board is one person, whose own request needs no vote. */
            required_approvals: number;
            status: components["schemas"]["CashDepositApprovalStatus"];
            /**
             * Format: uuid
             * @description The cash deposit, distribution, correction, meeting sheet or proposal.
             */
            subject_id: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            subject_type: "cash_deposit";
            /** @description A vote counts only while the voter holds a board role. */
            votes: components["schemas"]["Vote"][];
        };
        /**
         * CashDepositApprovalStatus
         * @description `pending` until it has ended.
         * @enum {string}
         */
        CashDepositApprovalStatus: "pending" | "approved" | "rejected" | "expired" | "cancelled";
        /** CashDepositPayload */
        CashDepositPayload: {
            /** @description The amount. */
            amount: number;
            /** @description ISO 4217. */
            currency: string;
            /**
             * Format: uuid
             * @description The meeting to which the cash is a contribution.
             */
            meeting_id?: string;
            /**
             * Format: uuid
             * @description The member who paid the cash.
             */
            member_id: string;
            /** @description The reason, for the board and the ledger. */
            reason: string;
        };
        /**
         * CashDepositStatus
         * @description It is also `rejected` if the approval expired or was cancelled. `reversed`: it was confirmed, and a correction took it back.
         * @enum {string}
         */
        CashDepositStatus: "pending_approval" | "confirmed" | "rejected" | "reversed";
        /** CashLedgerAnswer */
        CashLedgerAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["CashLedgerEntry"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** CashLedgerEntry */
        CashLedgerEntry: {
            /** @description Positive if the cash box received it, negative if it was paid out. */
            amount: number;
            /** @description The content of the cash box after this entry. */
            balance_after: number;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            kind: components["schemas"]["CashLedgerEntryKind"];
            /**
             * Format: uuid
             * @description The member who paid or received it.
             */
            member_id: string | null;
            /**
             * Format: date-time
             * @description When it was posted.
             */
            posted_at: string;
            /** @description The reason that was given. */
            reference: string | null;
        };
        /**
         * CashLedgerEntryKind
         * @description Why cash moved.
         * @enum {string}
         */
        CashLedgerEntryKind: "wallet_deposit" | "wallet_withdrawal" | "contribution" | "arrears_payment" | "cash_contribution" | "settlement" | "meeting_refund" | "cash_deposit" | "distribution_reserve" | "distribution_payment" | "distribution_release" | "fine_payment" | "meeting_sheet" | "reversal";
        /** ChangeAssociationRequest */
        ChangeAssociationRequest: {
            /** @description Free text. */
            description?: string;
            /** @description Whether the public directory lists the association and every user may join it. */
            is_public?: boolean;
            /** @description The name of the association. */
            name?: string;
        };
        /** ChangeGlobalWebhookRequest */
        ChangeGlobalWebhookRequest: {
            /** @description What the endpoint is for. */
            description?: string;
            status?: components["schemas"]["ChangeGlobalWebhookRequestStatus"];
            /** @description The types of events that are sent; `*` is all types, also those of later releases. */
            types?: components["schemas"]["ChangeGlobalWebhookRequestType"][];
            /** @description Where events are sent: `https`, and a host with public addresses only. No user name, password or fragment. */
            url?: string;
        };
        /**
         * ChangeGlobalWebhookRequestStatus
         * @description Nothing is sent to a `disabled` endpoint.
         * @enum {string}
         */
        ChangeGlobalWebhookRequestStatus: "enabled" | "disabled";
        /**
         * ChangeGlobalWebhookRequestType
         * @enum {string}
         */
        ChangeGlobalWebhookRequestType: "*" | "association.created" | "association.updated" | "member.joined" | "member.left" | "association.closed" | "member.expelled" | "rules.changed" | "member.role_changed" | "pin.changed" | "cycle.started" | "cycle.completed" | "meeting.scheduled" | "meeting.rescheduled" | "meeting.cancelled" | "meeting.settled" | "contribution.paid" | "contribution.failed" | "attendance.recorded" | "fine.assessed" | "fine.paid" | "fine.waived" | "sheet.submitted" | "sheet.confirmed" | "sheet.rejected" | "cash.recorded" | "cash.confirmed" | "cash.rejected" | "distribution.requested" | "distribution.paid" | "distribution.rejected" | "distribution.failed" | "approval.requested" | "approval.voted" | "approval.approved" | "approval.rejected" | "approval.expired" | "approval.cancelled" | "transfer.posted" | "transfer.reversed";
        /** ChangeMeetingRequest */
        ChangeMeetingRequest: {
            /**
             * Format: date
             * @description The new day.
             */
            due_on?: string;
            /** @description For people. */
            title?: string;
        };
        /** ChangeOwnMembershipRequest */
        ChangeOwnMembershipRequest: {
            /** @description The name that others see. */
            display_name?: string;
            /** @description Shares in the rotation. Each hand owes the contribution at every meeting and receives the pot once in a cycle. */
            hands?: number;
            /** @description One of the caller's own wallets, in the currency of the association. */
            payout_wallet_id?: string;
            /** @description The PIN, 4 to 12 digits, encrypted with a key of `GET /keys/pin` by RSA-OAEP (SHA-256 for hash and MGF1), in base64 or base64url. Encrypt it again for each operation: a ciphertext authorizes only one operation. */
            pin?: components["schemas"]["SealedPin"];
        };
        /** ChangePreferencesRequest */
        ChangePreferencesRequest: {
            /** @description How messages are sent, to confirmed addresses only. */
            channels?: components["schemas"]["ChangePreferencesRequestChannel"][];
            /** @description The e-mail address, as last set. It counts once it is confirmed. */
            email?: string | null;
            language?: components["schemas"]["ChangePreferencesRequestLanguage"];
            /** @description The phone number with its country code, as last set. It counts once it is confirmed. */
            phone?: string | null;
            /** @description When messages wait until the end; null for never. */
            quiet_hours?: components["schemas"]["NewQuietHoursInput"] | null;
            /** @description What is sent. `due_soon`, `due_today`, `due_late`: a contribution that is not paid, three days before its day, on the day, and on the day after. `turn_tomorrow`: the caller receives the pot tomorrow. `pot_paid`, `distribution_paid`: the caller was paid. `vote_waiting`: the board waits for the vote of the caller. `role_changed`, `pin_changed` and `webhook_disabled` are always sent, even if the list lacks them. */
            types?: components["schemas"]["ChangePreferencesRequestType"][];
        };
        /**
         * ChangePreferencesRequestChannel
         * @description E-mail or SMS.
         * @enum {string}
         */
        ChangePreferencesRequestChannel: "email" | "sms";
        /**
         * ChangePreferencesRequestLanguage
         * @description The language of the messages.
         * @enum {string}
         */
        ChangePreferencesRequestLanguage: "en" | "fr";
        /**
         * ChangePreferencesRequestType
         * @enum {string}
         */
        ChangePreferencesRequestType: "due_soon" | "due_today" | "due_late" | "turn_tomorrow" | "pot_paid" | "distribution_paid" | "vote_waiting" | "role_changed" | "pin_changed" | "webhook_disabled";
        /** ChangeWebhookRequest */
        ChangeWebhookRequest: {
            /** @description What the endpoint is for. */
            description?: string;
            status?: components["schemas"]["ChangeWebhookRequestStatus"];
            /** @description The types of events that are sent; `*` is all types, also those of later releases. */
            types?: components["schemas"]["ChangeWebhookRequestType"][];
            /** @description Where events are sent: `https`, and a host with public addresses only. No user name, password or fragment. */
            url?: string;
        };
        /**
         * ChangeWebhookRequestStatus
         * @description Nothing is sent to a `disabled` endpoint.
         * @enum {string}
         */
        ChangeWebhookRequestStatus: "enabled" | "disabled";
        /**
         * ChangeWebhookRequestType
         * @enum {string}
         */
        ChangeWebhookRequestType: "*" | "association.created" | "association.updated" | "member.joined" | "member.left" | "association.closed" | "member.expelled" | "rules.changed" | "member.role_changed" | "pin.changed" | "cycle.started" | "cycle.completed" | "meeting.scheduled" | "meeting.rescheduled" | "meeting.cancelled" | "meeting.settled" | "contribution.paid" | "contribution.failed" | "attendance.recorded" | "fine.assessed" | "fine.paid" | "fine.waived" | "sheet.submitted" | "sheet.confirmed" | "sheet.rejected" | "cash.recorded" | "cash.confirmed" | "cash.rejected" | "distribution.requested" | "distribution.paid" | "distribution.rejected" | "distribution.failed" | "approval.requested" | "approval.voted" | "approval.approved" | "approval.rejected" | "approval.expired" | "approval.cancelled" | "transfer.posted" | "transfer.reversed";
        /** Claim */
        Claim: {
            /** @description The part that is owed to them. */
            amount: number;
            /**
             * Format: uuid
             * @description The member who is owed it.
             */
            member_id: string;
        };
        /** ClosureApproval */
        ClosureApproval: {
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /**
             * Format: date-time
             * @description When it was decided.
             */
            decided_at: string | null;
            /** @description Whether the decision was carried out, which happens after the approval. */
            execution: components["schemas"]["Execution"];
            /**
             * Format: date-time
             * @description When it expires.
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            payload: components["schemas"]["ClosurePayload"];
            /** @description SHA-256 (hex) of the RFC 8785 form of `payload`. */
            payload_hash: string;
            /**
             * Format: uuid
             * @description The member who requested it; they may not vote.
             */
            requested_by_member_id: string;
            /** @description The number of approving votes that are needed, fixed when the approval was requested. 0 if the board is one person, whose own request needs no vote. */
            required_approvals: number;
            status: components["schemas"]["ClosureApprovalStatus"];
            /**
             * Format: uuid
             * @description The cash deposit, distribution, correction, meeting sheet or proposal.
             */
            subject_id: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            subject_type: "closure";
            /** @description A vote counts only while the voter holds a board role. */
            votes: components["schemas"]["Vote"][];
        };
        /**
         * ClosureApprovalStatus
         * @description `pending` until it has ended.
         * @enum {string}
         */
        ClosureApprovalStatus: "pending" | "approved" | "rejected" | "expired" | "cancelled";
        /** ClosurePayload */
        ClosurePayload: Record<string, never>;
        /** ClosurePayloadInput */
        ClosurePayloadInput: Record<string, never>;
        /** ClosureProposal */
        ClosureProposal: {
            approval: components["schemas"]["Approval"];
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            payload: components["schemas"]["ClosurePayload"];
            /** @description For people. */
            title: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "closure";
        };
        /** ClosureProposalInput */
        ClosureProposalInput: {
            payload: components["schemas"]["ClosurePayloadInput"];
            /** @description For people. */
            title: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "closure";
        };
        /** ConfirmAddressRequest */
        ConfirmAddressRequest: {
            channel: components["schemas"]["ConfirmAddressRequestChannel"];
            /** @description The six digits. Blanks and hyphens do not matter. */
            code: string;
        };
        /**
         * ConfirmAddressRequestChannel
         * @description The address to confirm.
         * @enum {string}
         */
        ConfirmAddressRequestChannel: "email" | "sms";
        /** ContributeRequest */
        ContributeRequest: {
            /** @description The amount. */
            amount: number;
            /**
             * Format: uuid
             * @description The member it is paid for. The default is the caller.
             */
            for_member_id?: string;
            metadata?: components["schemas"]["Metadata"];
            /** @description The PIN, 4 to 12 digits, encrypted with a key of `GET /keys/pin` by RSA-OAEP (SHA-256 for hash and MGF1), in base64 or base64url. Encrypt it again for each operation: a ciphertext authorizes only one operation. */
            pin: components["schemas"]["SealedPin"];
            /** @description One of the caller's own wallets. */
            wallet_id: string;
        };
        /** Contribution */
        Contribution: {
            /** @description The amount. */
            amount: number;
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /** @description ISO 4217. */
            currency: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /**
             * Format: uuid
             * @description The meeting.
             */
            meeting_id: string;
            /**
             * Format: uuid
             * @description The member it was paid for.
             */
            member_id: string;
            metadata?: components["schemas"]["Metadata"];
            method: components["schemas"]["ContributionMethod"];
            /** @description What the member still owes for this meeting once this contribution is paid; their arrears if the meeting is settled. */
            outstanding: number;
            /**
             * Format: date-time
             * @description When it was paid; null until then.
             */
            paid_at: string | null;
            /**
             * Format: uuid
             * @description The member who paid.
             */
            paid_by_member_id: string;
            status: components["schemas"]["ContributionStatus"];
            /**
             * Format: uuid
             * @description The transfer in the ledger; null until it is paid.
             */
            transfer_id: string | null;
            /** @description The wallet that the contribution was paid from; null for cash. */
            wallet_id: string | null;
        };
        /**
         * ContributionMethod
         * @description `wallet`: e-money. `cash`: cash.
         * @enum {string}
         */
        ContributionMethod: "wallet" | "cash";
        /**
         * ContributionStatus
         * @description `pending` while the outcome is unknown or cash is not approved. `reversed`: it was paid, and a correction took it back.
         * @enum {string}
         */
        ContributionStatus: "pending" | "paid" | "failed" | "reversed";
        /** Correction */
        Correction: {
            /**
             * Format: uuid
             * @description The approval in which the board decides.
             */
            approval_id: string;
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /**
             * Format: date-time
             * @description When the board decided.
             */
            decided_at: string | null;
            /** @description The error code of a failed correction, such as `insufficient_funds`. */
            error: string | null;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /** @description The reason, for the board and the ledger. */
            reason: string;
            /**
             * Format: date-time
             * @description When it was requested.
             */
            requested_at: string;
            /**
             * Format: uuid
             * @description The member who requested it.
             */
            requested_by_member_id: string;
            /**
             * Format: uuid
             * @description The transfer that reverses; null until it is posted.
             */
            reversal_transfer_id: string | null;
            status: components["schemas"]["CorrectionStatus"];
            /**
             * Format: uuid
             * @description The transfer that is to be reversed.
             */
            transfer_id: string;
        };
        /** CorrectionApproval */
        CorrectionApproval: {
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /**
             * Format: date-time
             * @description When it was decided.
             */
            decided_at: string | null;
            /** @description Whether the decision was carried out, which happens after the approval. */
            execution: components["schemas"]["Execution"];
            /**
             * Format: date-time
             * @description When it expires.
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            payload: components["schemas"]["CorrectionPayload"];
            /** @description SHA-256 (hex) of the RFC 8785 form of `payload`. */
            payload_hash: string;
            /**
             * Format: uuid
             * @description The member who requested it; they may not vote.
             */
            requested_by_member_id: string;
            /** @description The number of approving votes that are needed, fixed when the approval was requested. 0 if the board is one person, whose own request needs no vote. */
            required_approvals: number;
            status: components["schemas"]["CorrectionApprovalStatus"];
            /**
             * Format: uuid
             * @description The cash deposit, distribution, correction, meeting sheet or proposal.
             */
            subject_id: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            subject_type: "correction";
            /** @description A vote counts only while the voter holds a board role. */
            votes: components["schemas"]["Vote"][];
        };
        /**
         * CorrectionApprovalStatus
         * @description `pending` until it has ended.
         * @enum {string}
         */
        CorrectionApprovalStatus: "pending" | "approved" | "rejected" | "expired" | "cancelled";
        /** CorrectionPayload */
        CorrectionPayload: {
            /** @description Its amount. */
            amount: number;
            /** @description ISO 4217. */
            currency: string;
            kind: components["schemas"]["CorrectionPayloadKind"];
            /**
             * Format: uuid
             * @description The member who paid or was paid; null if it is no single member.
             */
            member_id: string | null;
            /** @description The reason, for the board and the ledger. */
            reason: string;
            /**
             * Format: uuid
             * @description The transfer that would be reversed.
             */
            transfer_id: string;
        };
        /**
         * CorrectionPayloadKind
         * @description Its kind.
         * @enum {string}
         */
        CorrectionPayloadKind: "wallet_deposit" | "wallet_withdrawal" | "contribution" | "arrears_payment" | "cash_contribution" | "settlement" | "meeting_refund" | "cash_deposit" | "distribution_reserve" | "distribution_payment" | "distribution_release" | "fine_payment" | "meeting_sheet" | "reversal";
        /**
         * CorrectionStatus
         * @description It is also `rejected` if the approval expired or was cancelled. `failed`: it was approved and can never be done, and `error` says why.
         * @enum {string}
         */
        CorrectionStatus: "pending_approval" | "done" | "rejected" | "failed";
        /** CreateAssociationRequest */
        CreateAssociationRequest: {
            /** @description What each hand (share in the rotation) owes at each meeting. */
            contribution_amount: number;
            contribution_frequency: components["schemas"]["CreateAssociationRequestContributionFrequency"];
            /** @description ISO 4217, of a currency that has minor units. */
            currency: string;
            /** @description Free text. */
            description?: string;
            /**
             * @description Shares in the rotation. Each hand owes the contribution at every meeting and receives the pot once in a cycle.
             * @default 1
             */
            hands?: number;
            /**
             * @description Whether the public directory lists the association and every user may join it.
             * @default false
             */
            is_public?: boolean;
            /**
             * @description The maximum number of members.
             * @default 100
             */
            max_members?: number;
            metadata?: components["schemas"]["Metadata"];
            /** @description The name of the association. */
            name: string;
            /**
             * @default {
             *       "shortfall": "block",
             *       "beneficiaries_per_meeting": 1,
             *       "approvals": {
             *         "cash_deposit": 1,
             *         "distribution": 2,
             *         "rules_change": 2,
             *         "expulsion": 2,
             *         "closure": 2,
             *         "role_change": 1,
             *         "motion": 1,
             *         "meeting_sheet": 1,
             *         "correction": 2,
             *         "fine_waiver": 1
             *       },
             *       "approval_expires_in_hours": 336,
             *       "fines": []
             *     }
             */
            rules?: components["schemas"]["RulesInput"];
            /**
             * @description The IANA name of the time zone in which the days of the association are judged: `today`, due days, deadlines.
             * @default UTC
             */
            time_zone?: string;
            type: components["schemas"]["CreateAssociationRequestType"];
        };
        /**
         * CreateAssociationRequestContributionFrequency
         * @description How often contributions are due.
         * @enum {string}
         */
        CreateAssociationRequestContributionFrequency: "daily" | "weekly" | "biweekly" | "monthly" | "quarterly" | "yearly";
        /**
         * CreateAssociationRequestType
         * @description `tontine`: a rotating pot. At each meeting every member pays in, and another member receives the pot. `savings`: payments are kept, and returned at the end of the cycle. `solidarity`: a mutual-aid fund, which pays approved distributions.
         * @enum {string}
         */
        CreateAssociationRequestType: "tontine" | "savings" | "solidarity";
        /** CreateGlobalWebhookRequest */
        CreateGlobalWebhookRequest: {
            /** @description What the endpoint is for. */
            description?: string;
            /** @description The types of events that are sent; `*` is all types, also those of later releases. */
            types?: components["schemas"]["CreateGlobalWebhookRequestType"][];
            /** @description Where events are sent: `https`, and a host with public addresses only. No user name, password or fragment. */
            url: string;
        };
        /**
         * CreateGlobalWebhookRequestType
         * @enum {string}
         */
        CreateGlobalWebhookRequestType: "*" | "association.created" | "association.updated" | "member.joined" | "member.left" | "association.closed" | "member.expelled" | "rules.changed" | "member.role_changed" | "pin.changed" | "cycle.started" | "cycle.completed" | "meeting.scheduled" | "meeting.rescheduled" | "meeting.cancelled" | "meeting.settled" | "contribution.paid" | "contribution.failed" | "attendance.recorded" | "fine.assessed" | "fine.paid" | "fine.waived" | "sheet.submitted" | "sheet.confirmed" | "sheet.rejected" | "cash.recorded" | "cash.confirmed" | "cash.rejected" | "distribution.requested" | "distribution.paid" | "distribution.rejected" | "distribution.failed" | "approval.requested" | "approval.voted" | "approval.approved" | "approval.rejected" | "approval.expired" | "approval.cancelled" | "transfer.posted" | "transfer.reversed";
        /** CreateInvitationRequest */
        CreateInvitationRequest: {
            /**
             * @description The validity in hours.
             * @default 168
             */
            expires_in_hours?: number;
            /**
             * @description The number of users who may join with it.
             * @default 1
             */
            max_uses?: number;
        };
        /** CreateWebhookRequest */
        CreateWebhookRequest: {
            /** @description What the endpoint is for. */
            description?: string;
            /** @description The types of events that are sent; `*` is all types, also those of later releases. */
            types?: components["schemas"]["CreateWebhookRequestType"][];
            /** @description Where events are sent: `https`, and a host with public addresses only. No user name, password or fragment. */
            url: string;
        };
        /**
         * CreateWebhookRequestType
         * @enum {string}
         */
        CreateWebhookRequestType: "*" | "association.created" | "association.updated" | "member.joined" | "member.left" | "association.closed" | "member.expelled" | "rules.changed" | "member.role_changed" | "pin.changed" | "cycle.started" | "cycle.completed" | "meeting.scheduled" | "meeting.rescheduled" | "meeting.cancelled" | "meeting.settled" | "contribution.paid" | "contribution.failed" | "attendance.recorded" | "fine.assessed" | "fine.paid" | "fine.waived" | "sheet.submitted" | "sheet.confirmed" | "sheet.rejected" | "cash.recorded" | "cash.confirmed" | "cash.rejected" | "distribution.requested" | "distribution.paid" | "distribution.rejected" | "distribution.failed" | "approval.requested" | "approval.voted" | "approval.approved" | "approval.rejected" | "approval.expired" | "approval.cancelled" | "transfer.posted" | "transfer.reversed";
        /** Cycle */
        Cycle: {
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /** @description What each hand owes in each round. */
            contribution_amount: number;
            /**
             * Format: date-time
             * @description When it was started.
             */
            created_at: string;
            /** @description The rotation: all hands in the order of their turns; empty for savings. */
            hands: components["schemas"]["Hand"][];
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /**
             * Format: int64
             * @description Counted from 1 in each association.
             */
            number: number;
            /** @description How the order of turns was decided; null for savings. */
            order: components["schemas"]["CycleOrder"] | null;
            /** @description The number of rounds. Each is one meeting. */
            rounds: number;
            /** @description The rules of this cycle, except `shortfall`, which follows the association's current rules. */
            rules: components["schemas"]["Rules"];
            /**
             * Format: int64
             * @description The version of the rules that apply.
             */
            rules_version: number;
            /** @description For a draw: 256 random bits in hex, generated after the members were fixed. The order is computed from them. */
            seed: string | null;
            /**
             * Format: date
             * @description The day of the first round.
             */
            starts_on: string;
            status: components["schemas"]["CycleStatus"];
        };
        /**
         * CycleOrder
         * @description How the order of turns was decided; null for savings.
         * @enum {string}
         */
        CycleOrder: "join" | "draw" | "manual";
        /**
         * CycleStatus
         * @description It completes when its last round is settled.
         * @enum {string}
         */
        CycleStatus: "running" | "completed";
        /** DepositRequest */
        DepositRequest: {
            /** @description In the major unit of the wallet's currency. */
            amount: number;
            metadata?: components["schemas"]["Metadata"];
            /** @description A repeat with the same reference returns the same transfer; with a different amount it is refused. */
            reference: string;
        };
        /** Distribution */
        Distribution: {
            /** @description The amount. */
            amount: number;
            /**
             * Format: uuid
             * @description The approval in which the board decides.
             */
            approval_id: string;
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /**
             * Format: uuid
             * @description The member who will be paid.
             */
            beneficiary_member_id: string;
            /** @description ISO 4217. */
            currency: string;
            /**
             * Format: date-time
             * @description When it was decided.
             */
            decided_at: string | null;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            metadata?: components["schemas"]["Metadata"];
            /** @description The payouts, once it is paid: e-money to the payout wallet first, the rest as cash. */
            payouts: components["schemas"]["Payout"][];
            /** @description The reason, for the board and the ledger. */
            reason: string;
            /**
             * Format: date-time
             * @description When it was requested.
             */
            requested_at: string;
            /**
             * Format: uuid
             * @description The member who requested it.
             */
            requested_by_member_id: string;
            status: components["schemas"]["DistributionStatus"];
        };
        /** DistributionApproval */
        DistributionApproval: {
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /**
             * Format: date-time
             * @description When it was decided.
             */
            decided_at: string | null;
            /** @description Whether the decision was carried out, which happens after the approval. */
            execution: components["schemas"]["Execution"];
            /**
             * Format: date-time
             * @description When it expires.
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            payload: components["schemas"]["DistributionPayload"];
            /** @description SHA-256 (hex) of the RFC 8785 form of `payload`. */
            payload_hash: string;
            /**
             * Format: uuid
             * @description The member who requested it; they may not vote.
             */
            requested_by_member_id: string;
            /** @description The number of approving votes that are needed, fixed when the approval was requested. 0 if the board is one person, whose own request needs no vote. */
            required_approvals: number;
            status: components["schemas"]["DistributionApprovalStatus"];
            /**
             * Format: uuid
             * @description The cash deposit, distribution, correction, meeting sheet or proposal.
             */
            subject_id: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            subject_type: "distribution";
            /** @description A vote counts only while the voter holds a board role. */
            votes: components["schemas"]["Vote"][];
        };
        /**
         * DistributionApprovalStatus
         * @description `pending` until it has ended.
         * @enum {string}
         */
        DistributionApprovalStatus: "pending" | "approved" | "rejected" | "expired" | "cancelled";
        /** DistributionPayload */
        DistributionPayload: {
            /** @description The amount. */
            amount: number;
            /**
             * Format: uuid
             * @description The member who will be paid.
             */
            beneficiary_member_id: string;
            /** @description ISO 4217. */
            currency: string;
            /** @description The reason, for the board and the ledger. */
            reason: string;
        };
        /**
         * DistributionStatus
         * @description It is also `rejected` if the approval expired or was cancelled. The reserved funds are released unless it is paid. `reversed`: it was paid, and a correction took it back.
         * @enum {string}
         */
        DistributionStatus: "pending_approval" | "paid" | "rejected" | "failed" | "reversed";
        /** Due */
        Due: {
            /** @description After the meeting is settled: what the member still owes to its beneficiaries. */
            arrears: number;
            /** @description What the member owes for this meeting: their hands times the contribution amount. */
            due: number;
            /**
             * Format: uuid
             * @description The member who owes it.
             */
            member_id: string;
            /** @description `due` minus `paid`. */
            outstanding: number;
            /** @description The part that was paid, by the member or for them. */
            paid: number;
        };
        /** Execution */
        Execution: {
            /** @description An error code. */
            error: string | null;
            status: components["schemas"]["ExecutionStatus"];
        };
        /**
         * ExecutionStatus
         * @description `none`: there is nothing to execute, or not yet. `failed`: the decision can never be executed, and `error` says why; the approval stays approved.
         * @enum {string}
         */
        ExecutionStatus: "none" | "pending" | "done" | "failed";
        /** ExpulsionApproval */
        ExpulsionApproval: {
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /**
             * Format: date-time
             * @description When it was decided.
             */
            decided_at: string | null;
            /** @description Whether the decision was carried out, which happens after the approval. */
            execution: components["schemas"]["Execution"];
            /**
             * Format: date-time
             * @description When it expires.
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            payload: components["schemas"]["ExpulsionPayload"];
            /** @description SHA-256 (hex) of the RFC 8785 form of `payload`. */
            payload_hash: string;
            /**
             * Format: uuid
             * @description The member who requested it; they may not vote.
             */
            requested_by_member_id: string;
            /** @description The number of approving votes that are needed, fixed when the approval was requested. 0 if the board is one person, whose own request needs no vote. */
            required_approvals: number;
            status: components["schemas"]["ExpulsionApprovalStatus"];
            /**
             * Format: uuid
             * @description The cash deposit, distribution, correction, meeting sheet or proposal.
             */
            subject_id: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            subject_type: "expulsion";
            /** @description A vote counts only while the voter holds a board role. */
            votes: components["schemas"]["Vote"][];
        };
        /**
         * ExpulsionApprovalStatus
         * @description `pending` until it has ended.
         * @enum {string}
         */
        ExpulsionApprovalStatus: "pending" | "approved" | "rejected" | "expired" | "cancelled";
        /** ExpulsionPayload */
        ExpulsionPayload: {
            /**
             * Format: uuid
             * @description The member to be expelled.
             */
            member_id: string;
        };
        /** ExpulsionPayloadInput */
        ExpulsionPayloadInput: {
            /**
             * Format: uuid
             * @description The member to be expelled.
             */
            member_id: string;
        };
        /** ExpulsionProposal */
        ExpulsionProposal: {
            approval: components["schemas"]["Approval"];
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            payload: components["schemas"]["ExpulsionPayload"];
            /** @description For people. */
            title: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "expulsion";
        };
        /** ExpulsionProposalInput */
        ExpulsionProposalInput: {
            payload: components["schemas"]["ExpulsionPayloadInput"];
            /** @description For people. */
            title: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "expulsion";
        };
        /** FieldComplaint */
        FieldComplaint: {
            /** @description The rule that the field breaks, for programs. */
            code: string;
            /** @description A human-readable explanation. */
            detail: string;
            /** @description A JSON Pointer (RFC 6901) into the body, or the name of a parameter or header. */
            pointer: string;
        };
        /** Fine */
        Fine: {
            /** @description The amount. */
            amount: number;
            /**
             * Format: date-time
             * @description When it was assessed.
             */
            assessed_at: string;
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /** @description The name of the rule among the rules of the association. */
            code: string;
            /** @description ISO 4217. */
            currency: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /**
             * Format: uuid
             * @description The meeting that it is for; null if it is for none.
             */
            meeting_id: string | null;
            /**
             * Format: uuid
             * @description The member who owes it.
             */
            member_id: string;
            /** @description What is left to pay; 0 once it is waived. */
            outstanding: number;
            /** @description The part that was paid, by the member or for them. */
            paid: number;
            /**
             * Format: int64
             * @description Counts the fines of a rule that repeats, for one member and meeting.
             */
            period: number;
            /** @description Why, for people. */
            reason: string | null;
            /**
             * Format: int64
             * @description The version of the rules that apply.
             */
            rules_version: number;
            status: components["schemas"]["FineStatus"];
        };
        /** FineRule */
        FineRule: {
            /** @description A fixed amount. Either this or `percent` is required. */
            amount?: number;
            /** @description The most that all fines of this rule can amount to for one member and meeting. */
            cap_amount?: number;
            /** @description The name of the rule among the rules of the association. */
            code: string;
            /** @description For `late_payment`: the days after the due day before the first fine. */
            grace_days: number;
            /** @description A part of what the member still owes for the meeting, rounded to the minor unit; no fine is assessed if it is 0. */
            percent?: number;
            repeat: components["schemas"]["FineRuleRepeat"];
            trigger: components["schemas"]["FineRuleTrigger"];
        };
        /** FineRuleInput */
        FineRuleInput: {
            /** @description A fixed amount. Either this or `percent` is required. */
            amount?: number;
            /** @description The most that all fines of this rule can amount to for one member and meeting. */
            cap_amount?: number;
            /** @description The name of the rule among the rules of the association. */
            code: string;
            /**
             * @description For `late_payment`: the days after the due day before the first fine.
             * @default 0
             */
            grace_days?: number;
            /** @description A part of what the member still owes for the meeting, rounded to the minor unit; no fine is assessed if it is 0. */
            percent?: number;
            /** @default once */
            repeat?: components["schemas"]["FineRuleInputRepeat"];
            trigger: components["schemas"]["FineRuleInputTrigger"];
        };
        /**
         * FineRuleInputRepeat
         * @description For `late_payment`: how often it is assessed until the due is paid.
         * @enum {string}
         */
        FineRuleInputRepeat: "once" | "weekly" | "monthly";
        /**
         * FineRuleInputTrigger
         * @description `late_payment`: a due is not paid after its day. `absence`, `lateness`: as the attendance says when the meeting is settled. `manual`: as a member of the board decides.
         * @enum {string}
         */
        FineRuleInputTrigger: "late_payment" | "absence" | "lateness" | "manual";
        /**
         * FineRuleRepeat
         * @description For `late_payment`: how often it is assessed until the due is paid.
         * @enum {string}
         */
        FineRuleRepeat: "once" | "weekly" | "monthly";
        /**
         * FineRuleTrigger
         * @description `late_payment`: a due is not paid after its day. `absence`, `lateness`: as the attendance says when the meeting is settled. `manual`: as a member of the board decides.
         * @enum {string}
         */
        FineRuleTrigger: "late_payment" | "absence" | "lateness" | "manual";
        /**
         * FineStatus
         * @description `waived`: the board has decided that the rest need not be paid.
         * @enum {string}
         */
        FineStatus: "due" | "paid" | "waived";
        /** FineWaiverApproval */
        FineWaiverApproval: {
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /**
             * Format: date-time
             * @description When it was decided.
             */
            decided_at: string | null;
            /** @description Whether the decision was carried out, which happens after the approval. */
            execution: components["schemas"]["Execution"];
            /**
             * Format: date-time
             * @description When it expires.
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            payload: components["schemas"]["FineWaiverPayload"];
            /** @description SHA-256 (hex) of the RFC 8785 form of `payload`. */
            payload_hash: string;
            /**
             * Format: uuid
             * @description The member who requested it; they may not vote.
             */
            requested_by_member_id: string;
            /** @description The number of approving votes that are needed, fixed when the approval was requested. 0 if the board is one person, whose own request needs no vote. */
            required_approvals: number;
            status: components["schemas"]["FineWaiverApprovalStatus"];
            /**
             * Format: uuid
             * @description The cash deposit, distribution, correction, meeting sheet or proposal.
             */
            subject_id: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            subject_type: "fine_waiver";
            /** @description A vote counts only while the voter holds a board role. */
            votes: components["schemas"]["Vote"][];
        };
        /**
         * FineWaiverApprovalStatus
         * @description `pending` until it has ended.
         * @enum {string}
         */
        FineWaiverApprovalStatus: "pending" | "approved" | "rejected" | "expired" | "cancelled";
        /** FineWaiverPayload */
        FineWaiverPayload: {
            /**
             * Format: uuid
             * @description The fine.
             */
            fine_id: string;
        };
        /** FineWaiverPayloadInput */
        FineWaiverPayloadInput: {
            /**
             * Format: uuid
             * @description The fine.
             */
            fine_id: string;
        };
        /** FineWaiverProposal */
        FineWaiverProposal: {
            approval: components["schemas"]["Approval"];
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            payload: components["schemas"]["FineWaiverPayload"];
            /** @description For people. */
            title: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "fine_waiver";
        };
        /** FineWaiverProposalInput */
        FineWaiverProposalInput: {
            payload: components["schemas"]["FineWaiverPayloadInput"];
            /** @description For people. */
            title: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "fine_waiver";
        };
        /** Hand */
        Hand: {
            /**
             * Format: uuid
             * @description The member who holds it.
             */
            member_id: string;
            /** @description Its place in the rotation. */
            position: number;
            /** @description The round in which it receives the pot. */
            round: number;
        };
        /** Invitation */
        Invitation: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it expires.
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /** @description The number of users who may join with it. */
            max_uses: number;
            /** @description The number of users who have joined with it. */
            uses: number;
        };
        /** InvitationPreview */
        InvitationPreview: {
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /** @description What each hand (share in the rotation) owes at each meeting. */
            contribution_amount: number;
            contribution_frequency: components["schemas"]["InvitationPreviewContributionFrequency"];
            /** @description ISO 4217. Amounts are in its major unit. */
            currency: string;
            /** @description Free text. */
            description: string | null;
            /**
             * Format: date-time
             * @description When it expires.
             */
            expires_at: string;
            /** @description The maximum number of members. */
            max_members: number;
            /** @description The number of active members. */
            member_count: number;
            /** @description The name of the association. */
            name: string;
            type: components["schemas"]["InvitationPreviewType"];
        };
        /**
         * InvitationPreviewContributionFrequency
         * @description How often contributions are due.
         * @enum {string}
         */
        InvitationPreviewContributionFrequency: "daily" | "weekly" | "biweekly" | "monthly" | "quarterly" | "yearly";
        /**
         * InvitationPreviewType
         * @description `tontine`: a rotating pot. At each meeting every member pays in, and another member receives the pot. `savings`: payments are kept, and returned at the end of the cycle. `solidarity`: a mutual-aid fund, which pays approved distributions.
         * @enum {string}
         */
        InvitationPreviewType: "tontine" | "savings" | "solidarity";
        /** JoinRequest */
        JoinRequest: {
            /** @description The name that others see. Without it, it is that of the earlier membership, or else the token's `name`. */
            display_name?: string;
            /**
             * @description Shares in the rotation. Each hand owes the contribution at every meeting and receives the pot once in a cycle.
             * @default 1
             */
            hands?: number;
        };
        /** LedgerAnswer */
        LedgerAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Transfer"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** LedgerHead */
        LedgerHead: {
            /** @description The hash of the last transfer; 64 zeros if there is none. */
            hash: string;
            /**
             * Format: int64
             * @description The `seq` of the last transfer; 0 if there is none.
             */
            seq: number;
        };
        /**
         * LedgerKind
         * @description Only transfers of this kind.
         * @enum {string}
         */
        LedgerKind: "wallet_deposit" | "wallet_withdrawal" | "contribution" | "arrears_payment" | "cash_contribution" | "settlement" | "meeting_refund" | "cash_deposit" | "distribution_reserve" | "distribution_payment" | "distribution_release" | "fine_payment" | "meeting_sheet" | "reversal";
        /** Leg */
        Leg: {
            /** @description E-money: `wallet:<id>`, `pool:<meeting>` (collected for a meeting that is not settled), `treasury`, `reserved` (for distributions), `funding` (the outside world). Cash: `cash_pool:<meeting>`, `cash_treasury`, `cash_reserved`, `cash_funding`. */
            account: string;
            /**
             * Format: int64
             * @description In minor units; positive if the account receives it, negative if the account pays it.
             */
            amount_minor: number;
        };
        /** ListApprovalsAnswer */
        ListApprovalsAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Approval"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * ListApprovalsStatus
         * @description Only with this status.
         * @enum {string}
         */
        ListApprovalsStatus: "pending" | "approved" | "rejected" | "expired" | "cancelled";
        /**
         * ListApprovalsSubjectType
         * @description Only for subjects of this type.
         * @enum {string}
         */
        ListApprovalsSubjectType: "cash_deposit" | "distribution" | "meeting_sheet" | "correction" | "role_change" | "rules_change" | "expulsion" | "closure" | "motion" | "fine_waiver";
        /** ListArrearsAnswer */
        ListArrearsAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["UnpaidArrears"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** ListCashContributionsAnswer */
        ListCashContributionsAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["CashDeposit"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * ListCashContributionsStatus
         * @description Only with this status.
         * @enum {string}
         */
        ListCashContributionsStatus: "pending_approval" | "confirmed" | "rejected" | "reversed";
        /** ListContributionsAnswer */
        ListContributionsAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Contribution"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** ListCorrectionsAnswer */
        ListCorrectionsAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Correction"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** ListCyclesAnswer */
        ListCyclesAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Cycle"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** ListDistributionsAnswer */
        ListDistributionsAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Distribution"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * ListDistributionsStatus
         * @description Only with this status.
         * @enum {string}
         */
        ListDistributionsStatus: "pending_approval" | "paid" | "rejected" | "failed" | "reversed";
        /** ListDuesAnswer */
        ListDuesAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Due"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** ListFinesAnswer */
        ListFinesAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Fine"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * ListFinesStatus
         * @description Only with this status.
         * @enum {string}
         */
        ListFinesStatus: "due" | "paid" | "waived";
        /** ListGlobalWebhookDeliveriesAnswer */
        ListGlobalWebhookDeliveriesAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["WebhookDelivery"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * ListGlobalWebhookDeliveriesStatus
         * @description Only deliveries with this status.
         * @enum {string}
         */
        ListGlobalWebhookDeliveriesStatus: "pending" | "delivered" | "failed";
        /** ListGlobalWebhooksAnswer */
        ListGlobalWebhooksAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Webhook"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** ListInvitationsAnswer */
        ListInvitationsAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Invitation"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** ListMeetingsAnswer */
        ListMeetingsAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Meeting"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * ListMeetingsStatus
         * @description Only with this status.
         * @enum {string}
         */
        ListMeetingsStatus: "open" | "settling" | "settled" | "cancelled";
        /** ListMembersAnswer */
        ListMembersAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Member"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * ListMembersRole
         * @description Only with this role.
         * @enum {string}
         */
        ListMembersRole: "president" | "treasurer" | "secretary" | "member";
        /**
         * ListMembersStatus
         * @description Only with this status.
         * @enum {string}
         */
        ListMembersStatus: "active" | "left" | "expelled";
        /** ListPublicAssociationsAnswer */
        ListPublicAssociationsAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Association"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * ListPublicAssociationsContributionFrequency
         * @description Only with this frequency.
         * @enum {string}
         */
        ListPublicAssociationsContributionFrequency: "daily" | "weekly" | "biweekly" | "monthly" | "quarterly" | "yearly";
        /**
         * ListPublicAssociationsType
         * @description Only of this type.
         * @enum {string}
         */
        ListPublicAssociationsType: "tontine" | "savings" | "solidarity";
        /** ListSentAnswer */
        ListSentAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["SentMessage"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** ListSheetsAnswer */
        ListSheetsAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Sheet"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** ListWalletTransfersAnswer */
        ListWalletTransfersAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Transfer"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * ListWalletTransfersKind
         * @description Only transfers of this kind.
         * @enum {string}
         */
        ListWalletTransfersKind: "wallet_deposit" | "wallet_withdrawal" | "contribution" | "arrears_payment" | "cash_contribution" | "settlement" | "meeting_refund" | "cash_deposit" | "distribution_reserve" | "distribution_payment" | "distribution_release" | "fine_payment" | "meeting_sheet" | "reversal";
        /** ListWebhookDeliveriesAnswer */
        ListWebhookDeliveriesAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["WebhookDelivery"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * ListWebhookDeliveriesStatus
         * @description Only deliveries with this status.
         * @enum {string}
         */
        ListWebhookDeliveriesStatus: "pending" | "delivered" | "failed";
        /** ListWebhooksAnswer */
        ListWebhooksAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Webhook"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** Meeting */
        Meeting: {
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /** @description The members whose turn it is, in rotation order; empty if the meeting has no turns. */
            beneficiaries: components["schemas"]["Beneficiary"][];
            /** @description What has been paid for the meeting so far. */
            collected_amount: number;
            /**
             * Format: uuid
             * @description Its cycle; null outside a cycle.
             */
            cycle_id: string | null;
            /**
             * Format: date
             * @description The day of the meeting.
             */
            due_on: string;
            /** @description What all members together owe for the meeting; 0 outside a cycle. */
            expected_amount: number;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /** @description Its place in the cycle, from 1; null outside a cycle. */
            round: number | null;
            /**
             * Format: date-time
             * @description When it was settled.
             */
            settled_at: string | null;
            status: components["schemas"]["MeetingStatus"];
            /** @description For people. */
            title: string | null;
        };
        /** MeetingReference */
        MeetingReference: {
            /**
             * Format: date
             * @description The day of the meeting.
             */
            due_on: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /** @description Its place in the cycle, from 1; null outside a cycle. */
            round: number | null;
            /** @description For people. */
            title: string | null;
        };
        /** MeetingSheetApproval */
        MeetingSheetApproval: {
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /**
             * Format: date-time
             * @description When it was decided.
             */
            decided_at: string | null;
            /** @description Whether the decision was carried out, which happens after the approval. */
            execution: components["schemas"]["Execution"];
            /**
             * Format: date-time
             * @description When it expires.
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            payload: components["schemas"]["MeetingSheetPayload"];
            /** @description SHA-256 (hex) of the RFC 8785 form of `payload`. */
            payload_hash: string;
            /**
             * Format: uuid
             * @description The member who requested it; they may not vote.
             */
            requested_by_member_id: string;
            /** @description The number of approving votes that are needed, fixed when the approval was requested. 0 if the board is one person, whose own request needs no vote. */
            required_approvals: number;
            status: components["schemas"]["MeetingSheetApprovalStatus"];
            /**
             * Format: uuid
             * @description The cash deposit, distribution, correction, meeting sheet or proposal.
             */
            subject_id: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            subject_type: "meeting_sheet";
            /** @description A vote counts only while the voter holds a board role. */
            votes: components["schemas"]["Vote"][];
        };
        /**
         * MeetingSheetApprovalStatus
         * @description `pending` until it has ended.
         * @enum {string}
         */
        MeetingSheetApprovalStatus: "pending" | "approved" | "rejected" | "expired" | "cancelled";
        /** MeetingSheetPayload */
        MeetingSheetPayload: {
            /** @description Who came; recorded with the cash. */
            attendance: components["schemas"]["AttendanceEntry"][];
            /** @description What the cash box holds after the meeting, as counted. */
            counted_cash: number;
            /** @description ISO 4217. */
            currency: string;
            /** @description `counted_cash` minus `expected_cash`. It is never booked by itself. */
            difference: number;
            /** @description What the cash box held before, plus the lines. */
            expected_cash: number;
            /** @description What was paid in cash, in the order of the request. */
            lines: components["schemas"]["SheetLine"][];
            /**
             * Format: uuid
             * @description The meeting.
             */
            meeting_id: string;
            /** @description For the board. */
            note: string | null;
            /** @description SHA-256 (hex) of the RFC 8785 form of an object with the members `meeting_id`, `lines`, `attendance`, `counted_cash` and `note` as they are shown here. */
            sheet_hash: string;
        };
        /**
         * MeetingStatus
         * @description `settling`: the meeting is being settled or cancelled and accepts no contributions.
         * @enum {string}
         */
        MeetingStatus: "open" | "settling" | "settled" | "cancelled";
        /** Member */
        Member: {
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /** @description The name of the member, as they write it. */
            display_name: string | null;
            /** @description Shares in the rotation. Each hand owes the contribution at every meeting and receives the pot once in a cycle. */
            hands: number;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /**
             * Format: date-time
             * @description When they joined, or last rejoined.
             */
            joined_at: string;
            /** @description The wallet that receives their payouts. Shown only to the member and the board. */
            payout_wallet_id?: string | null;
            role: components["schemas"]["MemberRole"];
            status: components["schemas"]["MemberStatus"];
            /** @description The user: the `sub` of their access token. */
            user_id: string;
        };
        /** MemberArrears */
        MemberArrears: {
            /** @description What the member is still owed from it. */
            is_owed: number;
            /** @description The settled round. */
            meeting: components["schemas"]["MeetingReference"];
            /** @description What the member still owes from it. */
            owes: number;
            /**
             * Format: date-time
             * @description When the round was settled.
             */
            since: string;
        };
        /** MemberFine */
        MemberFine: {
            /**
             * Format: date-time
             * @description When it was assessed.
             */
            assessed_at: string;
            /** @description The name of the rule among the rules of the association. */
            code: string;
            /**
             * Format: uuid
             * @description The fine.
             */
            fine_id: string;
            /** @description The meeting that it is for; null if it is for none. */
            meeting: components["schemas"]["MeetingReference"] | null;
            /** @description What is left to pay. */
            outstanding: number;
            /** @description Why; null if the service assessed it. */
            reason: string | null;
        };
        /**
         * MemberRole
         * @description Exactly one member is president.
         * @enum {string}
         */
        MemberRole: "president" | "treasurer" | "secretary" | "member";
        /** MembershipSummary */
        MembershipSummary: {
            /** @description Shares in the rotation. Each hand owes the contribution at every meeting and receives the pot once in a cycle. */
            hands: number;
            /**
             * Format: date-time
             * @description When they joined, or last rejoined.
             */
            joined_at: string;
            /**
             * Format: uuid
             * @description The caller's member id in this association.
             */
            member_id: string;
            role: components["schemas"]["MembershipSummaryRole"];
            status: components["schemas"]["MembershipSummaryStatus"];
        };
        /**
         * MembershipSummaryRole
         * @description Their role.
         * @enum {string}
         */
        MembershipSummaryRole: "president" | "treasurer" | "secretary" | "member";
        /**
         * MembershipSummaryStatus
         * @description Former members stay in the list.
         * @enum {string}
         */
        MembershipSummaryStatus: "active" | "left" | "expelled";
        /**
         * MemberStatus
         * @description Former members stay in the list.
         * @enum {string}
         */
        MemberStatus: "active" | "left" | "expelled";
        /**
         * Metadata
         * @description The client's own data about this object, given when it is created. Names have no control characters and are not `__proto__`; texts may be empty. Everyone who can read the object can read it. If none was given it is `{}`; events and transfers leave it out then.
         */
        Metadata: {
            [key: string]: string;
        };
        /** MissingDue */
        MissingDue: {
            /**
             * Format: uuid
             * @description The member who owes it.
             */
            member_id: string;
            /** @description The amount. */
            outstanding: number;
        };
        /** MotionApproval */
        MotionApproval: {
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /**
             * Format: date-time
             * @description When it was decided.
             */
            decided_at: string | null;
            /** @description Whether the decision was carried out, which happens after the approval. */
            execution: components["schemas"]["Execution"];
            /**
             * Format: date-time
             * @description When it expires.
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            payload: components["schemas"]["MotionPayload"];
            /** @description SHA-256 (hex) of the RFC 8785 form of `payload`. */
            payload_hash: string;
            /**
             * Format: uuid
             * @description The member who requested it; they may not vote.
             */
            requested_by_member_id: string;
            /** @description The number of approving votes that are needed, fixed when the approval was requested. 0 if the board is one person, whose own request needs no vote. */
            required_approvals: number;
            status: components["schemas"]["MotionApprovalStatus"];
            /**
             * Format: uuid
             * @description The cash deposit, distribution, correction, meeting sheet or proposal.
             */
            subject_id: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            subject_type: "motion";
            /** @description A vote counts only while the voter holds a board role. */
            votes: components["schemas"]["Vote"][];
        };
        /**
         * MotionApprovalStatus
         * @description `pending` until it has ended.
         * @enum {string}
         */
        MotionApprovalStatus: "pending" | "approved" | "rejected" | "expired" | "cancelled";
        /** MotionPayload */
        MotionPayload: {
            /** @description The text of the resolution. */
            text: string;
        };
        /** MotionPayloadInput */
        MotionPayloadInput: {
            /** @description The text of the resolution. */
            text: string;
        };
        /** MotionProposal */
        MotionProposal: {
            approval: components["schemas"]["Approval"];
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            payload: components["schemas"]["MotionPayload"];
            /** @description For people. */
            title: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "motion";
        };
        /** MotionProposalInput */
        MotionProposalInput: {
            payload: components["schemas"]["MotionPayloadInput"];
            /** @description For people. */
            title: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "motion";
        };
        /** Movement */
        Movement: {
            /** @description Positive if the member paid it in, negative if it was paid out to them. */
            amount: number;
            /** @description The balance after this movement. */
            balance_after: number;
            /** @description The hash of the transfer. */
            hash: string;
            kind: components["schemas"]["MovementKind"];
            /** @description The meeting of the movement; null if it has none. */
            meeting: components["schemas"]["MeetingReference"] | null;
            method: components["schemas"]["MovementMethod"];
            /**
             * Format: date-time
             * @description When it was posted.
             */
            posted_at: string;
            /** @description The reference of the caller; for cash and distributions the reason; for a reversal the reversed transfer. */
            reference: string | null;
            /**
             * Format: int64
             * @description The place of the transfer in the chain.
             */
            seq: number;
            /**
             * Format: uuid
             * @description The transfer in the ledger.
             */
            transfer_id: string;
        };
        /**
         * MovementKind
         * @description Why money moved.
         * @enum {string}
         */
        MovementKind: "wallet_deposit" | "wallet_withdrawal" | "contribution" | "arrears_payment" | "cash_contribution" | "settlement" | "meeting_refund" | "cash_deposit" | "distribution_reserve" | "distribution_payment" | "distribution_release" | "fine_payment" | "meeting_sheet" | "reversal";
        /**
         * MovementMethod
         * @description `wallet`: e-money. `cash`: cash.
         * @enum {string}
         */
        MovementMethod: "wallet" | "cash";
        /** MyAssociationsAnswer */
        MyAssociationsAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Association"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** MyWalletsAnswer */
        MyWalletsAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Wallet"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** NewInvitation */
        NewInvitation: {
            /** @description The code for `POST /invitations/{code}/accept`. Only this answer contains it. */
            code: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it expires.
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /** @description The number of users who may join with it. */
            max_uses: number;
            /** @description The number of users who have joined with it. */
            uses: number;
        };
        /** NewQuietHoursInput */
        NewQuietHoursInput: {
            /** @description The first minute without messages, `HH:MM`. */
            from: string;
            /** @description The time zone of these times; null for that of the association that a message is about. */
            time_zone?: string | null;
            /** @description The end, `HH:MM`; if it is not after `from`, it is on the next day. */
            to: string;
        };
        /** NewWebhook */
        NewWebhook: {
            /**
             * Format: uuid
             * @description The association; null for an endpoint of all associations.
             */
            association_id: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description What the endpoint is for. */
            description: string | null;
            /**
             * Format: date-time
             * @description When it was disabled; null while it is enabled.
             */
            disabled_at: string | null;
            /** @description `request`: by a PATCH. `gone`: it has answered 410. `failing`: it had nothing but failures for 5 days. Null while enabled. */
            disabled_reason: components["schemas"]["NewWebhookDisabledReason"] | null;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /** @description The key of the signatures, which the receiver needs. Only this answer contains it. */
            secret: string;
            status: components["schemas"]["NewWebhookStatus"];
            /** @description The types of events that are sent; `*` is all types, also those of later releases. */
            types: components["schemas"]["NewWebhookType"][];
            /** @description Where events are sent: `https`, and a host with public addresses only. No user name, password or fragment. */
            url: string;
        };
        /**
         * NewWebhookDisabledReason
         * @description `request`: by a PATCH. `gone`: it has answered 410. `failing`: it had nothing but failures for 5 days. Null while enabled.
         * @enum {string}
         */
        NewWebhookDisabledReason: "request" | "gone" | "failing";
        /** NewWebhookSecret */
        NewWebhookSecret: {
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /**
             * Format: date-time
             * @description Until then, the replaced secret signs too.
             */
            old_secret_signs_until: string;
            /** @description The key of the signatures, which the receiver needs. Only this answer contains it. */
            secret: string;
        };
        /**
         * NewWebhookStatus
         * @description Nothing is sent to a `disabled` endpoint.
         * @enum {string}
         */
        NewWebhookStatus: "enabled" | "disabled";
        /**
         * NewWebhookType
         * @enum {string}
         */
        NewWebhookType: "*" | "association.created" | "association.updated" | "member.joined" | "member.left" | "association.closed" | "member.expelled" | "rules.changed" | "member.role_changed" | "pin.changed" | "cycle.started" | "cycle.completed" | "meeting.scheduled" | "meeting.rescheduled" | "meeting.cancelled" | "meeting.settled" | "contribution.paid" | "contribution.failed" | "attendance.recorded" | "fine.assessed" | "fine.paid" | "fine.waived" | "sheet.submitted" | "sheet.confirmed" | "sheet.rejected" | "cash.recorded" | "cash.confirmed" | "cash.rejected" | "distribution.requested" | "distribution.paid" | "distribution.rejected" | "distribution.failed" | "approval.requested" | "approval.voted" | "approval.approved" | "approval.rejected" | "approval.expired" | "approval.cancelled" | "transfer.posted" | "transfer.reversed";
        /** NextTurn */
        NextTurn: {
            /**
             * Format: uuid
             * @description The running cycle.
             */
            cycle_id: string;
            /**
             * Format: date
             * @description The day of the meeting.
             */
            due_on: string;
            /** @description Their share of the pot if every due of the round is paid, before their arrears are deducted. */
            expected_amount: number;
            /**
             * Format: uuid
             * @description The meeting at which they are paid.
             */
            meeting_id: string;
            /** @description The round. */
            round: number;
        };
        /** NotificationPreferences */
        NotificationPreferences: {
            /** @description How messages are sent, to confirmed addresses only. */
            channels: components["schemas"]["NotificationPreferencesChannel"][];
            /** @description The e-mail address, as last set. It counts once it is confirmed. */
            email: string | null;
            /** @description Whether `email` is confirmed. */
            email_confirmed: boolean;
            /** @description The confirmed address to which messages go. It stays in use until another one is confirmed. */
            email_in_use: string | null;
            language: components["schemas"]["NotificationPreferencesLanguage"];
            /** @description The phone number with its country code, as last set. It counts once it is confirmed. */
            phone: string | null;
            /** @description Whether `phone` is confirmed. */
            phone_confirmed: boolean;
            /** @description As `email_in_use`. */
            phone_in_use: string | null;
            /** @description When messages wait. Those that are always sent do not. */
            quiet_hours: components["schemas"]["QuietHours"] | null;
            /** @description What is sent. `due_soon`, `due_today`, `due_late`: a contribution that is not paid, three days before its day, on the day, and on the day after. `turn_tomorrow`: the caller receives the pot tomorrow. `pot_paid`, `distribution_paid`: the caller was paid. `vote_waiting`: the board waits for the vote of the caller. `role_changed`, `pin_changed` and `webhook_disabled` are always sent, even if the list lacks them. */
            types: components["schemas"]["NotificationPreferencesType"][];
        };
        /**
         * NotificationPreferencesChannel
         * @description E-mail or SMS.
         * @enum {string}
         */
        NotificationPreferencesChannel: "email" | "sms";
        /**
         * NotificationPreferencesLanguage
         * @description The language of the messages.
         * @enum {string}
         */
        NotificationPreferencesLanguage: "en" | "fr";
        /**
         * NotificationPreferencesType
         * @enum {string}
         */
        NotificationPreferencesType: "due_soon" | "due_today" | "due_late" | "turn_tomorrow" | "pot_paid" | "distribution_paid" | "vote_waiting" | "role_changed" | "pin_changed" | "webhook_disabled";
        /** Occasion */
        Occasion: {
            /** @description What is owed, expected or paid. */
            amount: number | null;
            /**
             * Format: uuid
             * @description The approval that waits for a vote.
             */
            approval_id: string | null;
            /** @description ISO 4217. */
            currency: string | null;
            /**
             * Format: uuid
             * @description The distribution that was paid.
             */
            distribution_id: string | null;
            /**
             * Format: date
             * @description Its day.
             */
            due_on: string | null;
            /**
             * Format: uuid
             * @description The meeting that it is about.
             */
            meeting_id: string | null;
        };
        /** OpenDue */
        OpenDue: {
            /**
             * Format: uuid
             * @description Its cycle.
             */
            cycle_id: string;
            /** @description What the member owes for this meeting: their hands times the contribution amount. */
            due: number;
            /**
             * Format: date
             * @description The day of the meeting.
             */
            due_on: string;
            /**
             * Format: uuid
             * @description The meeting.
             */
            meeting_id: string;
            /** @description `due` minus `paid`. */
            outstanding: number;
            /** @description The part that was paid, by the member or for them. */
            paid: number;
            /** @description Its place in the cycle, from 1. */
            round: number;
            /** @description For people. */
            title: string | null;
        };
        /** OpenOwnWalletRequest */
        OpenOwnWalletRequest: {
            /** @description ISO 4217, of a currency that has minor units. */
            currency: string;
        };
        /** Overview */
        Overview: {
            /** @description The associations of this page. */
            associations: components["schemas"]["AssociationOverview"][];
            /** @description The `cursor` of the next page; null on the last page. */
            next_cursor: string | null;
            /** @description All wallets of the caller, the oldest first. */
            wallets: components["schemas"]["Wallet"][];
        };
        /** OwnArrears */
        OwnArrears: {
            /** @description What the caller still owes from it. */
            amount: number;
            /** @description The settled round. */
            meeting: components["schemas"]["MeetingReference"];
            /**
             * Format: date-time
             * @description When the round was settled.
             */
            since: string;
        };
        /** OwnFine */
        OwnFine: {
            /**
             * Format: date-time
             * @description When it was assessed.
             */
            assessed_at: string;
            /** @description The name of the rule among the rules of the association. */
            code: string;
            /**
             * Format: uuid
             * @description The fine.
             */
            fine_id: string;
            /**
             * Format: uuid
             * @description The meeting that it is for; null if it is for none.
             */
            meeting_id: string | null;
            /** @description What is left to pay. */
            outstanding: number;
        };
        /** PaidFine */
        PaidFine: {
            /** @description The amount. */
            amount: number;
            /**
             * Format: date-time
             * @description When it was assessed.
             */
            assessed_at: string;
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /** @description The name of the rule among the rules of the association. */
            code: string;
            /** @description ISO 4217. */
            currency: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /**
             * Format: uuid
             * @description The meeting that it is for; null if it is for none.
             */
            meeting_id: string | null;
            /**
             * Format: uuid
             * @description The member who owes it.
             */
            member_id: string;
            /** @description What is left to pay; 0 once it is waived. */
            outstanding: number;
            /** @description The part that was paid, by the member or for them. */
            paid: number;
            /**
             * Format: int64
             * @description Counts the fines of a rule that repeats, for one member and meeting.
             */
            period: number;
            /** @description Why, for people. */
            reason: string | null;
            /**
             * Format: int64
             * @description The version of the rules that apply.
             */
            rules_version: number;
            status: components["schemas"]["PaidFineStatus"];
            /**
             * Format: uuid
             * @description The transfer of this payment; null while its outcome is unknown.
             */
            transfer_id: string | null;
        };
        /**
         * PaidFineStatus
         * @description `waived`: the board has decided that the rest need not be paid.
         * @enum {string}
         */
        PaidFineStatus: "due" | "paid" | "waived";
        /** PayFineRequest */
        PayFineRequest: {
            /** @description The amount. */
            amount: number;
            /** @description The PIN, 4 to 12 digits, encrypted with a key of `GET /keys/pin` by RSA-OAEP (SHA-256 for hash and MGF1), in base64 or base64url. Encrypt it again for each operation: a ciphertext authorizes only one operation. */
            pin: components["schemas"]["SealedPin"];
            /** @description One of the caller's own wallets. */
            wallet_id: string;
        };
        /** Payout */
        Payout: {
            /** @description The amount. */
            amount: number;
            /**
             * Format: uuid
             * @description The member who is paid.
             */
            member_id: string;
            method: components["schemas"]["PayoutMethod"];
            /**
             * Format: uuid
             * @description The transfer in the ledger.
             */
            transfer_id: string;
            /** @description The wallet that receives it; null for cash. */
            wallet_id: string | null;
        };
        /**
         * PayoutMethod
         * @description `wallet`: e-money. `cash`: cash.
         * @enum {string}
         */
        PayoutMethod: "wallet" | "cash";
        /** PinKey */
        PinKey: {
            /** @enum {string} */
            alg: "RSA-OAEP-256";
            /** @description The exponent, base64url. */
            e: string;
            /**
             * Format: int64
             * @description Seconds since 1970. Ciphertexts are accepted until then.
             */
            exp: number;
            /** @description The id of the key. */
            kid: string;
            /** @enum {string} */
            kty: "RSA";
            /** @description The modulus, base64url. */
            n: string;
            /** @enum {string} */
            use: "enc";
        };
        /** PinKeySet */
        PinKeySet: {
            /** @description Newest first. */
            keys: components["schemas"]["PinKey"][];
        };
        /** PinState */
        PinState: {
            /** @description The number of wrong PINs left before the PIN is locked; 0 if it is locked now. */
            attempts_left: number;
            /**
             * Format: date-time
             * @description Until when the PIN is locked; null if it is not.
             */
            locked_until: string | null;
            /** @description Whether the caller has a PIN. */
            set: boolean;
        };
        /** PlannedPayout */
        PlannedPayout: {
            /** @description The amount. */
            amount: number;
            /**
             * Format: uuid
             * @description The member who is paid.
             */
            member_id: string;
            method: components["schemas"]["PlannedPayoutMethod"];
            /** @description The wallet that receives it; null for cash. */
            wallet_id: string | null;
        };
        /**
         * PlannedPayoutMethod
         * @description `wallet`: e-money. `cash`: cash.
         * @enum {string}
         */
        PlannedPayoutMethod: "wallet" | "cash";
        /** PoolBalance */
        PoolBalance: {
            /** @description What was collected for the meeting, e-money and cash together. */
            amount: number;
            /** @description The part of it that is cash. */
            cash_amount: number;
            /**
             * Format: uuid
             * @description The meeting.
             */
            meeting_id: string;
        };
        Problem: {
            code: string;
            detail: string;
            instance: string;
            request_id: string;
            status: number;
            title: string;
            type: string;
        } & {
            [key: string]: unknown;
        };
        /** Proposal */
        Proposal: components["schemas"]["RoleChangeProposal"] | components["schemas"]["RulesChangeProposal"] | components["schemas"]["ExpulsionProposal"] | components["schemas"]["ClosureProposal"] | components["schemas"]["MotionProposal"] | components["schemas"]["FineWaiverProposal"];
        /** ProposeRequest */
        ProposeRequest: components["schemas"]["RoleChangeProposalInput"] | components["schemas"]["RulesChangeProposalInput"] | components["schemas"]["ExpulsionProposalInput"] | components["schemas"]["ClosureProposalInput"] | components["schemas"]["MotionProposalInput"] | components["schemas"]["FineWaiverProposalInput"];
        /** PutSheetRequest */
        PutSheetRequest: {
            /** @description Who came, to be recorded with the cash: one entry for each member, as in `PUT …/attendance`. */
            attendance?: components["schemas"]["AttendanceEntryInput"][];
            /** @description What the cash box holds after the meeting, as counted. */
            counted_cash: number;
            /** @description What was paid in cash. */
            lines: components["schemas"]["SheetLineInput"][];
            /** @description For the board. Required to submit a sheet with a difference. */
            note?: string;
        };
        /** QuietHours */
        QuietHours: {
            /** @description The first minute without messages, `HH:MM`. */
            from: string;
            /** @description The time zone of these times; null for that of the association that a message is about. */
            time_zone: string | null;
            /** @description The end, `HH:MM`; if it is not after `from`, it is on the next day. */
            to: string;
        };
        /** RecordAttendanceRequest */
        RecordAttendanceRequest: {
            /** @description One entry for each member. It replaces the earlier one of the member. */
            entries: components["schemas"]["AttendanceEntryInput"][];
        };
        /** RecordCashContributionRequest */
        RecordCashContributionRequest: {
            /** @description The amount. */
            amount: number;
            /**
             * Format: uuid
             * @description The meeting to which the cash is a contribution. By default it is for the treasury.
             */
            meeting_id?: string;
            /**
             * Format: uuid
             * @description The member who paid the cash.
             */
            member_id: string;
            metadata?: components["schemas"]["Metadata"];
            /** @description The PIN, 4 to 12 digits, encrypted with a key of `GET /keys/pin` by RSA-OAEP (SHA-256 for hash and MGF1), in base64 or base64url. Encrypt it again for each operation: a ciphertext authorizes only one operation. */
            pin: components["schemas"]["SealedPin"];
            /** @description The reason, for the board and the ledger. */
            reason: string;
        };
        /** RecordedAttendance */
        RecordedAttendance: {
            /**
             * Format: uuid
             * @description The member.
             */
            member_id: string;
            /**
             * Format: date-time
             * @description When it was recorded.
             */
            recorded_at: string;
            /**
             * Format: uuid
             * @description The member who recorded it.
             */
            recorded_by_member_id: string;
            /**
             * Format: uuid
             * @description The member who stood in for them; only with `represented`.
             */
            represented_by_member_id: string | null;
            status: components["schemas"]["RecordedAttendanceStatus"];
        };
        /**
         * RecordedAttendanceStatus
         * @description Whether the member came. Absent members who are `excused` owe no fine.
         * @enum {string}
         */
        RecordedAttendanceStatus: "present" | "late" | "absent" | "excused" | "represented";
        /** RejectRequest */
        RejectRequest: {
            /**
             * Format: uuid
             * @description The approval.
             */
            approval_id: string;
            /** @description The PIN, 4 to 12 digits, encrypted with a key of `GET /keys/pin` by RSA-OAEP (SHA-256 for hash and MGF1), in base64 or base64url. Encrypt it again for each operation: a ciphertext authorizes only one operation. */
            pin: components["schemas"]["SealedPin"];
            /** @description Stored with the vote. */
            reason?: string;
        };
        /** ReplayGlobalWebhookEventsRequest */
        ReplayGlobalWebhookEventsRequest: {
            /**
             * Format: date-time
             * @description The earliest time of the events.
             */
            from: string;
            /**
             * Format: date-time
             * @description Their times are before this one, which is now at the latest.
             */
            to?: string;
        };
        /** ReplayWebhookEventsRequest */
        ReplayWebhookEventsRequest: {
            /**
             * Format: date-time
             * @description The earliest time of the events.
             */
            from: string;
            /**
             * Format: date-time
             * @description Their times are before this one, which is now at the latest.
             */
            to?: string;
        };
        /** RequestCorrectionRequest */
        RequestCorrectionRequest: {
            /** @description The PIN, 4 to 12 digits, encrypted with a key of `GET /keys/pin` by RSA-OAEP (SHA-256 for hash and MGF1), in base64 or base64url. Encrypt it again for each operation: a ciphertext authorizes only one operation. */
            pin: components["schemas"]["SealedPin"];
            /** @description The reason, for the board and the ledger. */
            reason: string;
            /**
             * Format: uuid
             * @description The transfer that is to be reversed.
             */
            transfer_id: string;
        };
        /** RequestDistributionRequest */
        RequestDistributionRequest: {
            /** @description The amount. */
            amount: number;
            /**
             * Format: uuid
             * @description The member who will be paid.
             */
            beneficiary_member_id: string;
            metadata?: components["schemas"]["Metadata"];
            /** @description The reason, for the board and the ledger. */
            reason: string;
        };
        /** RoleChangeApproval */
        RoleChangeApproval: {
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /**
             * Format: date-time
             * @description When it was decided.
             */
            decided_at: string | null;
            /** @description Whether the decision was carried out, which happens after the approval. */
            execution: components["schemas"]["Execution"];
            /**
             * Format: date-time
             * @description When it expires.
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            payload: components["schemas"]["RoleChangePayload"];
            /** @description SHA-256 (hex) of the RFC 8785 form of `payload`. */
            payload_hash: string;
            /**
             * Format: uuid
             * @description The member who requested it; they may not vote.
             */
            requested_by_member_id: string;
            /** @description The number of approving votes that are needed, fixed when the approval was requested. 0 if the board is one person, whose own request needs no vote. */
            required_approvals: number;
            status: components["schemas"]["RoleChangeApprovalStatus"];
            /**
             * Format: uuid
             * @description The cash deposit, distribution, correction, meeting sheet or proposal.
             */
            subject_id: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            subject_type: "role_change";
            /** @description A vote counts only while the voter holds a board role. */
            votes: components["schemas"]["Vote"][];
        };
        /**
         * RoleChangeApprovalStatus
         * @description `pending` until it has ended.
         * @enum {string}
         */
        RoleChangeApprovalStatus: "pending" | "approved" | "rejected" | "expired" | "cancelled";
        /** RoleChangePayload */
        RoleChangePayload: {
            /**
             * Format: uuid
             * @description The member who gets a new role.
             */
            member_id: string;
            role: components["schemas"]["RoleChangePayloadRole"];
        };
        /** RoleChangePayloadInput */
        RoleChangePayloadInput: {
            /**
             * Format: uuid
             * @description The member who gets a new role.
             */
            member_id: string;
            role: components["schemas"]["RoleChangePayloadInputRole"];
        };
        /**
         * RoleChangePayloadInputRole
         * @description The new role. If there is a new president, the old one becomes a member in the same step.
         * @enum {string}
         */
        RoleChangePayloadInputRole: "president" | "treasurer" | "secretary" | "member";
        /**
         * RoleChangePayloadRole
         * @description The new role. If there is a new president, the old one becomes a member in the same step.
         * @enum {string}
         */
        RoleChangePayloadRole: "president" | "treasurer" | "secretary" | "member";
        /** RoleChangeProposal */
        RoleChangeProposal: {
            approval: components["schemas"]["Approval"];
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            payload: components["schemas"]["RoleChangePayload"];
            /** @description For people. */
            title: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "role_change";
        };
        /** RoleChangeProposalInput */
        RoleChangeProposalInput: {
            payload: components["schemas"]["RoleChangePayloadInput"];
            /** @description For people. */
            title: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "role_change";
        };
        /**
         * RoleNotAllowedProblemRequiredRole
         * @enum {string}
         */
        RoleNotAllowedProblemRequiredRole: "president" | "treasurer" | "secretary" | "member";
        /** Rules */
        Rules: {
            /** @description The number of hours within which the board can vote. */
            approval_expires_in_hours: number;
            approvals: components["schemas"]["ApprovalRules"];
            /** @description The number of hands that have their turn at each meeting of a tontine and share its pot. */
            beneficiaries_per_meeting: number;
            /** @description What members pay for coming late, staying away or paying late. A change applies from the next cycle on. */
            fines: components["schemas"]["FineRule"][];
            shortfall: components["schemas"]["RulesShortfall"];
        };
        /** RulesChange */
        RulesChange: {
            /** @description The number of hours within which the board can vote. */
            approval_expires_in_hours?: number;
            approvals?: components["schemas"]["ApprovalRulesChange"];
            /** @description The number of hands that have their turn at each meeting of a tontine and share its pot. */
            beneficiaries_per_meeting?: number;
            /** @description What members pay for coming late, staying away or paying late. A change applies from the next cycle on. */
            fines?: components["schemas"]["FineRule"][];
            shortfall?: components["schemas"]["RulesChangeShortfall"];
        };
        /** RulesChangeApproval */
        RulesChangeApproval: {
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /**
             * Format: date-time
             * @description When it was decided.
             */
            decided_at: string | null;
            /** @description Whether the decision was carried out, which happens after the approval. */
            execution: components["schemas"]["Execution"];
            /**
             * Format: date-time
             * @description When it expires.
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            payload: components["schemas"]["RulesChangePayload"];
            /** @description SHA-256 (hex) of the RFC 8785 form of `payload`. */
            payload_hash: string;
            /**
             * Format: uuid
             * @description The member who requested it; they may not vote.
             */
            requested_by_member_id: string;
            /** @description The number of approving votes that are needed, fixed when the approval was requested. 0 if the board is one person, whose own request needs no vote. */
            required_approvals: number;
            status: components["schemas"]["RulesChangeApprovalStatus"];
            /**
             * Format: uuid
             * @description The cash deposit, distribution, correction, meeting sheet or proposal.
             */
            subject_id: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            subject_type: "rules_change";
            /** @description A vote counts only while the voter holds a board role. */
            votes: components["schemas"]["Vote"][];
        };
        /**
         * RulesChangeApprovalStatus
         * @description `pending` until it has ended.
         * @enum {string}
         */
        RulesChangeApprovalStatus: "pending" | "approved" | "rejected" | "expired" | "cancelled";
        /** RulesChangeInput */
        RulesChangeInput: {
            /** @description The number of hours within which the board can vote. */
            approval_expires_in_hours?: number;
            approvals?: components["schemas"]["ApprovalRulesChangeInput"];
            /** @description The number of hands that have their turn at each meeting of a tontine and share its pot. */
            beneficiaries_per_meeting?: number;
            /** @description What members pay for coming late, staying away or paying late. A change applies from the next cycle on. */
            fines?: components["schemas"]["FineRuleInput"][];
            shortfall?: components["schemas"]["RulesChangeInputShortfall"];
        };
        /**
         * RulesChangeInputShortfall
         * @description The effect of settling a round while some members have not paid. `block`: it is refused. `pay_collected`: the money collected is paid out, and the rest becomes arrears, which are debts to the beneficiaries.
         * @enum {string}
         */
        RulesChangeInputShortfall: "block" | "pay_collected";
        /** RulesChangePayload */
        RulesChangePayload: {
            /** @description The new amount, from the next cycle on. */
            contribution_amount?: number;
            /** @description The maximum number of members. */
            max_members?: number;
            rules?: components["schemas"]["RulesChange"];
        };
        /** RulesChangePayloadInput */
        RulesChangePayloadInput: {
            /** @description The new amount, from the next cycle on. */
            contribution_amount?: number;
            /** @description The maximum number of members. */
            max_members?: number;
            rules?: components["schemas"]["RulesChangeInput"];
        };
        /** RulesChangeProposal */
        RulesChangeProposal: {
            approval: components["schemas"]["Approval"];
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            payload: components["schemas"]["RulesChangePayload"];
            /** @description For people. */
            title: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "rules_change";
        };
        /** RulesChangeProposalInput */
        RulesChangeProposalInput: {
            payload: components["schemas"]["RulesChangePayloadInput"];
            /** @description For people. */
            title: string;
            /**
             * @description The type of the subject, on which `payload` depends. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "rules_change";
        };
        /**
         * RulesChangeShortfall
         * @description The effect of settling a round while some members have not paid. `block`: it is refused. `pay_collected`: the money collected is paid out, and the rest becomes arrears, which are debts to the beneficiaries.
         * @enum {string}
         */
        RulesChangeShortfall: "block" | "pay_collected";
        /** RulesInput */
        RulesInput: {
            /**
             * @description The number of hours within which the board can vote.
             * @default 336
             */
            approval_expires_in_hours?: number;
            /**
             * @default {
             *       "cash_deposit": 1,
             *       "distribution": 2,
             *       "rules_change": 2,
             *       "expulsion": 2,
             *       "closure": 2,
             *       "role_change": 1,
             *       "motion": 1,
             *       "meeting_sheet": 1,
             *       "correction": 2,
             *       "fine_waiver": 1
             *     }
             */
            approvals?: components["schemas"]["ApprovalRulesInput"];
            /**
             * @description The number of hands that have their turn at each meeting of a tontine and share its pot.
             * @default 1
             */
            beneficiaries_per_meeting?: number;
            /**
             * @description What members pay for coming late, staying away or paying late. A change applies from the next cycle on.
             * @default []
             */
            fines?: components["schemas"]["FineRuleInput"][];
            /** @default block */
            shortfall?: components["schemas"]["RulesInputShortfall"];
        };
        /**
         * RulesInputShortfall
         * @description The effect of settling a round while some members have not paid. `block`: it is refused. `pay_collected`: the money collected is paid out, and the rest becomes arrears, which are debts to the beneficiaries.
         * @enum {string}
         */
        RulesInputShortfall: "block" | "pay_collected";
        /**
         * RulesShortfall
         * @description The effect of settling a round while some members have not paid. `block`: it is refused. `pay_collected`: the money collected is paid out, and the rest becomes arrears, which are debts to the beneficiaries.
         * @enum {string}
         */
        RulesShortfall: "block" | "pay_collected";
        /** ScheduleMeetingRequest */
        ScheduleMeetingRequest: {
            /**
             * Format: date
             * @description The day of the meeting. The default is today.
             */
            due_on?: string;
            /** @description For people. */
            title?: string;
        };
        /** SealedPin */
        SealedPin: string;
        /** SentMessage */
        SentMessage: {
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string | null;
            channel: components["schemas"]["SentMessageChannel"];
            /**
             * Format: date-time
             * @description When there was something to tell.
             */
            created_at: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            occasion: components["schemas"]["Occasion"];
            /** @description Why it was not sent. `no_channel`: the server has no such channel. `no_address`: there was no confirmed address. `not_wanted`: it was deselected meanwhile. `no_longer_due`: paid, decided or otherwise done meanwhile. `moved`: the meeting was moved. `member_left`: the caller had left. `too_late`: it could not be sent in time. `joined`: another message of the same type still waited, and tells what has happened last. `too_many`: too many SMS were sent to the number within 24 hours. `refused`: the address or the message was refused. `unreachable`: mail server or gateway could not be reached in time. `no_answer`: it was handed over, and no answer came. */
            reason: components["schemas"]["SentMessageReason"] | null;
            /**
             * Format: date-time
             * @description When it was taken.
             */
            sent_at: string | null;
            status: components["schemas"]["SentMessageStatus"];
            /** @description Its subject. */
            subject: string | null;
            /** @description What it said; null for a code, and for what was not sent. */
            text: string | null;
            type: components["schemas"]["SentMessageType"];
        };
        /**
         * SentMessageChannel
         * @description E-mail or SMS.
         * @enum {string}
         */
        SentMessageChannel: "email" | "sms";
        /**
         * SentMessageReason
         * @description Why it was not sent. `no_channel`: the server has no such channel. `no_address`: there was no confirmed address. `not_wanted`: it was deselected meanwhile. `no_longer_due`: paid, decided or otherwise done meanwhile. `moved`: the meeting was moved. `member_left`: the caller had left. `too_late`: it could not be sent in time. `joined`: another message of the same type still waited, and tells what has happened last. `too_many`: too many SMS were sent to the number within 24 hours. `refused`: the address or the message was refused. `unreachable`: mail server or gateway could not be reached in time. `no_answer`: it was handed over, and no answer came.
         * @enum {string}
         */
        SentMessageReason: "no_channel" | "no_address" | "not_wanted" | "no_longer_due" | "moved" | "member_left" | "too_late" | "joined" | "too_many" | "refused" | "unreachable" | "no_answer";
        /**
         * SentMessageStatus
         * @description `sent`: the mail server or SMS gateway has taken it. `skipped`: it was not sent on purpose. `failed`: it could not be sent. `unknown`: it may have been sent; it is not sent again, as no message is sent twice.
         * @enum {string}
         */
        SentMessageStatus: "sent" | "skipped" | "failed" | "unknown";
        /**
         * SentMessageType
         * @description What it says: a type of the settings, `confirm_address` for a code, or `address_changed` for the notice to an address that is no longer used.
         * @enum {string}
         */
        SentMessageType: "due_soon" | "due_today" | "due_late" | "turn_tomorrow" | "pot_paid" | "distribution_paid" | "vote_waiting" | "role_changed" | "pin_changed" | "webhook_disabled" | "confirm_address" | "address_changed";
        /** SetPinRequest */
        SetPinRequest: {
            /** @description The PIN, 4 to 12 digits, encrypted with a key of `GET /keys/pin` by RSA-OAEP (SHA-256 for hash and MGF1), in base64 or base64url. Encrypt it again for each operation: a ciphertext authorizes only one operation. */
            current_pin?: components["schemas"]["SealedPin"];
            /** @description The PIN, 4 to 12 digits, encrypted with a key of `GET /keys/pin` by RSA-OAEP (SHA-256 for hash and MGF1), in base64 or base64url. Encrypt it again for each operation: a ciphertext authorizes only one operation. */
            pin: components["schemas"]["SealedPin"];
        };
        /** Settlement */
        Settlement: {
            /** @description New arrears: what members did not pay and now owe to the beneficiaries. */
            arrears: components["schemas"]["Arrear"][];
            /** @description What was paid for the meeting. */
            collected_amount: number;
            /** @description What all members together owed for it. */
            expected_amount: number;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /**
             * Format: uuid
             * @description The meeting.
             */
            meeting_id: string;
            /** @description In rotation order; e-money first, then cash. */
            payouts: components["schemas"]["Payout"][];
            /**
             * Format: int64
             * @description The version of the rules that apply.
             */
            rules_version: number;
            /**
             * Format: date-time
             * @description When it was settled.
             */
            settled_at: string | null;
            /**
             * Format: uuid
             * @description The member who settled it.
             */
            settled_by_member_id: string;
            /** @description What was missing. */
            shortfall_amount: number;
            status: components["schemas"]["SettlementStatus"];
            /** @description What goes to the treasury. It is negative at the end of a savings cycle, when the savings of earlier rounds are returned. */
            to_treasury_amount: number;
        };
        /** SettlementPreview */
        SettlementPreview: {
            /** @description New arrears: what members did not pay and now owe to the beneficiaries. */
            arrears: components["schemas"]["Arrear"][];
            /** @description What was paid for the meeting. */
            collected_amount: number;
            /** @description What all members together owed for it. */
            expected_amount: number;
            /** @description The legs of the ledger transfer, in minor units. */
            legs: components["schemas"]["Leg"][];
            /**
             * Format: uuid
             * @description The meeting.
             */
            meeting_id: string;
            /** @description As in the settlement, but without the transfer. */
            payouts: components["schemas"]["PlannedPayout"][];
            /** @description For the `preview_hash` of `settle`. */
            preview_hash: string;
            /** @description The error code with which `settle` would be refused now; null if it would succeed. */
            refused_for: string | null;
            /**
             * Format: int64
             * @description The version of the rules that apply.
             */
            rules_version: number;
            /** @description What was missing. */
            shortfall_amount: number;
            /** @description What goes to the treasury. It is negative at the end of a savings cycle, when the savings of earlier rounds are returned. */
            to_treasury_amount: number;
        };
        /**
         * SettlementStatus
         * @description `pending` while the outcome is unknown.
         * @enum {string}
         */
        SettlementStatus: "pending" | "settled";
        /** SettleRequest */
        SettleRequest: {
            /** @description The hash of the preview that the settlement must match. */
            preview_hash?: string;
        };
        /** Sheet */
        Sheet: {
            /**
             * Format: uuid
             * @description The approval in which the board decides; null for a draft.
             */
            approval_id: string | null;
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /** @description Who came; recorded with the cash. */
            attendance: components["schemas"]["AttendanceEntry"][];
            /**
             * Format: date-time
             * @description When it was confirmed; null until then.
             */
            confirmed_at: string | null;
            /** @description What the cash box holds after the meeting, as counted. */
            counted_cash: number;
            /**
             * Format: date-time
             * @description When it was first stored.
             */
            created_at: string;
            /** @description ISO 4217. */
            currency: string;
            /** @description `counted_cash` minus `expected_cash`. It is never booked by itself. */
            difference: number;
            /** @description What the cash box held before, plus the lines. */
            expected_cash: number;
            /**
             * Format: uuid
             * @description Chosen by the client.
             */
            id: string;
            /** @description What was paid in cash, in the order of the request. */
            lines: components["schemas"]["SheetLine"][];
            /**
             * Format: uuid
             * @description The meeting.
             */
            meeting_id: string;
            /** @description For the board. */
            note: string | null;
            /**
             * Format: uuid
             * @description The member who last wrote or submitted it.
             */
            recorded_by_member_id: string;
            /** @description Why it is a draft again; null for any other sheet. */
            refusal: components["schemas"]["SheetRefusal"] | null;
            /** @description SHA-256 (hex) of the RFC 8785 form of an object with the members `meeting_id`, `lines`, `attendance`, `counted_cash` and `note` as they are shown here. */
            sheet_hash: string;
            status: components["schemas"]["SheetStatus"];
            /**
             * Format: date-time
             * @description When it was submitted; null for a draft.
             */
            submitted_at: string | null;
            /**
             * Format: uuid
             * @description The transfer of all lines; null until it is confirmed, and for a sheet without lines.
             */
            transfer_id: string | null;
        };
        /** SheetComplaint */
        SheetComplaint: {
            /** @description The error code of the line. */
            code: string;
            /** @description A human-readable explanation. */
            detail: string;
            /** @description What may still be paid, if the amount exceeds it. */
            outstanding?: number;
            /** @description A JSON Pointer (RFC 6901) into the sheet. */
            pointer: string;
        };
        /** SheetLine */
        SheetLine: {
            /** @description The amount. */
            amount: number;
            /**
             * Format: uuid
             * @description The fine that is paid; required for `fine`, and not allowed for other lines.
             */
            fine_id?: string;
            kind: components["schemas"]["SheetLineKind"];
            /** @description The id of the line, chosen by the client; unique in the sheet. */
            line_id: string;
            /**
             * Format: uuid
             * @description The member who paid; for `fine` the member who owes it.
             */
            member_id: string;
            /** @description For people. */
            note?: string;
        };
        /** SheetLineInput */
        SheetLineInput: {
            /** @description The amount. */
            amount: number;
            /**
             * Format: uuid
             * @description The fine that is paid; required for `fine`, and not allowed for other lines.
             */
            fine_id?: string;
            kind: components["schemas"]["SheetLineInputKind"];
            /** @description The id of the line, chosen by the client; unique in the sheet. */
            line_id: string;
            /**
             * Format: uuid
             * @description The member who paid; for `fine` the member who owes it.
             */
            member_id: string;
            /** @description For people. */
            note?: string;
        };
        /**
         * SheetLineInputKind
         * @description `contribution`: to this meeting. `fine`: pays the fine `fine_id`. `treasury`: for the treasury.
         * @enum {string}
         */
        SheetLineInputKind: "contribution" | "fine" | "treasury";
        /**
         * SheetLineKind
         * @description `contribution`: to this meeting. `fine`: pays the fine `fine_id`. `treasury`: for the treasury.
         * @enum {string}
         */
        SheetLineKind: "contribution" | "fine" | "treasury";
        /** SheetRefusal */
        SheetRefusal: {
            /**
             * Format: uuid
             * @description The approval of the submission.
             */
            approval_id: string;
            /** @description Why the ledger refused an approved sheet, as an error code; otherwise null. */
            code: string | null;
            decision: components["schemas"]["SheetRefusalDecision"];
        };
        /**
         * SheetRefusalDecision
         * @description How the approval ended.
         * @enum {string}
         */
        SheetRefusalDecision: "approved" | "rejected" | "expired" | "cancelled";
        /**
         * SheetStatus
         * @description `submitted`: the board decides, and all dues and fines of the lines are taken. `confirmed`: the cash is in the ledger. `reversed`: it was confirmed, and a correction took it back.
         * @enum {string}
         */
        SheetStatus: "draft" | "submitted" | "confirmed" | "reversed";
        /** StartCycleRequest */
        StartCycleRequest: {
            /** @description For `manual`: the members in the order of their turns, each as often as they have hands. */
            member_order?: string[];
            order?: components["schemas"]["StartCycleRequestOrder"];
            /** @description Required for savings; for a tontine it follows from the hands. */
            rounds?: number;
            /**
             * Format: date
             * @description The day of the first round. It may be in the past.
             */
            starts_on: string;
        };
        /**
         * StartCycleRequestOrder
         * @description The order of turns: required for a tontine, refused for savings. `join`: join order. `draw`: at random. `manual`: as in `member_order`.
         * @enum {string}
         */
        StartCycleRequestOrder: "join" | "draw" | "manual";
        /** Statement */
        Statement: {
            /** @description The arrears by settled round, oldest first, at most 1 000. */
            arrears: components["schemas"]["MemberArrears"][];
            association: components["schemas"]["StatementAssociation"];
            /** @description The balance after the last movement. */
            closing_balance: number;
            /** @description ISO 4217. */
            currency: string;
            /** @description The fines that are due, oldest first, at most 1 000. */
            fines: components["schemas"]["MemberFine"][];
            /** @description What the member owes in fines, when the statement was made. */
            fines_outstanding: number;
            /**
             * Format: date
             * @description The first day; null for the beginning.
             */
            from: string | null;
            /** @description The arrears that others owe to the member. */
            is_owed: number;
            /** @description The last transfer of the ledger when the statement was made. An export up to it verifies every movement. */
            ledger_head: components["schemas"]["LedgerHead"];
            /**
             * Format: date-time
             * @description When the statement was made.
             */
            made_at: string;
            member: components["schemas"]["StatementMember"];
            /** @description Oldest first. */
            movements: components["schemas"]["Movement"][];
            /** @description What the member had paid in minus what they had been paid, before the first movement. */
            opening_balance: number;
            /** @description The arrears of the member from settled rounds, when the statement was made. */
            owes: number;
            /** @description The sum that the member paid in. */
            paid_in: number;
            /** @description The sum that the member was paid. */
            paid_out: number;
            /** @description The time zone of its days. */
            time_zone: string;
            /**
             * Format: date
             * @description The last day; null for now.
             */
            to: string | null;
        };
        /**
         * StatementAssociation
         * @description The association.
         */
        StatementAssociation: {
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /** @description The name of the association. */
            name: string;
        };
        /**
         * StatementMember
         * @description The member whose statement it is.
         */
        StatementMember: {
            /** @description The name of the member, as they write it. */
            display_name: string | null;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /** @description The user: the `sub` of their access token. */
            user_id: string;
        };
        /** SubmitSheetRequest */
        SubmitSheetRequest: {
            /** @description The PIN, 4 to 12 digits, encrypted with a key of `GET /keys/pin` by RSA-OAEP (SHA-256 for hash and MGF1), in base64 or base64url. Encrypt it again for each operation: a ciphertext authorizes only one operation. */
            pin: components["schemas"]["SealedPin"];
            /** @description The hash of the sheet that the caller was shown. */
            sheet_hash: string;
        };
        /** Transfer */
        Transfer: {
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string | null;
            /** @description ISO 4217. */
            currency: string;
            /** @description SHA-256 (hex) of the RFC 8785 form of this object without `hash`. */
            hash: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            kind: components["schemas"]["TransferKind"];
            /** @description The legs sum to zero in e-money and in cash. */
            legs: components["schemas"]["Leg"][];
            metadata?: components["schemas"]["Metadata"];
            /**
             * Format: date-time
             * @description When it was posted.
             */
            posted_at: string;
            /** @description The hash of the previous transfer; 64 zeros for the first. */
            prev_hash: string;
            /** @description The reference of the caller; for cash and distributions the reason; for a reversal the reversed transfer. */
            reference: string | null;
            /**
             * Format: int64
             * @description Counts without gaps in each association; deposits and withdrawals are counted in each wallet.
             */
            seq: number;
        };
        /**
         * TransferKind
         * @description Why money moved.
         * @enum {string}
         */
        TransferKind: "wallet_deposit" | "wallet_withdrawal" | "contribution" | "arrears_payment" | "cash_contribution" | "settlement" | "meeting_refund" | "cash_deposit" | "distribution_reserve" | "distribution_payment" | "distribution_release" | "fine_payment" | "meeting_sheet" | "reversal";
        /** UnpaidArrears */
        UnpaidArrears: {
            /** @description What is not paid yet. */
            amount: number;
            /**
             * Format: uuid
             * @description The member who is owed it.
             */
            creditor_id: string;
            /**
             * Format: uuid
             * @description The settled round.
             */
            meeting_id: string;
            /**
             * Format: uuid
             * @description The member who owes it.
             */
            member_id: string;
            /**
             * Format: date-time
             * @description When the round was settled.
             */
            since: string;
        };
        /** Vote */
        Vote: {
            decision: components["schemas"]["VoteDecision"];
            /**
             * Format: uuid
             * @description The member who voted.
             */
            member_id: string;
            /**
             * Format: date-time
             * @description When they voted.
             */
            voted_at: string;
        };
        /**
         * VoteDecision
         * @description Their vote.
         * @enum {string}
         */
        VoteDecision: "approve" | "reject";
        /** WaitingApproval */
        WaitingApproval: {
            /**
             * Format: date-time
             * @description When it expires.
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /**
             * Format: uuid
             * @description The member who requested it; they may not vote.
             */
            requested_by_member_id: string;
            /**
             * Format: uuid
             * @description The cash deposit, distribution, correction, meeting sheet or proposal.
             */
            subject_id: string;
            subject_type: components["schemas"]["WaitingApprovalSubjectType"];
        };
        /**
         * WaitingApprovalSubjectType
         * @description What the board decides on.
         * @enum {string}
         */
        WaitingApprovalSubjectType: "cash_deposit" | "distribution" | "meeting_sheet" | "correction" | "role_change" | "rules_change" | "expulsion" | "closure" | "motion" | "fine_waiver";
        /** Wallet */
        Wallet: {
            /** @description The balance. */
            balance: number;
            /**
             * Format: date-time
             * @description When it was opened.
             */
            created_at: string;
            /** @description ISO 4217. */
            currency: string;
            /** @description The id of the wallet. */
            id: string;
            /** @description The user who owns it. */
            user_id: string;
        };
        /** Webhook */
        Webhook: {
            /**
             * Format: uuid
             * @description The association; null for an endpoint of all associations.
             */
            association_id: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description What the endpoint is for. */
            description: string | null;
            /**
             * Format: date-time
             * @description When it was disabled; null while it is enabled.
             */
            disabled_at: string | null;
            /** @description `request`: by a PATCH. `gone`: it has answered 410. `failing`: it had nothing but failures for 5 days. Null while enabled. */
            disabled_reason: components["schemas"]["WebhookDisabledReason"] | null;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            status: components["schemas"]["WebhookStatus"];
            /** @description The types of events that are sent; `*` is all types, also those of later releases. */
            types: components["schemas"]["WebhookType"][];
            /** @description Where events are sent: `https`, and a host with public addresses only. No user name, password or fragment. */
            url: string;
        };
        /** WebhookAttempt */
        WebhookAttempt: {
            /**
             * Format: date-time
             * @description When the request began.
             */
            at: string;
            /**
             * Format: int64
             * @description How long the request took.
             */
            duration_ms: number;
            /** @description Why there was no answer; null if there was one. */
            error: components["schemas"]["WebhookAttemptError"] | null;
            /** @description The HTTP status of the answer; null if there was none. */
            status_code: number | null;
        };
        /**
         * WebhookAttemptError
         * @description Why there was no answer; null if there was one.
         * @enum {string}
         */
        WebhookAttemptError: "timeout" | "address_not_allowed" | "dns_failed" | "connection_refused" | "connection_reset" | "host_unreachable" | "tls_failed" | "connection_failed" | "endpoint_disabled";
        /** WebhookDelivery */
        WebhookDelivery: {
            /** @description The latest 20 attempts, the oldest first. */
            attempts: components["schemas"]["WebhookAttempt"][];
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: uuid
             * @description The event, and the header `webhook-id` of each attempt.
             */
            event_id: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /**
             * Format: date-time
             * @description When it is sent next; null if it is not.
             */
            next_attempt_at: string | null;
            /**
             * Format: uuid
             * @description The replay that made it; null if the event did.
             */
            replay_id: string | null;
            status: components["schemas"]["WebhookDeliveryStatus"];
            /** @description The type of the event. */
            type: string;
            /**
             * Format: uuid
             * @description The endpoint.
             */
            webhook_id: string;
        };
        /**
         * WebhookDeliveryStatus
         * @description `pending`: it is sent, or will be sent again. `delivered`: an attempt was answered with 2xx. `failed`: it is given up.
         * @enum {string}
         */
        WebhookDeliveryStatus: "pending" | "delivered" | "failed";
        /**
         * WebhookDisabledReason
         * @description `request`: by a PATCH. `gone`: it has answered 410. `failing`: it had nothing but failures for 5 days. Null while enabled.
         * @enum {string}
         */
        WebhookDisabledReason: "request" | "gone" | "failing";
        /** WebhookReplay */
        WebhookReplay: {
            /**
             * Format: date-time
             * @description When it began.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description The earliest time of the events.
             */
            from: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /**
             * Format: date-time
             * @description Their times are before this one.
             */
            to: string;
            /**
             * Format: uuid
             * @description The endpoint.
             */
            webhook_id: string;
        };
        /**
         * WebhookStatus
         * @description Nothing is sent to a `disabled` endpoint.
         * @enum {string}
         */
        WebhookStatus: "enabled" | "disabled";
        /**
         * WebhookType
         * @enum {string}
         */
        WebhookType: "*" | "association.created" | "association.updated" | "member.joined" | "member.left" | "association.closed" | "member.expelled" | "rules.changed" | "member.role_changed" | "pin.changed" | "cycle.started" | "cycle.completed" | "meeting.scheduled" | "meeting.rescheduled" | "meeting.cancelled" | "meeting.settled" | "contribution.paid" | "contribution.failed" | "attendance.recorded" | "fine.assessed" | "fine.paid" | "fine.waived" | "sheet.submitted" | "sheet.confirmed" | "sheet.rejected" | "cash.recorded" | "cash.confirmed" | "cash.rejected" | "distribution.requested" | "distribution.paid" | "distribution.rejected" | "distribution.failed" | "approval.requested" | "approval.voted" | "approval.approved" | "approval.rejected" | "approval.expired" | "approval.cancelled" | "transfer.posted" | "transfer.reversed";
        /** WithdrawRequest */
        WithdrawRequest: {
            /** @description In the major unit of the wallet's currency. */
            amount: number;
            metadata?: components["schemas"]["Metadata"];
            /** @description A repeat with the same reference returns the same transfer; with a different amount it is refused. */
            reference: string;
        };
    };
    responses: {
        /** @description A problem. */
        Fault: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPublicAssociations: {
        parameters: {
            query?: {
                /** @description Only with this frequency. */
                contribution_frequency?: components["schemas"]["ListPublicAssociationsContributionFrequency"];
                /** @description Only in this currency. */
                currency?: string;
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
                /** @description Words, or parts of words, in the name or description. Letter case and accents are ignored. */
                q?: string;
                /** @description Only of this type. */
                type?: components["schemas"]["ListPublicAssociationsType"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPublicAssociationsAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    createAssociation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAssociationRequest"];
            };
        };
        responses: {
            /** @description Created. `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Association"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getAssociation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Association"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    changeAssociation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeAssociationRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Association"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    listArrears: {
        parameters: {
            query?: {
                /** @description Only what this member is owed. */
                creditor_id?: string;
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
                /** @description Only what this member owes. */
                member_id?: string;
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListArrearsAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    balances: {
        parameters: {
            query?: {
                /** @description The instant. The default is now, which an instant in the future means too. */
                at?: string;
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Balances"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    recordCashContribution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecordCashContributionRequest"];
            };
        };
        responses: {
            /** @description Created. `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CashDeposit"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    listCashContributions: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
                /** @description Only cash that this member paid. */
                member_id?: string;
                /** @description Only with this status. */
                status?: components["schemas"]["ListCashContributionsStatus"];
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListCashContributionsAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getCashContribution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The cash that was recorded. */
                cash_contribution_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CashDeposit"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    cashLedger: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CashLedgerAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    listCorrections: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListCorrectionsAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    requestCorrection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestCorrectionRequest"];
            };
        };
        responses: {
            /** @description Created. `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Correction"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getCorrection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The correction. */
                correction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Correction"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    listCycles: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListCyclesAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    startCycle: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartCycleRequest"];
            };
        };
        responses: {
            /** @description Created. `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cycle"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getCycle: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The cycle. */
                cycle_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cycle"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    listDistributions: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
                /** @description Only with this status. */
                status?: components["schemas"]["ListDistributionsStatus"];
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListDistributionsAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    requestDistribution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestDistributionRequest"];
            };
        };
        responses: {
            /** @description Created. `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Distribution"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getDistribution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The distribution. */
                distribution_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Distribution"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    listFines: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
                /** @description Only for this meeting. */
                meeting_id?: string;
                /** @description Only of this member. */
                member_id?: string;
                /** @description Only with this status. */
                status?: components["schemas"]["ListFinesStatus"];
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListFinesAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    assessFine: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AssessFineRequest"];
            };
        };
        responses: {
            /** @description Created. `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fine"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getFine: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The fine. */
                fine_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fine"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    payFine: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The fine. */
                fine_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PayFineRequest"];
            };
        };
        responses: {
            /** @description Created. `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaidFine"];
                };
            };
            /** @description Accepted. The outcome is not known yet: read it at `Location`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaidFine"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    listApprovals: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
                /** @description Only with this status. */
                status?: components["schemas"]["ListApprovalsStatus"];
                /** @description Only for subjects of this type. */
                subject_type?: components["schemas"]["ListApprovalsSubjectType"];
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListApprovalsAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The approval. */
                approval_id: string;
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    cancelApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The approval. */
                approval_id: string;
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    approve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApproveRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    propose: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProposeRequest"];
            };
        };
        responses: {
            /** @description Created. `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proposal"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    reject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RejectRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListInvitationsAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreateInvitationRequest"];
            };
        };
        responses: {
            /** @description Created. `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewInvitation"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The invitation. */
                invitation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    withdrawInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The invitation. */
                invitation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Fault"];
        };
    };
    join: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["JoinRequest"];
            };
        };
        responses: {
            /** @description Created. `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    ledger: {
        parameters: {
            query?: {
                /** @description Only transfers with a leg of this account, named as in legs. */
                account?: string;
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description Only transfers that were posted on or after this day in the time zone of the association, or at or after this instant. */
                from?: string;
                /** @description Only transfers of this kind. */
                kind?: components["schemas"]["LedgerKind"];
                /** @description The maximum number of items in the page. */
                limit?: number;
                /** @description Only transfers in which this member paid or was paid, as on their statement. */
                member_id?: string;
                /** @description Only transfers that were posted on or before this day in the time zone of the association, or at or before this instant. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    ledgerExport: {
        parameters: {
            query?: {
                /** @description Only transfers after this one, to continue an export. */
                after_seq?: number;
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    ledgerHead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerHead"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    listMeetings: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description Only of this cycle. */
                cycle_id?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
                /** @description Only with this status. */
                status?: components["schemas"]["ListMeetingsStatus"];
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListMeetingsAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    scheduleMeeting: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ScheduleMeetingRequest"];
            };
        };
        responses: {
            /** @description Created. `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Meeting"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getMeeting: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The meeting. */
                meeting_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Meeting"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    changeMeeting: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The meeting. */
                meeting_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeMeetingRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Meeting"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getAttendance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The meeting. */
                meeting_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attendance"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    recordAttendance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The meeting. */
                meeting_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecordAttendanceRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attendance"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    cancelMeeting: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The meeting. */
                meeting_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Meeting"];
                };
            };
            /** @description Accepted. The outcome is not known yet: read it at `Location`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Meeting"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    contribute: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The meeting. */
                meeting_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContributeRequest"];
            };
        };
        responses: {
            /** @description Created. `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contribution"];
                };
            };
            /** @description Accepted. The outcome is not known yet: read it at `Location`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contribution"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    listContributions: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The meeting. */
                meeting_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListContributionsAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getContribution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The contribution. */
                contribution_id: string;
                /** @description The meeting. */
                meeting_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contribution"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    listDues: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
                /** @description Only of this member. */
                member_id?: string;
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The meeting. */
                meeting_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListDuesAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    settle: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The meeting. */
                meeting_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SettleRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settlement"];
                };
            };
            /** @description Accepted. The outcome is not known yet: read it at `Location`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settlement"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getSettlement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The meeting. */
                meeting_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settlement"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    previewSettlement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The meeting. */
                meeting_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettlementPreview"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    printSheet: {
        parameters: {
            query?: {
                /** @description The sheet whose minutes are printed, also if it is not confirmed. */
                sheet_id?: string;
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The meeting. */
                meeting_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": string;
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    listSheets: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The meeting. */
                meeting_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListSheetsAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getSheet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The meeting. */
                meeting_id: string;
                /** @description The sheet. */
                sheet_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sheet"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    putSheet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The meeting. */
                meeting_id: string;
                /** @description The sheet. */
                sheet_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutSheetRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sheet"];
                };
            };
            /** @description Created. `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sheet"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    submitSheet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The meeting. */
                meeting_id: string;
                /** @description The sheet. */
                sheet_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubmitSheetRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sheet"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
                /** @description Only with this role. */
                role?: components["schemas"]["ListMembersRole"];
                /** @description Only with this status. */
                status?: components["schemas"]["ListMembersStatus"];
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListMembersAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getOwnMembership: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    leave: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Fault"];
        };
    };
    changeOwnMembership: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeOwnMembershipRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    statement: {
        parameters: {
            query?: {
                /** @description The first day, not in the future. The default is the beginning. */
                from?: string;
                /** @description The member whose statement it is. The default is the caller. */
                member_id?: string;
                /** @description The last day. The default is now. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Statement"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWebhooksAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookRequest"];
            };
        };
        responses: {
            /** @description Created. `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Fault"];
        };
    };
    changeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeWebhookRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
                /** @description Only deliveries with this status. */
                status?: components["schemas"]["ListWebhookDeliveriesStatus"];
            };
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWebhookDeliveriesAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    retryWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The delivery. */
                delivery_id: string;
                /** @description The endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    pingWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    replayWebhookEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayWebhookEventsRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The association. */
                association_id: string;
                /** @description The endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhookSecret"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    myAssociations: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MyAssociationsAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    previewInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The code of the invitation. */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationPreview"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The code of the invitation. */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AcceptInvitationRequest"];
            };
        };
        responses: {
            /** @description Created. `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    pinKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PinKeySet"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getPreferences: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPreferences"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    changePreferences: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePreferencesRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPreferences"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    confirmAddress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmAddressRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPreferences"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    listSent: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListSentAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    overview: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    pinState: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PinState"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    setPin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetPinRequest"];
            };
        };
        responses: {
            /** @description Success, without a body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Fault"];
        };
    };
    resetPin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user: the `sub` of their access token. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Fault"];
        };
    };
    openOwnWallet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenOwnWalletRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wallet"];
                };
            };
            /** @description Created. `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wallet"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getWallet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The wallet. */
                wallet_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wallet"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    deposit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The wallet. */
                wallet_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DepositRequest"];
            };
        };
        responses: {
            /** @description Created. `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transfer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    listWalletTransfers: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description Only transfers that were posted on or after this day in UTC, or at or after this instant. */
                from?: string;
                /** @description Only transfers of this kind. */
                kind?: components["schemas"]["ListWalletTransfersKind"];
                /** @description The maximum number of items in the page. */
                limit?: number;
                /** @description Only transfers that were posted on or before this day in UTC, or at or before this instant. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description The wallet. */
                wallet_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWalletTransfersAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getWalletTransfer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The transfer in the ledger. */
                transfer_id: string;
                /** @description The wallet. */
                wallet_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transfer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    withdraw: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The wallet. */
                wallet_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WithdrawRequest"];
            };
        };
        responses: {
            /** @description Created. `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transfer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    myWallets: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MyWalletsAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    listGlobalWebhooks: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListGlobalWebhooksAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    createGlobalWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateGlobalWebhookRequest"];
            };
        };
        responses: {
            /** @description Created. `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    getGlobalWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    deleteGlobalWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Fault"];
        };
    };
    changeGlobalWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeGlobalWebhookRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    listGlobalWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page, with the same filters. */
                cursor?: string;
                /** @description The maximum number of items in the page. */
                limit?: number;
                /** @description Only deliveries with this status. */
                status?: components["schemas"]["ListGlobalWebhookDeliveriesStatus"];
            };
            header?: never;
            path: {
                /** @description The endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListGlobalWebhookDeliveriesAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    retryGlobalWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The delivery. */
                delivery_id: string;
                /** @description The endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    pingGlobalWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    replayGlobalWebhookEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayGlobalWebhookEventsRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    rotateGlobalWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhookSecret"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
}
