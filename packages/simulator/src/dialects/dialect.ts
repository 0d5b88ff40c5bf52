/**
 * A dialect translates the wire format of a real provider into operations of the simulator, so that
 * connectors are tested with the same ledger, test cards and faults as the `custom` protocol.
 */

import type { Dispute } from '../disputes.ts'
import type { Reply } from '../faults.ts'
import type { IncomingCall } from '../incoming.ts'
import type { OperationRecord } from '../protocol.ts'
import type { ReturnRecord } from '../returns.ts'
import type { AccountContext } from '../run-operation.ts'
import type { Account, Operation } from '../simulator-state.ts'

export const dialectNames = ['stripe', 'adyen', 'mollie', 'checkout_com', 'paypal'] as const
export type DialectName = (typeof dialectNames)[number]

/** `origin` is the URL of the simulator for the payer's browser, where the 3-D Secure pages are. */
export type DialectContext = AccountContext & { readonly origin: string }

/** `forged`: signed with a wrong secret. */
export type WebhookEvent = {
  readonly type: 'operation.updated' | 'refund.created'
  readonly record: OperationRecord
  readonly forged: boolean
}

/** A dispute was opened or has changed. */
export type DisputeEvent = { readonly type: 'dispute.updated'; readonly dispute: Dispute }

/** The bank of the payer has returned a debit. */
export type ReturnEvent = { readonly type: 'debit.returned'; readonly return: ReturnRecord }

export type WebhookRequest = {
  /** The target, if it is not the `webhook_url` of the account. */
  readonly url?: string
  readonly contentType: string
  readonly body: string
  /** The headers of one attempt. They are computed for each attempt, because some contain the time. */
  headers(): { readonly [name: string]: string }
}

export type Dialect = {
  readonly name: DialectName
  /** Whether the call has the credentials of the account. */
  isAuthenticated(account: Account, call: IncomingCall): boolean
  /** The response to a call without valid credentials. */
  readonly unauthenticated: Reply
  /** The response to any call during an outage. */
  readonly unavailable: Reply
  /** The body of a response with status 500. */
  readonly serverError: object
  /** Handles an authenticated call. `call.segments` begins after the base URL. */
  handle(context: DialectContext, call: IncomingCall): Reply | Promise<Reply>
  /** The webhooks that report this change. */
  webhooksOf(context: AccountContext, event: WebhookEvent): readonly WebhookRequest[]
  /** The webhooks that report a dispute. Without it, the dialect has no disputes. */
  disputeWebhooks?(context: AccountContext, dispute: Dispute): readonly WebhookRequest[]
  /** The webhooks that report the return of a debit. Without it, the dialect has no debits. */
  returnWebhooks?(context: AccountContext, returned: ReturnRecord): readonly WebhookRequest[]
  /** Whether the 3-D Secure page ends the operation. Otherwise a later call of the merchant does. */
  readonly endsOnChallengePage: boolean
  /** The parameters that are added to the return URL of the payer. */
  returnParams(context: AccountContext, operation: Operation): { readonly [name: string]: string }
  /** Where the payer returns to, if it depends on the result. Without it, the return URL of the operation. */
  returnUrl?(context: AccountContext, operation: Operation): string | null
}
