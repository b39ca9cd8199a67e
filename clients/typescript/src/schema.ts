/** Made from the OpenAPI document by `npm run client:generate`: not to be edited. */

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
         * @description Active public associations, the newest first.
         */
        get: operations["listPublicAssociations"];
        put?: never;
        /**
         * Found an association
         * @description The caller becomes its president, and gets a wallet in its currency if he has none. Type, currency and frequency are fixed for ever; the other rules change by proposal.
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
         * @description A private one, to its members; a public one, to everybody.
         */
        get: operations["getAssociation"];
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
         * @description Show what the association holds.
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
         * Record cash that a member handed over
         * @description The pin is the recorder's. It counts once the board has approved it: for the treasury or, with `meeting_id`, as a contribution to that meeting. Then it takes the member's due at once, and until it is decided the meeting can neither be settled nor cancelled. What becomes of it is its approval's outcome, to which `Location` leads.
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
    "/associations/{association_id}/cash-ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what went into and out of the cash box
         * @description The newest first.
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
    "/associations/{association_id}/cycles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List cycles
         * @description The newest first.
         *
         *     Every member may call it.
         */
        get: operations["listCycles"];
        put?: never;
        /**
         * Start a cycle
         * @description Pins the members, their hands, the amount and the rules, and makes every meeting, one round each. Round n is due n−1 periods after `starts_on`, counted from that day and clamped to the month's end. A tontine takes `order`, and for `manual` also `member_order`; its rounds follow from its hands. Savings take `rounds` and no order. A cycle cannot be withdrawn, so a draw cannot be repeated.
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
         * @description From a draw's `seed` and the members anyone can recompute the order: `npm run verify -- draw <file>`.
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
         * @description The newest first.
         *
         *     Every member may call it.
         */
        get: operations["listDistributions"];
        put?: never;
        /**
         * Ask for a distribution from the treasury to a member
         * @description The funds are reserved at once. The board decides; then it is paid, or the reserve is released.
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
    "/associations/{association_id}/governance/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List approvals
         * @description The newest first.
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
         * Cancel one's own request
         * @description Whatever role its requester has by now.
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
         * @description The answer to the deciding vote waits a moment for the execution, and may say `pending`. Send the `payload_hash` that the voter has seen, computed from the `payload` shown to him, and he approves that and nothing else.
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
         * @description Of a role, of the rules (from the next cycle on; `shortfall` at once), an expulsion, the closure, or a motion. The board votes on it. While the board is one person, asking is approving: it is executed before the answer.
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
         * @description It is rejected as soon as the required number of approvals cannot be reached.
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
        get?: never;
        put?: never;
        /**
         * Invite people
         * @description The code is shown in this answer only.
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
         * @description Without its code. Also one that is spent or has expired.
         *
         *     Roles: president, secretary.
         */
        get: operations["getInvitation"];
        put?: never;
        post?: never;
        delete?: never;
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
         * @description Opens a wallet in its currency if the caller has none: the default for his payouts. Who joins during a cycle is in from the next. Rejoining reactivates the same member.
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
         * @description The newest first.
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
         * Export the chain
         * @description Every transfer, the oldest first, one JSON object a line, streamed. Whoever holds it can verify it without the server: each `hash` is the SHA-256 of the RFC 8785 form of its transfer without `hash`, and each `prev_hash` is the hash of the line before. A connection that breaks off means that the file is not whole.
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
         * Show the chain's head
         * @description Write it down, and nobody can change the past without your noticing.
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
         * @description The rounds of a cycle in their order.
         *
         *     Every member may call it.
         */
        get: operations["listMeetings"];
        put?: never;
        /**
         * Schedule a meeting outside a cycle
         * @description In an association of any type. What comes in goes to the treasury when it is settled; nothing is due.
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
         * @description What is not given stays as it is. A round stays between its neighbours.
         *
         *     Roles: president, secretary.
         */
        patch: operations["changeMeeting"];
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
         * @description Gives every contribution back, in one transfer: wallet money into the wallets that it came from, cash as cash. 202 while the outcome is not known yet: it is cancelled, or open again, by itself.
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
         * @description From one of the caller's own wallets, for himself or for another member. In a cycle at most what is outstanding; in parts and in advance as he likes. Outside a cycle without a limit. To a settled round: up to the arrears, straight to whom they are owed. 202 while the outcome is not known yet: the contribution becomes `paid` or `failed` by itself, never both, and money moves once.
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
         * @description The newest first. One that was refused at once is not listed.
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
         * @description In the order in which they joined. For a meeting outside a cycle nothing is due, and who has paid is listed.
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
         * @description Closes the meeting and pays out what came in, in one transfer. Rounds settle in order; before its day a round settles only when all is paid. It waits a moment for contributions in flight. 202 while the outcome is not known yet: it is settled, or open again, by itself. Send the `preview_hash` of the preview that was shown, and it settles that and nothing else.
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
         * @description Computed as settling would; with its `preview_hash` settling does that and nothing else.
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
    "/associations/{association_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members with their roles
         * @description In the order in which they joined. Former members are listed too.
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
         * Show one's own membership
         * @description Show one's own membership.
         *
         *     Every member may call it.
         */
        get: operations["getOwnMembership"];
        put?: never;
        post?: never;
        /**
         * Leave an association
         * @description For who owes it nothing and awaits nothing from it. His statement stays readable to him.
         *
         *     Every member may call it.
         */
        delete: operations["leave"];
        options?: never;
        head?: never;
        /**
         * Change one's own name, hands or payout wallet
         * @description At least one of them. `hands` only while no cycle runs; the wallet needs the `pin`.
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
         * @description The caller's own unless `member_id` names another, which takes a board role. As JSON, as CSV, or as a PDF to print, by `Accept`, the PDF and the header of the CSV in English or French, by `Accept-Language`. Beside the balance stand the arrears, which the ledger does not know: what the member owes and is owed from settled rounds. A member who has left still reads their own. At most 10 000 movements: ask for a shorter period otherwise.
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
    "/associations/my": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's associations
         * @description Those of which the caller is an active member, the newest membership first.
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
         * @description Also the only way back for a member who was expelled. A spent or expired code is not found.
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
         * @description A JWK Set (RFC 7517), the newest key first: use that one. Needs no token.
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
    "/me/pin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set or change one's PIN
         * @description `current_pin` is required once a PIN is set; a wrong one counts like any other wrong PIN. Here the ciphertext is part of what an `Idempotency-Key` stands for: another one under the same key is `idempotency_key_reused`.
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
         * @description For operators who have made sure whom they talk to. It is done also if he has none.
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
         * Open one's wallet in a currency
         * @description A user has one wallet in each currency: 200 gives the one that there is.
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
         * Show one of one's wallets
         * @description Show one of one's wallets.
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
         * Put e-money into a wallet
         * @description For the payment provider through which e-money enters: any wallet, whosever it is.
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
    "/wallets/{wallet_id}/transfers/{transfer_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a transfer that moved a wallet
         * @description To the wallet's owner and to the scope `wallets:fund`: a deposit or withdrawal, or one of an association.
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
         * Take e-money out of a wallet
         * @description For the payment provider through which e-money leaves: any wallet, whosever it is.
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
         * List one's wallets
         * @description List one's wallets.
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** AcceptInvitationRequest */
        AcceptInvitationRequest: {
            /**
             * @description Shares in the rotation: each owes the contribution and has one turn.
             * @default 1
             */
            hands?: number;
        };
        /** Approval */
        Approval: components["schemas"]["CashDepositApproval"] | components["schemas"]["DistributionApproval"] | components["schemas"]["RoleChangeApproval"] | components["schemas"]["RulesChangeApproval"] | components["schemas"]["ExpulsionApproval"] | components["schemas"]["ClosureApproval"] | components["schemas"]["MotionApproval"];
        /** ApprovalRules */
        ApprovalRules: {
            /** @description How many approvals a request of the kind `cash_deposit` takes, but never more than there are people who may give them. */
            cash_deposit: number;
            /** @description How many approvals a request of the kind `closure` takes, but never more than there are people who may give them. */
            closure: number;
            /** @description How many approvals a request of the kind `distribution` takes, but never more than there are people who may give them. */
            distribution: number;
            /** @description How many approvals a request of the kind `expulsion` takes, but never more than there are people who may give them. */
            expulsion: number;
            /** @description How many approvals a request of the kind `motion` takes, but never more than there are people who may give them. */
            motion: number;
            /** @description How many approvals a request of the kind `role_change` takes, but never more than there are people who may give them. */
            role_change: number;
            /** @description How many approvals a request of the kind `rules_change` takes, but never more than there are people who may give them. */
            rules_change: number;
        };
        /** ApprovalRulesChange */
        ApprovalRulesChange: {
            /** @description How many approvals a request of the kind `cash_deposit` takes, but never more than there are people who may give them. */
            cash_deposit?: number;
            /** @description How many approvals a request of the kind `closure` takes, but never more than there are people who may give them. */
            closure?: number;
            /** @description How many approvals a request of the kind `distribution` takes, but never more than there are people who may give them. */
            distribution?: number;
            /** @description How many approvals a request of the kind `expulsion` takes, but never more than there are people who may give them. */
            expulsion?: number;
            /** @description How many approvals a request of the kind `motion` takes, but never more than there are people who may give them. */
            motion?: number;
            /** @description How many approvals a request of the kind `role_change` takes, but never more than there are people who may give them. */
            role_change?: number;
            /** @description How many approvals a request of the kind `rules_change` takes, but never more than there are people who may give them. */
            rules_change?: number;
        };
        /** ApprovalRulesChangeInput */
        ApprovalRulesChangeInput: {
            /** @description How many approvals a request of the kind `cash_deposit` takes, but never more than there are people who may give them. */
            cash_deposit?: number;
            /** @description How many approvals a request of the kind `closure` takes, but never more than there are people who may give them. */
            closure?: number;
            /** @description How many approvals a request of the kind `distribution` takes, but never more than there are people who may give them. */
            distribution?: number;
            /** @description How many approvals a request of the kind `expulsion` takes, but never more than there are people who may give them. */
            expulsion?: number;
            /** @description How many approvals a request of the kind `motion` takes, but never more than there are people who may give them. */
            motion?: number;
            /** @description How many approvals a request of the kind `role_change` takes, but never more than there are people who may give them. */
            role_change?: number;
            /** @description How many approvals a request of the kind `rules_change` takes, but never more than there are people who may give them. */
            rules_change?: number;
        };
        /** ApprovalRulesInput */
        ApprovalRulesInput: {
            /**
             * @description How many approvals a request of the kind `cash_deposit` takes, but never more than there are people who may give them.
             * @default 1
             */
            cash_deposit?: number;
            /**
             * @description How many approvals a request of the kind `closure` takes, but never more than there are people who may give them.
             * @default 2
             */
            closure?: number;
            /**
             * @description How many approvals a request of the kind `distribution` takes, but never more than there are people who may give them.
             * @default 2
             */
            distribution?: number;
            /**
             * @description How many approvals a request of the kind `expulsion` takes, but never more than there are people who may give them.
             * @default 2
             */
            expulsion?: number;
            /**
             * @description How many approvals a request of the kind `motion` takes, but never more than there are people who may give them.
             * @default 1
             */
            motion?: number;
            /**
             * @description How many approvals a request of the kind `role_change` takes, but never more than there are people who may give them.
             * @default 1
             */
            role_change?: number;
            /**
             * @description How many approvals a request of the kind `rules_change` takes, but never more than there are people who may give them.
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
            /** @description Of the payload that the voter has seen. */
            payload_hash?: string;
            /** @description The PIN, 4 to 12 digits, encrypted to a key of `GET /keys/pin` with RSA-OAEP (SHA-256 for hash and MGF1), in base64 or base64url. Encrypt it afresh for each operation: a ciphertext authorises one. */
            pin: components["schemas"]["SealedPin"];
        };
        /** Arrear */
        Arrear: {
            /** @description How much. */
            amount: number;
            /**
             * Format: uuid
             * @description Who owes.
             */
            member_id: string;
            /** @description In rotation order: that is how they are paid off. */
            owed_to: components["schemas"]["Claim"][];
        };
        /** Association */
        Association: {
            /** @description What each hand owes at each meeting. */
            contribution_amount: number;
            contribution_frequency: components["schemas"]["AssociationContributionFrequency"];
            /**
             * Format: date-time
             * @description When it was founded.
             */
            created_at: string;
            /** @description ISO 4217; amounts are in its major unit. */
            currency: string;
            /** @description Free text. */
            description: string | null;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /** @description Whether it stands in the public directory, and anyone may join. */
            is_public: boolean;
            /** @description How many members there may be at most. */
            max_members: number;
            /** @description Active members. */
            member_count: number;
            /** @description The caller's own membership; absent for non-members. */
            membership?: components["schemas"]["MembershipSummary"];
            /** @description Trimmed. */
            name: string;
            rules: components["schemas"]["Rules"];
            /**
             * Format: int64
             * @description Goes up with each change of the rules.
             */
            rules_version: number;
            status: components["schemas"]["AssociationStatus"];
            type: components["schemas"]["AssociationType"];
        };
        /**
         * AssociationContributionFrequency
         * @description How often contributions fall due.
         * @enum {string}
         */
        AssociationContributionFrequency: "daily" | "weekly" | "biweekly" | "monthly" | "quarterly" | "yearly";
        /**
         * AssociationStatus
         * @description A closed association takes no changes.
         * @enum {string}
         */
        AssociationStatus: "active" | "closed";
        /**
         * AssociationType
         * @description `tontine`: a rotating pot. `savings`: paid in over a cycle and returned at its end. `solidarity`: a mutual-aid fund, which leaves by approved distributions.
         * @enum {string}
         */
        AssociationType: "tontine" | "savings" | "solidarity";
        /** Balances */
        Balances: {
            /** @description What a distribution could be paid from: the treasury without savings. */
            available: number;
            /** @description All that the cash box holds. */
            cash: number;
            /** @description ISO 4217. */
            currency: string;
            /** @description What has come in for meetings that are not settled. */
            pools: components["schemas"]["PoolBalance"][];
            /** @description Reserved for distributions that are not decided, both monies together. */
            reserved: number;
            /** @description The treasury, both monies together. */
            treasury: number;
        };
        /** Beneficiary */
        Beneficiary: {
            /** @description With how many hands. */
            hands: number;
            /**
             * Format: uuid
             * @description Whose turn it is.
             */
            member_id: string;
        };
        /** CashDeposit */
        CashDeposit: {
            /** @description How much. */
            amount: number;
            /**
             * Format: uuid
             * @description The approval by which the board decides.
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
             * @description The meeting for which it is a contribution; null: it is for the treasury.
             */
            meeting_id: string | null;
            /**
             * Format: uuid
             * @description Who handed the cash over.
             */
            member_id: string;
            /** @description For the board and the ledger. */
            reason: string;
            /**
             * Format: date-time
             * @description When.
             */
            recorded_at: string;
            /**
             * Format: uuid
             * @description Who recorded it.
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
            /** @description What became of the decision: a fact of its own. */
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
             * @description Who asked for it; he has no vote.
             */
            requested_by_member_id: string;
            /** @description How many votes for it take it through: fixed when it was asked for. 0: the board is one person, and asking was approving. */
            required_approvals: number;
            status: components["schemas"]["CashDepositApprovalStatus"];
            /**
             * Format: uuid
             * @description The cash deposit, distribution or proposal.
             */
            subject_id: string;
            /**
             * @description What it is about, and what `payload` holds. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            subject_type: "cash_deposit";
            /** @description A vote counts only while its voter holds a board role. */
            votes: components["schemas"]["Vote"][];
        };
        /**
         * CashDepositApprovalStatus
         * @description How it ended, once it has.
         * @enum {string}
         */
        CashDepositApprovalStatus: "pending" | "approved" | "rejected" | "expired" | "cancelled";
        /** CashDepositPayload */
        CashDepositPayload: {
            /** @description How much. */
            amount: number;
            /** @description ISO 4217. */
            currency: string;
            /**
             * Format: uuid
             * @description The meeting that it is for.
             */
            meeting_id?: string;
            /**
             * Format: uuid
             * @description Who handed the cash over.
             */
            member_id: string;
            /** @description As it was given. */
            reason: string;
        };
        /**
         * CashDepositStatus
         * @description `rejected` also when the approval expired or was cancelled.
         * @enum {string}
         */
        CashDepositStatus: "pending_approval" | "confirmed" | "rejected";
        /** CashLedgerAnswer */
        CashLedgerAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["CashLedgerEntry"][];
            /** @description What to ask the next page with; null on the last one. */
            next_cursor: string | null;
        };
        /** CashLedgerEntry */
        CashLedgerEntry: {
            /** @description Above zero what came into the cash box, below zero what went out. */
            amount: number;
            /** @description What the cash box held then. */
            balance_after: number;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            kind: components["schemas"]["CashLedgerEntryKind"];
            /**
             * Format: uuid
             * @description Whom it is about.
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
        CashLedgerEntryKind: "wallet_deposit" | "wallet_withdrawal" | "contribution" | "arrears_payment" | "cash_contribution" | "settlement" | "meeting_refund" | "cash_deposit" | "distribution_reserve" | "distribution_payment" | "distribution_release";
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
            /** @description How others see him. */
            display_name?: string;
            /** @description Shares in the rotation: each owes the contribution and has one turn. */
            hands?: number;
            /** @description One of the caller's own, in the association's currency. */
            payout_wallet_id?: string;
            /** @description The PIN, 4 to 12 digits, encrypted to a key of `GET /keys/pin` with RSA-OAEP (SHA-256 for hash and MGF1), in base64 or base64url. Encrypt it afresh for each operation: a ciphertext authorises one. */
            pin?: components["schemas"]["SealedPin"];
        };
        /** Claim */
        Claim: {
            /** @description How much of it. */
            amount: number;
            /**
             * Format: uuid
             * @description To whom.
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
            /** @description What became of the decision: a fact of its own. */
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
             * @description Who asked for it; he has no vote.
             */
            requested_by_member_id: string;
            /** @description How many votes for it take it through: fixed when it was asked for. 0: the board is one person, and asking was approving. */
            required_approvals: number;
            status: components["schemas"]["ClosureApprovalStatus"];
            /**
             * Format: uuid
             * @description The cash deposit, distribution or proposal.
             */
            subject_id: string;
            /**
             * @description What it is about, and what `payload` holds. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            subject_type: "closure";
            /** @description A vote counts only while its voter holds a board role. */
            votes: components["schemas"]["Vote"][];
        };
        /**
         * ClosureApprovalStatus
         * @description How it ended, once it has.
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
             * @description What it is about, and what `payload` holds. (enum property replaced by openapi-typescript)
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
             * @description What it is about, and what `payload` holds. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "closure";
        };
        /** ContributeRequest */
        ContributeRequest: {
            /** @description How much. */
            amount: number;
            /**
             * Format: uuid
             * @description Whose due it pays; the caller's own if absent.
             */
            for_member_id?: string;
            /** @description The PIN, 4 to 12 digits, encrypted to a key of `GET /keys/pin` with RSA-OAEP (SHA-256 for hash and MGF1), in base64 or base64url. Encrypt it afresh for each operation: a ciphertext authorises one. */
            pin: components["schemas"]["SealedPin"];
            /** @description One of the caller's own. */
            wallet_id: string;
        };
        /** Contribution */
        Contribution: {
            /** @description How much. */
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
             * @description Whose due it pays.
             */
            member_id: string;
            method: components["schemas"]["ContributionMethod"];
            /** @description What the member still owes for this meeting once this contribution counts; of a settled one, his arrears. */
            outstanding: number;
            /**
             * Format: date-time
             * @description When it was paid.
             */
            paid_at: string | null;
            /**
             * Format: uuid
             * @description Who paid.
             */
            paid_by_member_id: string;
            status: components["schemas"]["ContributionStatus"];
            /**
             * Format: uuid
             * @description The ledger's transfer, once it is paid.
             */
            transfer_id: string | null;
            /** @description From which wallet; null for cash. */
            wallet_id: string | null;
        };
        /**
         * ContributionMethod
         * @description E-money or cash.
         * @enum {string}
         */
        ContributionMethod: "wallet" | "cash";
        /**
         * ContributionStatus
         * @description `pending` while the outcome is not known yet, or cash is not approved yet.
         * @enum {string}
         */
        ContributionStatus: "pending" | "paid" | "failed";
        /** CreateAssociationRequest */
        CreateAssociationRequest: {
            /** @description What each hand owes at each meeting. */
            contribution_amount: number;
            contribution_frequency: components["schemas"]["CreateAssociationRequestContributionFrequency"];
            /** @description ISO 4217, of a currency that has minor units. */
            currency: string;
            /** @description Free text. */
            description?: string;
            /**
             * @description Shares in the rotation: each owes the contribution and has one turn.
             * @default 1
             */
            hands?: number;
            /**
             * @description Whether it stands in the public directory, and anyone may join.
             * @default false
             */
            is_public?: boolean;
            /**
             * @description How many members there may be at most.
             * @default 100
             */
            max_members?: number;
            /** @description Trimmed. */
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
             *         "motion": 1
             *       },
             *       "approval_expires_in_hours": 336
             *     }
             */
            rules?: components["schemas"]["RulesInput"];
            type: components["schemas"]["CreateAssociationRequestType"];
        };
        /**
         * CreateAssociationRequestContributionFrequency
         * @description How often contributions fall due.
         * @enum {string}
         */
        CreateAssociationRequestContributionFrequency: "daily" | "weekly" | "biweekly" | "monthly" | "quarterly" | "yearly";
        /**
         * CreateAssociationRequestType
         * @description `tontine`: a rotating pot. `savings`: paid in over a cycle and returned at its end. `solidarity`: a mutual-aid fund, which leaves by approved distributions.
         * @enum {string}
         */
        CreateAssociationRequestType: "tontine" | "savings" | "solidarity";
        /** CreateInvitationRequest */
        CreateInvitationRequest: {
            /**
             * @description How long it is good.
             * @default 168
             */
            expires_in_hours?: number;
            /**
             * @description How many people may join with it.
             * @default 1
             */
            max_uses?: number;
        };
        /** Cycle */
        Cycle: {
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /** @description What each hand owes at each round. */
            contribution_amount: number;
            /**
             * Format: date-time
             * @description When it was started.
             */
            created_at: string;
            /** @description The rotation; empty for savings. */
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
            /** @description How the turns were found; null for savings, which have none. */
            order: components["schemas"]["CycleOrder"] | null;
            /** @description How many meetings it has. */
            rounds: number;
            /** @description `shortfall` is judged by the association's present rules, all else by these. */
            rules: components["schemas"]["Rules"];
            /**
             * Format: int64
             * @description The version of the rules that it goes by.
             */
            rules_version: number;
            /** @description Of a draw: 256 random bits in hex, made after the members were pinned; the order follows from it. */
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
         * @description How the turns were found; null for savings, which have none.
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
            /** @description The same reference again gives the same transfer; for another amount it is refused. */
            reference: string;
        };
        /** Distribution */
        Distribution: {
            /** @description How much. */
            amount: number;
            /**
             * Format: uuid
             * @description The approval by which the board decides.
             */
            approval_id: string;
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /**
             * Format: uuid
             * @description Who is to be paid.
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
            /** @description Once paid: e-money to the payout wallet first, the rest as cash. */
            payouts: components["schemas"]["Payout"][];
            /** @description For the board and the ledger. */
            reason: string;
            /**
             * Format: date-time
             * @description When.
             */
            requested_at: string;
            /**
             * Format: uuid
             * @description Who asked for it.
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
            /** @description What became of the decision: a fact of its own. */
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
             * @description Who asked for it; he has no vote.
             */
            requested_by_member_id: string;
            /** @description How many votes for it take it through: fixed when it was asked for. 0: the board is one person, and asking was approving. */
            required_approvals: number;
            status: components["schemas"]["DistributionApprovalStatus"];
            /**
             * Format: uuid
             * @description The cash deposit, distribution or proposal.
             */
            subject_id: string;
            /**
             * @description What it is about, and what `payload` holds. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            subject_type: "distribution";
            /** @description A vote counts only while its voter holds a board role. */
            votes: components["schemas"]["Vote"][];
        };
        /**
         * DistributionApprovalStatus
         * @description How it ended, once it has.
         * @enum {string}
         */
        DistributionApprovalStatus: "pending" | "approved" | "rejected" | "expired" | "cancelled";
        /** DistributionPayload */
        DistributionPayload: {
            /** @description How much. */
            amount: number;
            /**
             * Format: uuid
             * @description Who is to be paid.
             */
            beneficiary_member_id: string;
            /** @description ISO 4217. */
            currency: string;
            /** @description As it was given. */
            reason: string;
        };
        /**
         * DistributionStatus
         * @description `rejected` also when the approval expired or was cancelled; the reserve is released unless it is paid.
         * @enum {string}
         */
        DistributionStatus: "pending_approval" | "paid" | "rejected" | "failed";
        /** Due */
        Due: {
            /** @description Of a settled meeting: what he still owes to those whose turn it was. */
            arrears: number;
            /** @description What he owes for this meeting: his hands times the amount. */
            due: number;
            /**
             * Format: uuid
             * @description Who owes.
             */
            member_id: string;
            /** @description `due` less `paid`. */
            outstanding: number;
            /** @description What was paid for it, by whomever. */
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
         * @description `none`: nothing is to be done (yet). `failed`: it can never be done, and `error` says why; the approval stays approved.
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
            /** @description What became of the decision: a fact of its own. */
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
             * @description Who asked for it; he has no vote.
             */
            requested_by_member_id: string;
            /** @description How many votes for it take it through: fixed when it was asked for. 0: the board is one person, and asking was approving. */
            required_approvals: number;
            status: components["schemas"]["ExpulsionApprovalStatus"];
            /**
             * Format: uuid
             * @description The cash deposit, distribution or proposal.
             */
            subject_id: string;
            /**
             * @description What it is about, and what `payload` holds. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            subject_type: "expulsion";
            /** @description A vote counts only while its voter holds a board role. */
            votes: components["schemas"]["Vote"][];
        };
        /**
         * ExpulsionApprovalStatus
         * @description How it ended, once it has.
         * @enum {string}
         */
        ExpulsionApprovalStatus: "pending" | "approved" | "rejected" | "expired" | "cancelled";
        /** ExpulsionPayload */
        ExpulsionPayload: {
            /**
             * Format: uuid
             * @description Who is to be expelled.
             */
            member_id: string;
        };
        /** ExpulsionPayloadInput */
        ExpulsionPayloadInput: {
            /**
             * Format: uuid
             * @description Who is to be expelled.
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
             * @description What it is about, and what `payload` holds. (enum property replaced by openapi-typescript)
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
             * @description What it is about, and what `payload` holds. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "expulsion";
        };
        /** FieldComplaint */
        FieldComplaint: {
            /** @description Which rule it breaks, for programs. */
            code: string;
            /** @description The same for people. */
            detail: string;
            /** @description A JSON Pointer (RFC 6901) into the body, or the name of a query parameter or header. */
            pointer: string;
        };
        /** Hand */
        Hand: {
            /**
             * Format: uuid
             * @description Whose hand it is.
             */
            member_id: string;
            /** @description Its place in the rotation. */
            position: number;
            /** @description The round at which it has its turn. */
            round: number;
        };
        /** Invitation */
        Invitation: {
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Until when it is good.
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /** @description How many people may join with it. */
            max_uses: number;
            /** @description How many have. */
            uses: number;
        };
        /** JoinRequest */
        JoinRequest: {
            /**
             * @description Shares in the rotation: each owes the contribution and has one turn.
             * @default 1
             */
            hands?: number;
        };
        /** LedgerAnswer */
        LedgerAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Transfer"][];
            /** @description What to ask the next page with; null on the last one. */
            next_cursor: string | null;
        };
        /** LedgerHead */
        LedgerHead: {
            /** @description Of the last transfer; 64 zeros while there is none. */
            hash: string;
            /**
             * Format: int64
             * @description Of the last transfer; 0 while there is none.
             */
            seq: number;
        };
        /** Leg */
        Leg: {
            /** @description E-money: `wallet:<id>`, `pool:<meeting>`, `treasury`, `reserved`, `funding`. Cash: `cash_pool:<meeting>`, `cash_treasury`, `cash_reserved`, `cash_funding`. */
            account: string;
            /**
             * Format: int64
             * @description Minor units; what the account gets, below zero what it gives.
             */
            amount_minor: number;
        };
        /** ListApprovalsAnswer */
        ListApprovalsAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Approval"][];
            /** @description What to ask the next page with; null on the last one. */
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
         * @description Only on subjects of this type.
         * @enum {string}
         */
        ListApprovalsSubjectType: "cash_deposit" | "distribution" | "role_change" | "rules_change" | "expulsion" | "closure" | "motion";
        /** ListContributionsAnswer */
        ListContributionsAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Contribution"][];
            /** @description What to ask the next page with; null on the last one. */
            next_cursor: string | null;
        };
        /** ListCyclesAnswer */
        ListCyclesAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Cycle"][];
            /** @description What to ask the next page with; null on the last one. */
            next_cursor: string | null;
        };
        /** ListDistributionsAnswer */
        ListDistributionsAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Distribution"][];
            /** @description What to ask the next page with; null on the last one. */
            next_cursor: string | null;
        };
        /**
         * ListDistributionsStatus
         * @description Only with this status.
         * @enum {string}
         */
        ListDistributionsStatus: "pending_approval" | "paid" | "rejected" | "failed";
        /** ListDuesAnswer */
        ListDuesAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Due"][];
            /** @description What to ask the next page with; null on the last one. */
            next_cursor: string | null;
        };
        /** ListMeetingsAnswer */
        ListMeetingsAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Meeting"][];
            /** @description What to ask the next page with; null on the last one. */
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
            /** @description What to ask the next page with; null on the last one. */
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
            /** @description What to ask the next page with; null on the last one. */
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
        /** Meeting */
        Meeting: {
            /**
             * Format: uuid
             * @description The association.
             */
            association_id: string;
            /** @description Whose turn it is, in rotation order; empty where nobody has turns. */
            beneficiaries: components["schemas"]["Beneficiary"][];
            /** @description What has come in. */
            collected_amount: number;
            /**
             * Format: uuid
             * @description Its cycle; null outside one.
             */
            cycle_id: string | null;
            /**
             * Format: date
             * @description Its day.
             */
            due_on: string;
            /** @description What all owe together; 0 outside a cycle. */
            expected_amount: number;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /** @description Counted from 1. */
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
             * @description Its day.
             */
            due_on: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /** @description Of its cycle, counted from 1; null outside one. */
            round: number | null;
            /** @description For people. */
            title: string | null;
        };
        /**
         * MeetingStatus
         * @description `settling` while it is being settled or cancelled: no contributions then.
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
            /** @description As the member writes it. */
            display_name: string | null;
            /** @description Shares in the rotation: each owes the contribution and has one turn. */
            hands: number;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /**
             * Format: date-time
             * @description When he joined, or rejoined, last.
             */
            joined_at: string;
            /** @description Where payouts go. Present for the member himself and the board only. */
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
            /** @description From which round. */
            meeting: components["schemas"]["MeetingReference"];
            /** @description What the member still owes from it. */
            owes: number;
            /**
             * Format: date-time
             * @description When the round settled.
             */
            since: string;
        };
        /**
         * MemberRole
         * @description Exactly one member is president.
         * @enum {string}
         */
        MemberRole: "president" | "treasurer" | "secretary" | "member";
        /** MembershipSummary */
        MembershipSummary: {
            /** @description Shares in the rotation: each owes the contribution and has one turn. */
            hands: number;
            /**
             * Format: date-time
             * @description When he joined, or rejoined, last.
             */
            joined_at: string;
            /**
             * Format: uuid
             * @description The caller's own member id here.
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
         * @description Former members stay listed.
         * @enum {string}
         */
        MembershipSummaryStatus: "active" | "left" | "expelled";
        /**
         * MemberStatus
         * @description Former members stay listed.
         * @enum {string}
         */
        MemberStatus: "active" | "left" | "expelled";
        /** MissingDue */
        MissingDue: {
            /**
             * Format: uuid
             * @description Who owes.
             */
            member_id: string;
            /** @description How much. */
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
            /** @description What became of the decision: a fact of its own. */
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
             * @description Who asked for it; he has no vote.
             */
            requested_by_member_id: string;
            /** @description How many votes for it take it through: fixed when it was asked for. 0: the board is one person, and asking was approving. */
            required_approvals: number;
            status: components["schemas"]["MotionApprovalStatus"];
            /**
             * Format: uuid
             * @description The cash deposit, distribution or proposal.
             */
            subject_id: string;
            /**
             * @description What it is about, and what `payload` holds. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            subject_type: "motion";
            /** @description A vote counts only while its voter holds a board role. */
            votes: components["schemas"]["Vote"][];
        };
        /**
         * MotionApprovalStatus
         * @description How it ended, once it has.
         * @enum {string}
         */
        MotionApprovalStatus: "pending" | "approved" | "rejected" | "expired" | "cancelled";
        /** MotionPayload */
        MotionPayload: {
            /** @description What is resolved. */
            text: string;
        };
        /** MotionPayloadInput */
        MotionPayloadInput: {
            /** @description What is resolved. */
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
             * @description What it is about, and what `payload` holds. (enum property replaced by openapi-typescript)
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
             * @description What it is about, and what `payload` holds. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "motion";
        };
        /** Movement */
        Movement: {
            /** @description Above zero what he paid in, below zero what he was paid. */
            amount: number;
            /** @description After this movement. */
            balance_after: number;
            /** @description The transfer's hash. */
            hash: string;
            kind: components["schemas"]["MovementKind"];
            /** @description The meeting that it is about; null where there is none. */
            meeting: components["schemas"]["MeetingReference"] | null;
            method: components["schemas"]["MovementMethod"];
            /**
             * Format: date-time
             * @description When it was posted.
             */
            posted_at: string;
            /** @description What was given with it. */
            reference: string | null;
            /**
             * Format: int64
             * @description The transfer's place in the chain.
             */
            seq: number;
            /**
             * Format: uuid
             * @description The ledger's transfer.
             */
            transfer_id: string;
        };
        /**
         * MovementKind
         * @description Why money moved.
         * @enum {string}
         */
        MovementKind: "wallet_deposit" | "wallet_withdrawal" | "contribution" | "arrears_payment" | "cash_contribution" | "settlement" | "meeting_refund" | "cash_deposit" | "distribution_reserve" | "distribution_payment" | "distribution_release";
        /**
         * MovementMethod
         * @description E-money or cash.
         * @enum {string}
         */
        MovementMethod: "wallet" | "cash";
        /** MyAssociationsAnswer */
        MyAssociationsAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Association"][];
            /** @description What to ask the next page with; null on the last one. */
            next_cursor: string | null;
        };
        /** MyWalletsAnswer */
        MyWalletsAnswer: {
            /** @description The items of this page. */
            data: components["schemas"]["Wallet"][];
            /** @description What to ask the next page with; null on the last one. */
            next_cursor: string | null;
        };
        /** NewInvitation */
        NewInvitation: {
            /** @description What the invited person gives to `POST /invitations/{code}/accept`. Shown here only. */
            code: string;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Until when it is good.
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /** @description How many people may join with it. */
            max_uses: number;
            /** @description How many have. */
            uses: number;
        };
        /** OpenOwnWalletRequest */
        OpenOwnWalletRequest: {
            /** @description ISO 4217, of a currency that has minor units. */
            currency: string;
        };
        /** Payout */
        Payout: {
            /** @description How much. */
            amount: number;
            /**
             * Format: uuid
             * @description Who is paid.
             */
            member_id: string;
            method: components["schemas"]["PayoutMethod"];
            /**
             * Format: uuid
             * @description The ledger's transfer.
             */
            transfer_id: string;
            /** @description Into which wallet; null for cash. */
            wallet_id: string | null;
        };
        /**
         * PayoutMethod
         * @description E-money or cash.
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
             * @description Seconds since 1970: ciphertexts are accepted until then.
             */
            exp: number;
            /** @description Names the key. */
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
            /** @description The newest first. */
            keys: components["schemas"]["PinKey"][];
        };
        /** PlannedPayout */
        PlannedPayout: {
            /** @description How much. */
            amount: number;
            /**
             * Format: uuid
             * @description Who is paid.
             */
            member_id: string;
            method: components["schemas"]["PlannedPayoutMethod"];
            /** @description Into which wallet; null for cash. */
            wallet_id: string | null;
        };
        /**
         * PlannedPayoutMethod
         * @description E-money or cash.
         * @enum {string}
         */
        PlannedPayoutMethod: "wallet" | "cash";
        /** PoolBalance */
        PoolBalance: {
            /** @description E-money that has come in for it. */
            amount: number;
            /** @description Cash that has come in for it. */
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
        Proposal: components["schemas"]["RoleChangeProposal"] | components["schemas"]["RulesChangeProposal"] | components["schemas"]["ExpulsionProposal"] | components["schemas"]["ClosureProposal"] | components["schemas"]["MotionProposal"];
        /** ProposeRequest */
        ProposeRequest: components["schemas"]["RoleChangeProposalInput"] | components["schemas"]["RulesChangeProposalInput"] | components["schemas"]["ExpulsionProposalInput"] | components["schemas"]["ClosureProposalInput"] | components["schemas"]["MotionProposalInput"];
        /** RecordCashContributionRequest */
        RecordCashContributionRequest: {
            /** @description How much. */
            amount: number;
            /**
             * Format: uuid
             * @description Then it is a contribution to that meeting; the treasury's otherwise.
             */
            meeting_id?: string;
            /**
             * Format: uuid
             * @description Who handed the cash over.
             */
            member_id: string;
            /** @description The PIN, 4 to 12 digits, encrypted to a key of `GET /keys/pin` with RSA-OAEP (SHA-256 for hash and MGF1), in base64 or base64url. Encrypt it afresh for each operation: a ciphertext authorises one. */
            pin: components["schemas"]["SealedPin"];
            /** @description For the board and the ledger. */
            reason: string;
        };
        /** RejectRequest */
        RejectRequest: {
            /**
             * Format: uuid
             * @description The approval.
             */
            approval_id: string;
            /** @description The PIN, 4 to 12 digits, encrypted to a key of `GET /keys/pin` with RSA-OAEP (SHA-256 for hash and MGF1), in base64 or base64url. Encrypt it afresh for each operation: a ciphertext authorises one. */
            pin: components["schemas"]["SealedPin"];
            /** @description Why; kept with the vote. */
            reason?: string;
        };
        /** RequestDistributionRequest */
        RequestDistributionRequest: {
            /** @description How much. */
            amount: number;
            /**
             * Format: uuid
             * @description Who is to be paid.
             */
            beneficiary_member_id: string;
            /** @description For the board and the ledger. */
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
            /** @description What became of the decision: a fact of its own. */
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
             * @description Who asked for it; he has no vote.
             */
            requested_by_member_id: string;
            /** @description How many votes for it take it through: fixed when it was asked for. 0: the board is one person, and asking was approving. */
            required_approvals: number;
            status: components["schemas"]["RoleChangeApprovalStatus"];
            /**
             * Format: uuid
             * @description The cash deposit, distribution or proposal.
             */
            subject_id: string;
            /**
             * @description What it is about, and what `payload` holds. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            subject_type: "role_change";
            /** @description A vote counts only while its voter holds a board role. */
            votes: components["schemas"]["Vote"][];
        };
        /**
         * RoleChangeApprovalStatus
         * @description How it ended, once it has.
         * @enum {string}
         */
        RoleChangeApprovalStatus: "pending" | "approved" | "rejected" | "expired" | "cancelled";
        /** RoleChangePayload */
        RoleChangePayload: {
            /**
             * Format: uuid
             * @description Whose role.
             */
            member_id: string;
            role: components["schemas"]["RoleChangePayloadRole"];
        };
        /** RoleChangePayloadInput */
        RoleChangePayloadInput: {
            /**
             * Format: uuid
             * @description Whose role.
             */
            member_id: string;
            role: components["schemas"]["RoleChangePayloadInputRole"];
        };
        /**
         * RoleChangePayloadInputRole
         * @description A new president makes the old one a member, in one step.
         * @enum {string}
         */
        RoleChangePayloadInputRole: "president" | "treasurer" | "secretary" | "member";
        /**
         * RoleChangePayloadRole
         * @description A new president makes the old one a member, in one step.
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
             * @description What it is about, and what `payload` holds. (enum property replaced by openapi-typescript)
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
             * @description What it is about, and what `payload` holds. (enum property replaced by openapi-typescript)
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
            /** @description How long a request waits for its votes. */
            approval_expires_in_hours: number;
            approvals: components["schemas"]["ApprovalRules"];
            /** @description How many hands have their turn at each meeting of a tontine. */
            beneficiaries_per_meeting: number;
            shortfall: components["schemas"]["RulesShortfall"];
        };
        /** RulesChange */
        RulesChange: {
            /** @description How long a request waits for its votes. */
            approval_expires_in_hours?: number;
            approvals?: components["schemas"]["ApprovalRulesChange"];
            /** @description How many hands have their turn at each meeting of a tontine. */
            beneficiaries_per_meeting?: number;
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
            /** @description What became of the decision: a fact of its own. */
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
             * @description Who asked for it; he has no vote.
             */
            requested_by_member_id: string;
            /** @description How many votes for it take it through: fixed when it was asked for. 0: the board is one person, and asking was approving. */
            required_approvals: number;
            status: components["schemas"]["RulesChangeApprovalStatus"];
            /**
             * Format: uuid
             * @description The cash deposit, distribution or proposal.
             */
            subject_id: string;
            /**
             * @description What it is about, and what `payload` holds. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            subject_type: "rules_change";
            /** @description A vote counts only while its voter holds a board role. */
            votes: components["schemas"]["Vote"][];
        };
        /**
         * RulesChangeApprovalStatus
         * @description How it ended, once it has.
         * @enum {string}
         */
        RulesChangeApprovalStatus: "pending" | "approved" | "rejected" | "expired" | "cancelled";
        /** RulesChangeInput */
        RulesChangeInput: {
            /** @description How long a request waits for its votes. */
            approval_expires_in_hours?: number;
            approvals?: components["schemas"]["ApprovalRulesChangeInput"];
            /** @description How many hands have their turn at each meeting of a tontine. */
            beneficiaries_per_meeting?: number;
            shortfall?: components["schemas"]["RulesChangeInputShortfall"];
        };
        /**
         * RulesChangeInputShortfall
         * @description What settling does while dues are missing. `block`: it is refused. `pay_collected`: what came in is paid out, and the rest becomes arrears, owed to the beneficiaries of that round.
         * @enum {string}
         */
        RulesChangeInputShortfall: "block" | "pay_collected";
        /** RulesChangePayload */
        RulesChangePayload: {
            /** @description From the next cycle on. */
            contribution_amount?: number;
            /** @description How many members there may be at most. */
            max_members?: number;
            rules?: components["schemas"]["RulesChange"];
        };
        /** RulesChangePayloadInput */
        RulesChangePayloadInput: {
            /** @description From the next cycle on. */
            contribution_amount?: number;
            /** @description How many members there may be at most. */
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
             * @description What it is about, and what `payload` holds. (enum property replaced by openapi-typescript)
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
             * @description What it is about, and what `payload` holds. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "rules_change";
        };
        /**
         * RulesChangeShortfall
         * @description What settling does while dues are missing. `block`: it is refused. `pay_collected`: what came in is paid out, and the rest becomes arrears, owed to the beneficiaries of that round.
         * @enum {string}
         */
        RulesChangeShortfall: "block" | "pay_collected";
        /** RulesInput */
        RulesInput: {
            /**
             * @description How long a request waits for its votes.
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
             *       "motion": 1
             *     }
             */
            approvals?: components["schemas"]["ApprovalRulesInput"];
            /**
             * @description How many hands have their turn at each meeting of a tontine.
             * @default 1
             */
            beneficiaries_per_meeting?: number;
            /** @default block */
            shortfall?: components["schemas"]["RulesInputShortfall"];
        };
        /**
         * RulesInputShortfall
         * @description What settling does while dues are missing. `block`: it is refused. `pay_collected`: what came in is paid out, and the rest becomes arrears, owed to the beneficiaries of that round.
         * @enum {string}
         */
        RulesInputShortfall: "block" | "pay_collected";
        /**
         * RulesShortfall
         * @description What settling does while dues are missing. `block`: it is refused. `pay_collected`: what came in is paid out, and the rest becomes arrears, owed to the beneficiaries of that round.
         * @enum {string}
         */
        RulesShortfall: "block" | "pay_collected";
        /** ScheduleMeetingRequest */
        ScheduleMeetingRequest: {
            /**
             * Format: date
             * @description The day; today if absent.
             */
            due_on?: string;
            /** @description For people. */
            title?: string;
        };
        /** SealedPin */
        SealedPin: string;
        /** SetPinRequest */
        SetPinRequest: {
            /** @description The PIN, 4 to 12 digits, encrypted to a key of `GET /keys/pin` with RSA-OAEP (SHA-256 for hash and MGF1), in base64 or base64url. Encrypt it afresh for each operation: a ciphertext authorises one. */
            current_pin?: components["schemas"]["SealedPin"];
            /** @description The PIN, 4 to 12 digits, encrypted to a key of `GET /keys/pin` with RSA-OAEP (SHA-256 for hash and MGF1), in base64 or base64url. Encrypt it afresh for each operation: a ciphertext authorises one. */
            pin: components["schemas"]["SealedPin"];
        };
        /** Settlement */
        Settlement: {
            /** @description What is owed from now on. */
            arrears: components["schemas"]["Arrear"][];
            /** @description What came in. */
            collected_amount: number;
            /** @description What all owed together. */
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
            /** @description In rotation order, wallet money first, then cash. */
            payouts: components["schemas"]["Payout"][];
            /**
             * Format: int64
             * @description The version of the rules that it goes by.
             */
            rules_version: number;
            /**
             * Format: date-time
             * @description When it was settled.
             */
            settled_at: string | null;
            /**
             * Format: uuid
             * @description Who settled it.
             */
            settled_by_member_id: string;
            /** @description What was missing. */
            shortfall_amount: number;
            status: components["schemas"]["SettlementStatus"];
            /** @description What goes to the treasury. Below zero where a cycle of savings ends: what earlier rounds brought there comes back. */
            to_treasury_amount: number;
        };
        /** SettlementPreview */
        SettlementPreview: {
            /** @description What is owed from now on. */
            arrears: components["schemas"]["Arrear"][];
            /** @description What came in. */
            collected_amount: number;
            /** @description What all owed together. */
            expected_amount: number;
            /** @description The ledger transfer's legs, in minor units. */
            legs: components["schemas"]["Leg"][];
            /**
             * Format: uuid
             * @description The meeting.
             */
            meeting_id: string;
            /** @description The settlement's payouts, before there is a transfer. */
            payouts: components["schemas"]["PlannedPayout"][];
            /** @description What to send with `settle`. */
            preview_hash: string;
            /** @description The error code with which settling would be refused now; null if it would not. */
            refused_for: string | null;
            /**
             * Format: int64
             * @description The version of the rules that it goes by.
             */
            rules_version: number;
            /** @description What was missing. */
            shortfall_amount: number;
            /** @description What goes to the treasury. Below zero where a cycle of savings ends: what earlier rounds brought there comes back. */
            to_treasury_amount: number;
        };
        /**
         * SettlementStatus
         * @description `pending` while its outcome is not known yet.
         * @enum {string}
         */
        SettlementStatus: "pending" | "settled";
        /** SettleRequest */
        SettleRequest: {
            /** @description What the preview showed: settles that and nothing else. */
            preview_hash?: string;
        };
        /** StartCycleRequest */
        StartCycleRequest: {
            /** @description For `manual`: the members in the order of their turns, each once per hand. */
            member_order?: string[];
            order?: components["schemas"]["StartCycleRequestOrder"];
            /** @description Savings need it; the rounds of a tontine follow from its hands. */
            rounds?: number;
            /**
             * Format: date
             * @description The day of the first round; may be past.
             */
            starts_on: string;
        };
        /**
         * StartCycleRequestOrder
         * @description A tontine needs one, savings take none. `join`: as they joined. `draw`: by lot. `manual`: as `member_order` says.
         * @enum {string}
         */
        StartCycleRequestOrder: "join" | "draw" | "manual";
        /** Statement */
        Statement: {
            /** @description The same by settled round: the oldest first, at most 1 000. */
            arrears: components["schemas"]["MemberArrears"][];
            association: components["schemas"]["StatementAssociation"];
            /** @description The same after the last one. */
            closing_balance: number;
            /** @description ISO 4217. */
            currency: string;
            /**
             * Format: date
             * @description The first day, in UTC; null: from the beginning.
             */
            from: string | null;
            /** @description Arrears that others still owe to the member, in all. */
            is_owed: number;
            /** @description The ledger's head when the statement was made: with an export up to it every movement can be verified. */
            ledger_head: components["schemas"]["LedgerHead"];
            /**
             * Format: date-time
             * @description When the statement was made.
             */
            made_at: string;
            member: components["schemas"]["StatementMember"];
            /** @description The oldest first. */
            movements: components["schemas"]["Movement"][];
            /** @description What the member has paid in less what he was paid out, before the first movement. */
            opening_balance: number;
            /** @description Arrears: what the member still owes to others from settled rounds, in all, when the statement was made. */
            owes: number;
            /** @description The sum of what he paid in. */
            paid_in: number;
            /** @description The sum of what he was paid. */
            paid_out: number;
            /**
             * Format: date
             * @description The last day, in UTC; null: until now.
             */
            to: string | null;
        };
        /**
         * StatementAssociation
         * @description Where.
         */
        StatementAssociation: {
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /** @description Trimmed. */
            name: string;
        };
        /**
         * StatementMember
         * @description Whose.
         */
        StatementMember: {
            /** @description As the member writes it. */
            display_name: string | null;
            /**
             * Format: uuid
             * @description UUIDv7.
             */
            id: string;
            /** @description The user: the `sub` of their access token. */
            user_id: string;
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
            /** @description They sum to zero in each of the two monies. */
            legs: components["schemas"]["Leg"][];
            /**
             * Format: date-time
             * @description When it was posted.
             */
            posted_at: string;
            /** @description The hash of the transfer before; 64 zeros for the first. */
            prev_hash: string;
            /** @description What the caller gave; the reason, for cash and distributions. */
            reference: string | null;
            /**
             * Format: int64
             * @description Without gaps within an association (or within a wallet, where there is none).
             */
            seq: number;
        };
        /**
         * TransferKind
         * @description Why money moved.
         * @enum {string}
         */
        TransferKind: "wallet_deposit" | "wallet_withdrawal" | "contribution" | "arrears_payment" | "cash_contribution" | "settlement" | "meeting_refund" | "cash_deposit" | "distribution_reserve" | "distribution_payment" | "distribution_release";
        /** Vote */
        Vote: {
            decision: components["schemas"]["VoteDecision"];
            /**
             * Format: uuid
             * @description Who voted.
             */
            member_id: string;
            /**
             * Format: date-time
             * @description When.
             */
            voted_at: string;
        };
        /**
         * VoteDecision
         * @description How.
         * @enum {string}
         */
        VoteDecision: "approve" | "reject";
        /** Wallet */
        Wallet: {
            /** @description What it holds. */
            balance: number;
            /**
             * Format: date-time
             * @description When it was opened.
             */
            created_at: string;
            /** @description ISO 4217. */
            currency: string;
            /** @description Names the wallet. */
            id: string;
            /** @description Whose it is. */
            user_id: string;
        };
        /** WithdrawRequest */
        WithdrawRequest: {
            /** @description In the major unit of the wallet's currency. */
            amount: number;
            /** @description The same reference again gives the same transfer; for another amount it is refused. */
            reference: string;
        };
    };
    responses: {
        /** @description A refusal. */
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
                /** @description The `next_cursor` of the page before, of the same list with the same filters. */
                cursor?: string;
                /** @description How many items a page has at most. */
                limit?: number;
                /** @description Words, or parts of words, of the name or the description, in any letter case and with or without accents. */
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
            /** @description Created: `Location` is its path. */
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
    balances: {
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
            /** @description Created: `Location` is its path. */
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
    cashLedger: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before, of the same list with the same filters. */
                cursor?: string;
                /** @description How many items a page has at most. */
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
    listCycles: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before, of the same list with the same filters. */
                cursor?: string;
                /** @description How many items a page has at most. */
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
            /** @description Created: `Location` is its path. */
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
                /** @description The `next_cursor` of the page before, of the same list with the same filters. */
                cursor?: string;
                /** @description How many items a page has at most. */
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
            /** @description Created: `Location` is its path. */
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
    listApprovals: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before, of the same list with the same filters. */
                cursor?: string;
                /** @description How many items a page has at most. */
                limit?: number;
                /** @description Only with this status. */
                status?: components["schemas"]["ListApprovalsStatus"];
                /** @description Only on subjects of this type. */
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
            /** @description Created: `Location` is its path. */
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
            /** @description Created: `Location` is its path. */
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
            /** @description Created: `Location` is its path. */
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
                /** @description The `next_cursor` of the page before, of the same list with the same filters. */
                cursor?: string;
                /** @description How many items a page has at most. */
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
                    "application/json": components["schemas"]["LedgerAnswer"];
                };
            };
            default: components["responses"]["Fault"];
        };
    };
    ledgerExport: {
        parameters: {
            query?: {
                /** @description Only transfers after this one: to go on with an export. */
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
                /** @description The `next_cursor` of the page before, of the same list with the same filters. */
                cursor?: string;
                /** @description Only of this cycle. */
                cycle_id?: string;
                /** @description How many items a page has at most. */
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
            /** @description Created: `Location` is its path. */
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
            /** @description Accepted. The outcome is not known yet: ask at `Location`. */
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
            /** @description Created: `Location` is its path. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Contribution"];
                };
            };
            /** @description Accepted. The outcome is not known yet: ask at `Location`. */
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
                /** @description The `next_cursor` of the page before, of the same list with the same filters. */
                cursor?: string;
                /** @description How many items a page has at most. */
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
                /** @description The `next_cursor` of the page before, of the same list with the same filters. */
                cursor?: string;
                /** @description How many items a page has at most. */
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
            /** @description Accepted. The outcome is not known yet: ask at `Location`. */
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
    listMembers: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before, of the same list with the same filters. */
                cursor?: string;
                /** @description How many items a page has at most. */
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
                /** @description The first day, in UTC, none that is to come; from the beginning if absent. */
                from?: string;
                /** @description Whose statement; the caller's own if absent. */
                member_id?: string;
                /** @description The last day, in UTC; until now if absent. */
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
    myAssociations: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the page before, of the same list with the same filters. */
                cursor?: string;
                /** @description How many items a page has at most. */
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
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The invitation's code. */
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
            /** @description Created: `Location` is its path. */
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
            /** @description Created: `Location` is its path. */
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
            /** @description Created: `Location` is its path. */
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
    getWalletTransfer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The ledger's transfer. */
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
            /** @description Created: `Location` is its path. */
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
                /** @description The `next_cursor` of the page before, of the same list with the same filters. */
                cursor?: string;
                /** @description How many items a page has at most. */
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
}
