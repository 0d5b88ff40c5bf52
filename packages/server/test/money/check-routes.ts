// Checks routing: each payment used a revision that was published at that time, and tried accounts in an
// order that this revision allows, with failing accounts last. No card was tried more often than its network
// allows.

import { isScripted, supportsPayment } from './account-kinds.ts'
import type { Pay, PaymentScenario } from './payment-scenario.ts'
import { type PaymentRow, type Records, wireIdOf } from './records.ts'
import { routeVariantDefinitions } from './route-variants.ts'
import { type PaymentRun, type ProviderCall, type RoutingState, requestsIn } from './scenario-run.ts'

type CheckInput = {
  readonly records: Records
  readonly run: PaymentRun
  readonly calls: readonly ProviderCall[]
}

type RecordedRun = Pick<CheckInput, 'records' | 'run'>

export function routesAreFollowed({ records, run }: CheckInput): string[] {
  const requestByPayment = new Map(requestsIn(run.scenario).map((request) => [request.payment, request]))
  return records.payments.flatMap((row) => {
    const pay = requestByPayment.get(Number(row.metadata.payment))
    if (pay?.do !== 'pay') return []
    const violations = pay.routed
      ? routedViolations(row, pay, { records, run })
      : unroutedViolations(row, pay, { records, run })
    return violations.map((violation) => `route: ${wireIdOf(row.id)}: ${violation}`)
  })
}

function attemptsOf({ attempts }: Records, row: PaymentRow) {
  return attempts.filter(({ payment_id }) => payment_id === row.id).toSorted((a, b) => a.number - b.number)
}

/** Without a route, accounts are tried in order of position. */
function unroutedViolations(row: PaymentRow, pay: Pay, { records, run }: RecordedRun): string[] {
  const { workspace } = run
  if (row.route_revision !== null) return ['it was created without a route, but has a revision']
  const [first] = attemptsOf(records, row)
  if (first === undefined) return []
  const index = accountIndexOf(workspace.accounts, first.provider_account_id)
  const order = [0, 1].filter((account) => supportsPayment(workspace.kinds, account, pay))
  const allowed = routingStatesFor(run, row).map(({ open }) =>
    firstAccountIn(order, workspace.accounts, open),
  )
  return allowed.includes(index) ? [] : [`account ${index + 1} was tried first`]
}

function routedViolations(row: PaymentRow, pay: Pay, { records, run }: RecordedRun): string[] {
  const { workspace } = run
  const routingStates = routingStatesFor(run, row).filter(({ revision }) => revision === row.route_revision)
  if (routingStates.length === 0)
    return [`it used revision ${row.route_revision}, which was not published at that time`]
  const attempts = attemptsOf(records, row)
  const orders = routingStates.flatMap(({ variant, open }) =>
    (routeVariantDefinitions[variant].accountSequences(row.amount) ?? [])
      .map((order) => order.filter((account) => supportsPayment(workspace.kinds, account, pay)))
      .filter((order) => order.length > 0)
      .map((order) => ({ order, first: firstAccountIn(order, workspace.accounts, open) })),
  )
  const [first, second] = attempts.map((attempt) =>
    accountIndexOf(workspace.accounts, attempt.provider_account_id),
  )
  if (first === undefined) return []
  if (orders.length === 0)
    return ['an account was tried, although no variant at that time has an account for the payment']
  const violations = attempts
    .filter(({ trace }) => trace.revision !== row.route_revision)
    .map(({ number }) => `attempt ${number} used a different revision than its payment`)
  const matchingOrders = orders.filter((candidate) => candidate.first === first)
  if (matchingOrders.length === 0)
    violations.push(`account ${first + 1} was tried first, which no variant at that time allows`)
  if (
    second !== undefined &&
    (second === first || !matchingOrders.some(({ order }) => order.includes(second)))
  )
    violations.push(`account ${second + 1} was tried next, which no variant at that time allows`)
  return violations
}

const accountIndexOf = (accounts: readonly string[], uuid: string) =>
  accounts.findIndex((id) => id.slice(-26) === accountIdOf(uuid))

const accountIdOf = (uuid: string) => wireIdOf(uuid).slice(-26)

/** A failing account is tried last, but never skipped. */
function firstAccountIn(
  order: readonly number[],
  accounts: readonly string[],
  open: ReadonlySet<string>,
): number {
  return order.find((index) => !open.has(accounts[index] as string)) ?? (order[0] as number)
}

/** The routing states from the request to its response. */
function routingStatesFor(
  { routingStates, routingStatesDuring }: PaymentRun,
  row: PaymentRow,
): readonly RoutingState[] {
  const { from, to } = routingStatesDuring.get(Number(row.metadata.payment)) ?? {
    from: 0,
    to: routingStates.length - 1,
  }
  return routingStates.slice(from, to + 1)
}

type AuthorizationCall = {
  readonly atMs: number
  readonly amount: number
  readonly reference: string
  readonly outcome: string
}

const day = 86_400_000
/** Declines after which the card must not be tried again. */
const permanentDeclines = ['decline:14']
/** The number of declined attempts that are allowed within a period. */
const limits = [
  { count: 4, withinMs: day },
  { count: 15, withinMs: 30 * day },
]

/** In test workspaces, only merchant-initiated attempts count. */
export function networkLimitsAreRespected({ run, calls }: CheckInput): string[] {
  const { scenario } = run
  if (requestsIn(scenario).some(({ fault }) => fault !== null)) return []
  const authorizations = findAuthorizations(calls)
  const hasKnownOrder = isSequential(scenario) && !hasDelayedResult(run)
  return authorizations.flatMap((authorization, index) => {
    // Scripted payments all use one card. Otherwise each outcome has its own card.
    const isSameCard = ({ outcome }: AuthorizationCall) =>
      isScripted(scenario.accounts) || outcome === authorization.outcome
    const before = authorizations.slice(0, index).filter(isSameCard)
    const sameAmount = before.filter(({ amount }) => amount === authorization.amount)
    const approvedIndex = sameAmount.findLastIndex(({ outcome }) => outcome === 'approve')
    // For concurrent requests the order cannot be determined from outside.
    if (!hasKnownOrder && approvedIndex !== -1) return []
    const declined = sameAmount.slice(approvedIndex + 1)
    const exceeded = limits.filter(
      ({ count, withinMs }) =>
        declined.filter(({ atMs }) => authorization.atMs - atMs < withinMs).length >= count,
    )
    const isBlocked = hasKnownOrder && before.some(({ outcome }) => permanentDeclines.includes(outcome))
    return [
      ...exceeded.map(
        ({ count }) => `network rule: ${authorization.reference} was tried after ${count} declines`,
      ),
      ...(isBlocked ? [`network rule: ${authorization.reference} was tried after a permanent decline`] : []),
    ]
  })
}

/** Whether the result of a payment was not known when its request ended, for example because the machine was busy. */
function hasDelayedResult({ responses }: PaymentRun): boolean {
  return [...responses.values()].flat().some(({ text }) => text.includes('"status":"processing"'))
}

/** New authorizations that a provider accepted, the oldest first. */
function findAuthorizations(calls: readonly ProviderCall[]): AuthorizationCall[] {
  const byReference = new Map<string, AuthorizationCall>()
  for (const { at, method, answer, body } of calls) {
    const { reference, kind, amount = 0, initiator, metadata } = body ?? {}
    const isNew = method === 'PUT' && kind === 'authorize' && initiator === 'merchant'
    if (!isNew || reference === undefined || byReference.has(reference) || !answer?.startsWith('200'))
      continue
    byReference.set(reference, {
      atMs: Date.parse(at),
      amount,
      reference,
      outcome: metadata?.simulate ?? 'approve',
    })
  }
  return [...byReference.values()].toSorted((a, b) => a.atMs - b.atMs || (a.reference < b.reference ? -1 : 1))
}

function isSequential(scenario: PaymentScenario): boolean {
  const pays = requestsIn(scenario).filter((request): request is Pay => request.do === 'pay')
  const hasConcurrentSteps = scenario.steps.some((step) => step.do === 'together')
  return !hasConcurrentSteps && pays.every(({ isDuplicated, impatient }) => !isDuplicated && !impatient)
}
