/** The events that report a change of a payment, signed with the signing secret of the account. */
import { createHmac } from 'node:crypto'
import { type Dispute, isNew } from '../../disputes.ts'
import type { ReturnRecord } from '../../returns.ts'
import type { AccountContext } from '../../run-operation.ts'
import { behaviourOf } from '../../scenarios.ts'
import type { WebhookEvent, WebhookRequest } from '../dialect.ts'
import { readRefund, settle } from './captures.ts'
import { apiVersion, disputeObject, intentObject, returnObject } from './objects.ts'
import { progressOf } from './progress.ts'
import { isSetup, newId, nowSeconds, ownerOf } from './stored.ts'

export function webhooksOf(context: AccountContext, event: WebhookEvent): readonly WebhookRequest[] {
  return requestsOf(context, eventsOf(context, event), event.forged)
}

/** The events of a dispute, each with the whole dispute. */
export function disputeWebhooks(context: AccountContext, dispute: Dispute): readonly WebhookRequest[] {
  const intent = settle(context, ownerOf(context.account, dispute.parent_reference) ?? '')
  if (intent === undefined) return []
  const object = disputeObject(intent, dispute)
  return requestsOf(
    context,
    disputeEventsOf(dispute).map((type) => ({ type: `charge.dispute.${type}`, object })),
    false,
  )
}

/** The return of a debit. */
export function returnWebhooks(context: AccountContext, returned: ReturnRecord): readonly WebhookRequest[] {
  const intent = settle(context, ownerOf(context.account, returned.parent_reference) ?? '')
  if (intent === undefined) return []
  const object = returnObject(intent, returned, context.state.clock.now())
  const types = ['created', 'funds_withdrawn', 'closed']
  return requestsOf(
    context,
    types.map((type) => ({ type: `charge.dispute.${type}`, object })),
    false,
  )
}

function disputeEventsOf(dispute: Dispute): readonly string[] {
  const { status, withdrawn } = dispute
  if (isNew(dispute)) return withdrawn ? ['created', 'funds_withdrawn'] : ['created']
  if (status === 'won') return ['closed', 'funds_reinstated']
  return [status === 'lost' || status === 'closed' ? 'closed' : 'updated']
}

function requestsOf(
  context: AccountContext,
  events: readonly StripeEvent[],
  forged: boolean,
): readonly WebhookRequest[] {
  return events.map(({ type, object }) => {
    const body = JSON.stringify({
      id: newId('evt'),
      object: 'event',
      api_version: apiVersion,
      created: nowSeconds(context),
      data: { object },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    })
    return {
      contentType: 'application/json; charset=utf-8',
      body,
      headers: () => signature(context, body, forged),
    }
  })
}

function signature({ account }: AccountContext, body: string, forged: boolean) {
  const secret = forged ? 'whsec_forged' : (account.config.credentials.signing_secret ?? '')
  // The receiver compares this with its system time, which can differ from the clock of the simulator.
  const t = Math.floor(Date.now() / 1000)
  const digest = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
  return { 'stripe-signature': `t=${t},v1=${digest}`, 'user-agent': 'Stripe/1.0 (simulator)' }
}

type StripeEvent = { readonly type: string; readonly object: object }

function eventsOf(context: AccountContext, event: WebhookEvent): StripeEvent[] {
  const { account } = context
  const { record } = event
  if (event.type === 'refund.created') settle(context, ownerOf(account, record.parent_reference ?? '') ?? '')
  const owner = ownerOf(account, record.reference) ?? ''
  if (record.kind === 'refund') {
    const object = readRefund(context, owner)
    return object === null ? [] : [{ type: refundEventOf(context, event), object }]
  }
  const intent = settle(context, owner)
  if (intent === undefined) return []
  const progress = progressOf(account, intent, record)
  const object = intentObject(intent, progress)
  const name = isSetup(intent) ? 'setup_intent' : 'payment_intent'
  return intentEventsOf(event, progress.status).map((type) => ({ type: `${name}.${type}`, object }))
}

/** A refund that was pending has been reported before. */
function refundEventOf({ account }: AccountContext, { record }: WebhookEvent): string {
  if (record.status === 'declined') return 'refund.failed'
  const scenario = account.operations.get(record.reference)?.scenario ?? 'approve'
  const wasPending = behaviourOf(scenario, 'refund').processing.type === 'pending'
  return record.status === 'succeeded' && wasPending ? 'refund.updated' : 'refund.created'
}

/** The types of the events, without the name of the object. `status` is the status of the intent. */
function intentEventsOf({ record }: WebhookEvent, status: string): readonly string[] {
  const { kind } = record
  if (record.status !== 'succeeded') return unsuccessfulEvents[`${kind} ${record.status}`] ?? []
  if (status === 'canceled') return ['canceled']
  if (status === 'requires_capture') return ['amount_capturable_updated']
  return kind === 'capture' || kind === 'void' ? ['amount_capturable_updated', 'succeeded'] : ['succeeded']
}

const unsuccessfulEvents: { readonly [change: string]: readonly string[] } = {
  'authorize declined': ['payment_failed'],
  'authorize action_required': ['requires_action'],
  'authorize pending': ['processing'],
  'authorize closed': ['canceled'],
  'verify declined': ['setup_failed'],
  'verify action_required': ['requires_action'],
  'verify closed': ['canceled'],
}
