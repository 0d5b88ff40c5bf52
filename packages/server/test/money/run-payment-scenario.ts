// Runs a payment scenario through the API of the real app, and records the responses.

import { idFromUuid, uuidFloor, uuidOf } from '../../src/kernel/id.ts'
import { checkPayments } from './check-payments.ts'
import { completePayerAction, forgeWebhook } from './external-actions.ts'
import { duePaymentWork, finishPayments, processWork } from './finish-payments.ts'
import { type Harness, type TestWorkspace, testWorkspaceFor } from './harness.ts'
import { publishDuringRun, publishVariant, setBreaker } from './merchant-actions.ts'
import { cardMembers, saveCards } from './payment-cards.ts'
import {
  type Action,
  type PaymentScenario,
  paymentStepText,
  type Request,
  type ScenarioOf,
  type Step,
} from './payment-scenario.ts'
import {
  disputePayment,
  refundAtProvider,
  repeatDisputeReports,
  repeatReturnReports,
  returnDebit,
} from './provider-actions.ts'
import {
  advanceTime,
  type DueWorkSource,
  fetchCalls,
  fetchLedgerEntries,
  type HttpRequest,
  type PaymentRun,
  type Response,
  type RunResult,
  requestsIn,
  type ScenarioRun,
} from './scenario-run.ts'
import { callApi, repeatRequest, responseText, sendRequest } from './send-request.ts'

let runCount = 0

export async function runPaymentScenario(harness: Harness, scenario: PaymentScenario): Promise<RunResult> {
  const run = await prepare(harness, scenario)
  for (const [index, step] of scenario.steps.entries()) {
    const result = await runStep(run, step)
    run.lines.push(`${index + 1}. ${paymentStepText(step)} → ${result}`)
  }
  await repeatDisputeReports(run)
  await finishPayments(run)
  if (await repeatReturnReports(run)) await finishPayments(run)
  const counts = await checkPayments(run)
  return { lines: run.lines, violations: [...run.violations, ...harness.violations], counts }
}

async function prepare(harness: Harness, scenario: PaymentScenario): Promise<PaymentRun> {
  const workspace = await prepareTestWorkspace(harness, scenario)
  await saveCards({ harness, workspace }, scenario)
  harness.failing.clear()
  if (workspace.variant !== 'in_order')
    workspace.revision = await publishVariant(harness, workspace, 'in_order')
  const callsBefore = await Promise.all(
    workspace.accounts.map(async (id) => (await fetchCalls(harness, id)).length),
  )
  return {
    ...(await startRun(harness, workspace, duePaymentWork)),
    scenario,
    callsBefore,
    disputes: [],
    routingStates: [{ variant: workspace.variant, revision: workspace.revision, open: new Set() }],
    routingStatesDuring: new Map(),
    ids: new Map(),
  }
}

/** Prepares a workspace with healthy providers and the current time, for any kind of scenario. */
export async function prepareTestWorkspace(
  harness: Harness,
  scenario: ScenarioOf<unknown>,
): Promise<TestWorkspace> {
  const { simulator, clock } = harness
  const workspace = await testWorkspaceFor(harness, scenario)
  workspace.scenarios += 1
  const { scenariosByShard } = harness.installation
  const shard = harness.deps.databases.of(workspace.workspaceId).name
  scenariosByShard.set(shard, (scenariosByShard.get(shard) ?? 0) + 1)
  harness.violations.length = 0
  const healthyConfig = {
    outage: false,
    outage_manner: 'plain',
    latency_ms: 0,
    auth_rate: 1,
    webhooks: scenario.webhooks,
  }
  for (const account of workspace.accounts) await simulator.control('PUT', `${account}/config`, healthyConfig)
  await simulator.control('POST', 'time', { reset: true }).catch(() => {})
  const { now } = await simulator.control<{ now: string }>('POST', 'time', { advance_ms: 0 })
  clock.set(Date.parse(now))
  await resetCardBudgets(harness, workspace)
  return workspace
}

/** Records the ledger entries before the scenario, so that checks can ignore them. */
export async function startRun(
  harness: Harness,
  workspace: TestWorkspace,
  dueWork: DueWorkSource,
): Promise<Omit<ScenarioRun, 'scenario'>> {
  const ledgerEntriesBefore = await Promise.all(
    workspace.accounts.map(async (id) => (await fetchLedgerEntries(harness, id)).length),
  )
  runCount += 1
  return {
    harness,
    workspace,
    dueWork,
    ledgerEntriesBefore,
    name: `scenario-${process.pid}-${runCount}`,
    floor: uuidFloor(new Date()),
    sent: new Map(),
    responses: new Map(),
    lines: [],
    violations: [],
  }
}

/** Deletes card budgets, because attempts of one scenario must not count in the next. */
async function resetCardBudgets({ installation }: Harness, { workspaceId }: TestWorkspace): Promise<void> {
  for (const table of ['card_budgets', 'network_attempts'])
    await installation
      .ownerOf(workspaceId)
      .query(`delete from ${table} where workspace_id = $1`, [uuidOf(workspaceId)])
}

async function runStep(run: PaymentRun, step: Step): Promise<string> {
  switch (step.do) {
    case 'together':
      return (await Promise.all(step.actions.map((action) => perform(run, action)))).join(' | ')
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

async function perform(run: PaymentRun, action: Action): Promise<string> {
  const { harness } = run
  switch (action.do) {
    case 'repeat':
      return repeat(run, action.of)
    case 'publish':
      return publishDuringRun(run, action.variant)
    case 'breaker':
      return setBreaker(run, action.account, action.isOpen)
    case 'work':
      return processWork(run, { concurrently: action.concurrently, fault: action.fault })
    case 'wake':
      harness.freezer.thaw()
      // The thawed processes continue in the background, concurrently with the next step.
      return 'done'
    case 'pay':
    case 'capture':
    case 'cancel':
    case 'refund':
      return performRequest(run, action)
    default: {
      const id = await findPaymentId(run, action.payment)
      return id === null ? 'the payment does not exist' : performOnPayment(run, id, action)
    }
  }
}

type PaymentAction = Extract<
  Action,
  { readonly do: 'get' | 'return' | 'forge' | 'dispute' | 'refund_at_provider' | 'return_debit' }
>

/** Actions on an existing payment that are not requests with an idempotency key. */
async function performOnPayment(run: PaymentRun, id: string, action: PaymentAction): Promise<string> {
  switch (action.do) {
    case 'get':
      return responseText(await callApi(run, 'GET', `/payments/${id}`))
    case 'return':
      return completePayerAction(run, id, action.button)
    case 'forge':
      return forgeWebhook(run, id)
    case 'dispute':
      return disputePayment(run, id, action)
    case 'refund_at_provider':
      return refundAtProvider(run, id, action.share)
    case 'return_debit':
      return returnDebit(run, id)
  }
}

async function performRequest(run: PaymentRun, request: Request): Promise<string> {
  const httpRequest = await buildRequest(run, request)
  if (httpRequest === null) return 'the payment does not exist'
  const responses = await trackRoutingStates(run, request, sendRequest(run, request, httpRequest))
  for (const response of responses) storePaymentId(run, request, response)
  return responses.map(responseText).join(' and ')
}

async function repeat(run: PaymentRun, requestId: number): Promise<string> {
  const request = requestsIn(run.scenario).find(({ id }) => id === requestId)
  if (request === undefined) return 'the request was never sent'
  const response = await trackRoutingStates(run, request, repeatRequest(run, requestId))
  if (response === null) return 'the request was never sent'
  storePaymentId(run, request, response)
  return responseText(response)
}

/**
 * Records the routing states from the first request to the last response: the payment is created in between.
 */
async function trackRoutingStates<T>(
  { routingStates, routingStatesDuring }: PaymentRun,
  request: Request,
  sending: Promise<T>,
): Promise<T> {
  if (request.do !== 'pay') return sending
  const from = Math.min(
    routingStatesDuring.get(request.payment)?.from ?? Number.POSITIVE_INFINITY,
    routingStates.length - 1,
  )
  routingStatesDuring.set(request.payment, { from, to: routingStates.length - 1 })
  const responses = await sending
  routingStatesDuring.set(request.payment, { from, to: routingStates.length - 1 })
  return responses
}

function storePaymentId({ ids }: PaymentRun, request: Request, response: Response): void {
  if (!response.isReceived || request.do !== 'pay') return
  const body = JSON.parse(response.text)
  const id = response.status === 201 ? body.id : body.resource_id
  if (typeof id === 'string') ids.set(request.payment, id)
}

async function buildRequest(run: PaymentRun, request: Request): Promise<HttpRequest | null> {
  if (request.do === 'pay') return buildPayRequest(run, request)
  const id = await findPaymentId(run, request.payment)
  if (id === null) return null
  const amount = 'amount' in request && request.amount !== null ? { amount: request.amount } : {}
  if (request.do === 'refund')
    return { method: 'POST', url: '/refunds', payload: { payment_id: id, ...amount } }
  if (request.do === 'cancel') return { method: 'POST', url: `/payments/${id}/cancel`, payload: {} }
  return { method: 'POST', url: `/payments/${id}/capture`, payload: { ...amount, final: request.final } }
}

async function buildPayRequest(
  run: PaymentRun,
  request: Extract<Request, { do: 'pay' }>,
): Promise<HttpRequest> {
  const { workspace, name } = run
  const payload = {
    amount: request.amount,
    currency: request.currency,
    capture_method: request.capture,
    initiator: request.initiator,
    ...(await cardMembers(run, request)),
    ...(request.order === null ? {} : { order_reference: `${name}-${request.order}` }),
    ...(request.routed ? { payment_route_id: workspace.routeId } : {}),
    metadata: { simulate: request.card, scenario: name, payment: String(request.payment) },
  }
  return { method: 'POST', url: '/payments', payload }
}

/** The id of the payment with this number in the scenario; null if it does not exist. */
export async function findPaymentId(
  { ids, harness, workspace, floor, name }: PaymentRun,
  payment: number,
): Promise<string | null> {
  const known = ids.get(payment)
  if (known !== undefined) return known
  const { rows } = await harness.installation.ownerOf(workspace.workspaceId).query(
    `select id from payments where workspace_id = $1 and id >= $2
       and metadata->>'scenario' = $3 and metadata->>'payment' = $4`,
    [uuidOf(workspace.workspaceId), floor, name, String(payment)],
  )
  const found = rows[0]?.id
  if (found === undefined) return null
  const id = idFromUuid('payment', 'test', found)
  ids.set(payment, id)
  return id
}
