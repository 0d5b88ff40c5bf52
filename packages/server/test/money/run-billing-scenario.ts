// Runs a billing scenario through the API of the real app, and records the responses.

import { idFromUuid, uuidFromText, uuidOf } from '../../src/kernel/id.ts'
import { withTimeout } from '../../src/platform/engine/cancellable-sleep.ts'
import {
  type BillingObjects,
  type BillingRun,
  create,
  createPaymentMethod,
  createToken,
  ensureBillingObjects,
  findId,
  grantTestCredit,
  sessionAmount,
  taxedAddress,
  unitAmount,
  usageEvent,
} from './billing-run.ts'
import {
  type BillingAction,
  type BillingRequest,
  type BillingScenario,
  type BillingStep,
  billingStepText,
  type Cancel,
  type CreditPart,
  type Pause,
  type RecordUsage,
} from './billing-scenario.ts'
import { checkBilling } from './check-billing.ts'
import { newStatementStall } from './faults.ts'
import { dueBillingWork, finishBilling } from './finish-billing.ts'
import { processWork } from './finish-payments.ts'
import type { Harness } from './harness.ts'
import { repeatReturnReports, returnDebit } from './provider-actions.ts'
import { prepareTestWorkspace, startRun } from './run-payment-scenario.ts'
import { advanceTime, type HttpRequest, type Response, type RunResult } from './scenario-run.ts'
import { callApi, repeatRequest, responseText, sendRequest } from './send-request.ts'

export async function runBillingScenario(harness: Harness, scenario: BillingScenario): Promise<RunResult> {
  const run = await prepare(harness, scenario)
  for (const [index, step] of scenario.steps.entries()) {
    const results = await runStep(run, step)
    run.lines.push(`${index + 1}. ${billingStepText(step)} → ${results}`)
  }
  const hasUsage = JSON.stringify(scenario.steps).includes('"record_usage"')
  const ending = { clockId: run.clockId, hasUsage }
  await finishBilling(run, ending)
  if (await repeatReturnReports(run)) await finishBilling(run, { ...ending, hasUsage: false })
  await checkBilling(run)
  return { lines: run.lines, violations: [...run.violations, ...harness.violations] }
}

async function prepare(harness: Harness, scenario: BillingScenario): Promise<BillingRun> {
  const workspace = await prepareTestWorkspace(harness, scenario)
  const workspaceAccess = { harness, workspace }
  const billing = await ensureBillingObjects(workspaceAccess)
  const now_at = new Date(harness.clock.nowMs()).toISOString()
  const clockId = scenario.onClock ? (await create(workspaceAccess, '/test-clocks', { now_at })).id : null
  const customer = await create(workspaceAccess, '/customers', {
    email: 'ada@example.com',
    ...(clockId === null ? {} : { test_clock_id: clockId }),
    ...(scenario.isTaxed ? { address: taxedAddress } : {}),
  })
  await createPaymentMethod(workspaceAccess, customer.id, scenario.card)
  if (scenario.discounts.length > 0)
    await create(
      workspaceAccess,
      `/customers/${customer.id}/discounts`,
      discountsPayload(billing, scenario.discounts),
      'PUT',
    )
  if (scenario.credit > 0) await grantTestCredit(workspaceAccess, customer.id, scenario.credit)
  return {
    ...(await startRun(harness, workspace, dueBillingWork)),
    scenario,
    billing,
    clockId,
    customerId: customer.id,
    subscriptions: new Map(),
    sessions: new Map(),
    secrets: new Map(),
    unusedTimes: [],
    isAlone: true,
  }
}

const discountsPayload = ({ couponIds }: BillingObjects, discounts: readonly number[]) => ({
  discounts: discounts.map((index) => ({ coupon_id: couponIds[index] })),
})

async function runStep(run: BillingRun, step: BillingStep): Promise<string> {
  switch (step.do) {
    case 'together':
      return (await performConcurrently({ ...run, isAlone: false }, step.actions)).join(' | ')
    case 'wait':
      await advanceTime(run, step.seconds * 1000)
      return 'done'
    case 'provider': {
      const account = run.workspace.accounts[step.account]
      await run.harness.simulator.control('PUT', `${account}/config`, step.change)
      return 'done'
    }
    default:
      return perform(run, step)
  }
}

/** The stall is limited, because the stalled process may hold a lock that the other actions need. */
const maxStallMs = 40

/** If one action stalls, it starts first, the others run while it is blocked, and then it continues. */
async function performConcurrently(run: BillingRun, actions: readonly BillingAction[]): Promise<string[]> {
  const { harness } = run
  const stallingIndex = actions.findIndex((action) => 'fault' in action && action.fault?.kind === 'stalls')
  if (stallingIndex === -1) return Promise.all(actions.map((action) => perform(run, action)))
  const stall = newStatementStall()
  harness.stall.now = stall
  const stalledAction = perform(run, actions[stallingIndex] as BillingAction)
  await Promise.race([stall.reached, stalledAction])
  const results = actions.map((action, index) =>
    index === stallingIndex ? stalledAction : perform(run, action),
  )
  await withTimeout(maxStallMs, Promise.all(results.toSpliced(stallingIndex, 1)), null)
  stall.release()
  const all = await Promise.all(results)
  harness.stall.now = null
  return all
}

async function perform(run: BillingRun, action: BillingAction): Promise<string> {
  switch (action.do) {
    case 'repeat': {
      const response = await repeatRequest(run, action.of)
      return response === null ? 'the request was never sent' : responseText(response)
    }
    case 'see_session':
      return readSession(run, action.session)
    case 'return_debit':
      return returnLastDebit(run, action.subscription)
    case 'work':
      return processWork(run, { concurrently: action.concurrently, fault: action.fault })
    case 'wake':
      run.harness.freezer.thaw()
      // The thawed processes continue in the background, concurrently with the next step.
      return 'done'
    default:
      return performRequest(run, action)
  }
}

async function performRequest(run: BillingRun, request: BillingRequest): Promise<string> {
  const httpRequest = await buildRequest(run, request)
  if (httpRequest === null) return 'the object does not exist'
  const unusedTime =
    request.do === 'pause' || request.do === 'cancel' ? await calculateUnusedTime(run, request) : null
  const responses = await sendRequest(run, request, httpRequest)
  for (const response of responses) storeIds(run, request, response)
  if (unusedTime !== null && responses.some(({ status }) => status === 200)) run.unusedTimes.push(unusedTime)
  return responses.map(responseText).join(' and ')
}

const subscriptionLookup = { table: 'subscriptions', kind: 'subscription', member: 'subscription' } as const
const sessionLookup = { table: 'checkout_sessions', kind: 'checkout_session', member: 'session' } as const

function storeIds(
  { subscriptions, sessions, secrets }: BillingRun,
  request: BillingRequest,
  response: Response,
) {
  if (!response.isReceived || response.status !== 201) return
  const { id, client_secret: secret } = JSON.parse(response.text)
  if (request.do === 'subscribe') subscriptions.set(request.subscription, id)
  if (request.do !== 'open_session') return
  sessions.set(request.session, id)
  secrets.set(request.session, secret)
}

async function buildRequest(run: BillingRun, request: BillingRequest): Promise<HttpRequest | null> {
  if (request.do === 'subscribe' || request.do === 'open_session') return buildCreationRequest(run, request)
  if (request.do === 'delete_customer') return { method: 'DELETE', url: `/customers/${run.customerId}` }
  if (request.do === 'set_discounts') {
    const payload = discountsPayload(run.billing, request.discounts)
    return { method: 'PUT', url: `/customers/${run.customerId}/discounts`, payload }
  }
  if (request.do === 'record_usage') return buildUsageRequest(run, request)
  if (request.do === 'cancel_usage') return buildUsageCancellation(run)
  if (request.do === 'advance_clock') {
    const { clockId } = run
    const payload = { by: `P${request.days}D` }
    return clockId === null ? null : { method: 'POST', url: `/test-clocks/${clockId}/advance`, payload }
  }
  if ('session' in request) return buildSessionRequest(run, request)
  const id = await findId(run, run.subscriptions, request.subscription, subscriptionLookup)
  return id === null ? null : buildSubscriptionRequest(run, request, id)
}

async function buildUsageRequest(run: BillingRun, request: RecordUsage): Promise<HttpRequest> {
  const { customerId: customer_id, name } = run
  const occurred_at = new Date(await occurredMs(run, request)).toISOString()
  const events = request.values.map((value, index) => ({
    id: `${name}-${request.id}-${index}`,
    event_name: usageEvent,
    customer_id,
    value: String(value),
    occurred_at,
  }))
  return { method: 'POST', url: '/meter-events', payload: { events } }
}

/** Before the subscription exists, usage occurs now. */
async function occurredMs(run: BillingRun, { subscription, occurred }: RecordUsage): Promise<number> {
  const nowMs = run.harness.clock.nowMs()
  if (occurred === 'now') return nowMs
  if (occurred === 'an hour ago') return nowMs - 3_600_000
  if (occurred === 'days ago') return nowMs - 5 * 86_400_000
  const id = await findId(run, run.subscriptions, subscription, subscriptionLookup)
  if (id === null) return nowMs
  const { status, text } = await callApi(run, 'GET', `/subscriptions/${id}`)
  const period = status === 200 ? JSON.parse(text).current_period : null
  if (period === null) return nowMs
  return Date.parse(period.start_at) - (occurred === 'at the start' ? 0 : 1)
}

async function buildUsageCancellation({
  harness,
  workspace,
  customerId,
}: BillingRun): Promise<HttpRequest | null> {
  const { rows } = await harness.installation.ownerOf(workspace.workspaceId).query(
    `select event_id from meter_events where workspace_id = $1 and customer_id = $2 and cancelled_at is null
       order by seq desc limit 1`,
    [uuidOf(workspace.workspaceId), uuidFromText('customer', 'test', customerId)],
  )
  if (rows[0] === undefined) return null
  const events = [{ event_name: usageEvent, id: rows[0].event_id }]
  return { method: 'POST', url: '/meter-events/cancel', payload: { events } }
}

type CreationRequest = Extract<BillingRequest, { do: 'subscribe' | 'open_session' }>

async function buildCreationRequest(run: BillingRun, request: CreationRequest): Promise<HttpRequest> {
  const { billing, customerId: customer_id, name: scenario } = run
  if (request.do === 'subscribe') {
    const payload = {
      customer_id,
      items: [
        { price_id: billing.priceId, quantity: request.quantity },
        ...(request.metered ? [{ price_id: billing.usagePriceId }] : []),
      ],
      ...(request.trialDays === null ? {} : { trial: { days: request.trialDays } }),
      activation_policy: request.policy,
      dunning_policy_id: billing.policyIds[request.dunning],
      metadata: { scenario, subscription: String(request.subscription) },
    }
    return { method: 'POST', url: '/subscriptions', payload }
  }
  const members = {
    amount: sessionAmount,
    currency: 'eur',
    capture_method: request.capture,
    metadata: { scenario, session: String(request.session), simulate: request.card },
  }
  if (!request.link) return { method: 'POST', url: '/checkout-sessions', payload: members }
  const link = await create(run, '/payment-links', { ...members, max_completions: 1 })
  const slug = new URL(link.url).pathname.replace('/l/', '')
  return { method: 'POST', url: `/checkout/links/${slug}/sessions`, payload: {} }
}

type SessionRequest = Exclude<Extract<BillingRequest, { session: number }>, CreationRequest>

async function buildSessionRequest(run: BillingRun, request: SessionRequest): Promise<HttpRequest | null> {
  const id = await findId(run, run.sessions, request.session, sessionLookup)
  if (id === null) return null
  const url = `/checkout-sessions/${id}`
  if (request.do === 'expire_session') return { method: 'POST', url: `${url}/expire`, payload: {} }
  if (request.do === 'pay_session') {
    const secret = run.secrets.get(request.session)
    // The response with the secret was lost.
    if (secret === undefined) return null
    const headers = { 'checkout-secret': secret }
    return { method: 'POST', url: `${url}/confirm`, payload: { token: await createToken(run) }, headers }
  }
  const payment = await lastPayment(run, 'payments.checkout_session_id = $3', id, 'checkout_session')
  if (payment === null) return null
  if (request.do === 'refund_session_payment')
    return { method: 'POST', url: '/refunds', payload: { payment_id: payment.id } }
  const verb = request.do === 'cancel_session_payment' ? 'cancel' : 'capture'
  return { method: 'POST', url: `/payments/${payment.id}/${verb}`, payload: {} }
}

type SubscriptionRequest = Exclude<
  Extract<BillingRequest, { subscription: number }>,
  CreationRequest | RecordUsage
>

async function buildSubscriptionRequest(
  run: BillingRun,
  request: SubscriptionRequest,
  id: string,
): Promise<HttpRequest | null> {
  const url = `/subscriptions/${id}`
  switch (request.do) {
    case 'pause':
      return { method: 'PUT', url: `${url}/pause`, payload: pausePayload(run, request) }
    case 'resume':
      return { method: 'PUT', url: `${url}/resume`, payload: { open_invoices: request.openInvoices } }
    case 'cancel': {
      const { at, unusedTime: unused_time, openInvoices: open_invoices } = request
      return { method: 'PUT', url: `${url}/cancel`, payload: { at, unused_time, open_invoices } }
    }
    case 'change':
      return buildChangeRequest(run, url, request)
    case 'change_card': {
      const payment_method_id = await createPaymentMethod(run, run.customerId, request.card).catch(() => null)
      return payment_method_id === null ? null : { method: 'PUT', url, payload: { payment_method_id } }
    }
    case 'credit':
      return buildCreditRequest(run, request, id)
    case 'void_credit_note':
      return buildNoteVoid(run, id)
    case 'cancel_payment':
    case 'refund':
      return buildPaymentRequest(run, request, id)
    default:
      return buildInvoiceRequest(run, request, id)
  }
}

function pausePayload({ harness }: BillingRun, request: Pause): object {
  const { at, unusedTime: unused_time, openInvoices: open_invoices, resumesInDays: days } = request
  // Resume after the end of the period, because a pause at the end of the period begins only then.
  const resumes_at = days === null ? null : new Date(harness.clock.nowMs() + days * 86_400_000).toISOString()
  return { at, unused_time, open_invoices, resumes_at }
}

async function buildChangeRequest(
  run: BillingRun,
  url: string,
  { quantity, behaviour }: Extract<SubscriptionRequest, { do: 'change' }>,
): Promise<HttpRequest | null> {
  const { status, text } = await callApi(run, 'GET', url)
  if (status !== 200) return null
  const items = (JSON.parse(text).items as { readonly id: string; readonly price_id: string }[]).map(
    ({ id, price_id }) => (price_id === run.billing.usagePriceId ? { id } : { id, quantity }),
  )
  return { method: 'PUT', url, payload: { items, proration: { behaviour } } }
}

async function returnLastDebit(run: BillingRun, subscription: number): Promise<string> {
  const id = await findId(run, run.subscriptions, subscription, subscriptionLookup)
  const payment =
    id === null
      ? null
      : await lastPayment(run, `${ofSubscription} and method_type <> 'card'`, id, 'subscription')
  return payment === null ? 'there is no debit' : returnDebit(run, payment.id)
}

const ofSubscription = `payments.invoice_id in
    (select id from invoices where workspace_id = $1 and subscription_id = $3)`

async function buildPaymentRequest(
  run: BillingRun,
  request: Extract<SubscriptionRequest, { do: 'cancel_payment' | 'refund' }>,
  id: string,
): Promise<HttpRequest | null> {
  const payment = await lastPayment(run, ofSubscription, id, 'subscription')
  if (payment === null) return null
  if (request.do === 'cancel_payment')
    return { method: 'POST', url: `/payments/${payment.id}/cancel`, payload: {} }
  const amount =
    request.share === null ? {} : { amount: Math.max(1, Math.floor(payment.amount * request.share)) }
  return { method: 'POST', url: '/refunds', payload: { payment_id: payment.id, ...amount } }
}

async function lastPayment(
  { harness, workspace, floor }: BillingRun,
  where: string,
  id: string,
  kind: 'subscription' | 'checkout_session',
): Promise<{ readonly id: string; readonly amount: number } | null> {
  const { rows } = await harness.installation
    .ownerOf(workspace.workspaceId)
    .query(
      `select id, amount from payments where workspace_id = $1 and id >= $2 and ${where} order by id desc limit 1`,
      [uuidOf(workspace.workspaceId), floor, uuidFromText(kind, 'test', id)],
    )
  const [row] = rows
  return row === undefined ? null : { id: idFromUuid('payment', 'test', row.id), amount: Number(row.amount) }
}

/** What was paid is refunded or becomes credit, as the preview divides it. */
async function buildCreditRequest(
  run: BillingRun,
  { share, returns }: CreditPart,
  id: string,
): Promise<HttpRequest | null> {
  const { harness, workspace, floor } = run
  const { rows } = await harness.installation.ownerOf(workspace.workspaceId).query(
    `select id from invoices where workspace_id = $1 and id >= $2 and subscription_id = $3
       and status in ('open', 'paid') and total > 0 order by id desc limit 1`,
    [uuidOf(workspace.workspaceId), floor, uuidFromText('subscription', 'test', id)],
  )
  if (rows[0] === undefined) return null
  const invoice_id = idFromUuid('invoice', 'test', rows[0].id)
  const { status, text } = await callApi(run, 'GET', `/invoices/${invoice_id}`)
  if (status !== 200) return null
  const lines = (JSON.parse(text).lines as { readonly id: string; readonly amount: number }[])
    .filter(({ amount }) => amount > 0)
    .map((line) => ({ invoice_line_id: line.id, amount: Math.max(1, Math.floor(line.amount * share)) }))
  if (lines.length === 0) return null
  const payload = { invoice_id, lines }
  const preview = await callApi(run, 'POST', '/credit-notes/preview', { payload })
  const refund_amount =
    returns === 'refund' && preview.status === 200 ? JSON.parse(preview.text).balance_amount : 0
  return { method: 'POST', url: '/credit-notes', payload: { ...payload, refund_amount } }
}

async function buildNoteVoid(
  { harness, workspace, floor }: BillingRun,
  id: string,
): Promise<HttpRequest | null> {
  const { rows } = await harness.installation.ownerOf(workspace.workspaceId).query(
    `select id from credit_notes where workspace_id = $1 and id >= $2 and status = 'issued' and invoice_id in
       (select id from invoices where workspace_id = $1 and subscription_id = $3) order by id desc limit 1`,
    [uuidOf(workspace.workspaceId), floor, uuidFromText('subscription', 'test', id)],
  )
  if (rows[0] === undefined) return null
  const url = `/credit-notes/${idFromUuid('credit_note', 'test', rows[0].id)}/void`
  return { method: 'POST', url, payload: {} }
}

async function buildInvoiceRequest(
  { harness, workspace, floor }: BillingRun,
  request: Extract<SubscriptionRequest, { do: 'pay_invoice' | 'void_invoice' | 'mark_uncollectible' }>,
  id: string,
): Promise<HttpRequest | null> {
  const { rows } = await harness.installation.ownerOf(workspace.workspaceId).query(
    `select id from invoices where workspace_id = $1 and id >= $2 and subscription_id = $3
       and status in ('open', 'uncollectible') order by id limit 1`,
    [uuidOf(workspace.workspaceId), floor, uuidFromText('subscription', 'test', id)],
  )
  if (rows[0] === undefined) return null
  const url = `/invoices/${idFromUuid('invoice', 'test', rows[0].id)}`
  if (request.do === 'pay_invoice')
    return { method: 'POST', url: `${url}/pay`, payload: request.outOfBand ? { out_of_band: true } : {} }
  const verb = request.do === 'void_invoice' ? 'void' : 'mark-uncollectible'
  return { method: 'POST', url: `${url}/${verb}`, payload: {} }
}

async function readSession(run: BillingRun, session: number): Promise<string> {
  const id = await findId(run, run.sessions, session, sessionLookup)
  const secret = run.secrets.get(session)
  if (id === null || secret === undefined) return 'the session does not exist'
  const headers = { 'checkout-secret': secret }
  return responseText(await callApi(run, 'GET', `/checkout/sessions/${id}`, { headers }))
}

/** The value of the unused time that this request must credit or refund, or null if it must not. */
async function calculateUnusedTime(run: BillingRun, request: Pause | Cancel) {
  const { subscription, at, unusedTime } = request
  if (!run.isAlone || at !== 'now' || (unusedTime !== 'credit' && unusedTime !== 'refund')) return null
  const id = run.subscriptions.get(subscription)
  if (id === undefined) return null
  const { harness, workspace } = run
  const { rows } = await harness.installation.ownerOf(workspace.workspaceId).query(
    `select subscriptions.status, invoices.id as invoice_id, invoices.total, subscriptions.period_end_at,
       subscriptions.pause, subscription_items.quantity, coalesce(test_clocks.now_at, $3) as now_at,
       subscriptions.next_action_at, extract(epoch from invoices.period_end_at - invoices.period_start_at) as seconds,
       exists (select from invoices as later where later.workspace_id = $1
         and later.subscription_id = subscriptions.id and later.id > invoices.id) as has_later
     from subscriptions
       join invoices on invoices.workspace_id = $1 and invoices.id = subscriptions.period_invoice_id
       join subscription_items on subscription_items.workspace_id = $1
         and subscription_items.subscription_id = subscriptions.id and subscription_items.price_id = $4
       left join test_clocks on test_clocks.workspace_id = $1 and test_clocks.id = subscriptions.test_clock_id
     where subscriptions.workspace_id = $1 and subscriptions.id = $2
       and coalesce(subscriptions.activation->>'state', 'done') = 'done'`,
    [
      uuidOf(workspace.workspaceId),
      uuidFromText('subscription', 'test', id),
      new Date(harness.clock.nowMs()),
      uuidFromText('price', 'test', run.billing.priceId),
    ],
  )
  const [row] = rows
  const price = unitAmount * Number(row?.quantity)
  // With due work or a changed quantity the value differs. Other tests check that.
  if (row === undefined || row.has_later || Number(row.total) !== price) return null
  if (row.next_action_at !== null && row.next_action_at <= row.now_at) return null
  // Pausing a paused subscription only changes the end of the pause.
  if (row.status !== 'active' && !(row.status === 'paused' && request.do === 'cancel')) return null
  const remainingSeconds =
    row.status === 'paused' ? row.pause.remainingSeconds : (row.period_end_at - row.now_at) / 1000
  const value = Math.floor((price * Math.max(0, remainingSeconds)) / Number(row.seconds))
  return { subscription, invoiceId: row.invoice_id as string, value }
}
