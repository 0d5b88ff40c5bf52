/**
 * Worker: processes history in pages, each read in its own transaction, and periodically saves progress and
 * tally. A crash only repeats the work since the last save. A worker stops if it finds that a cancellation or
 * another worker has changed the row since.
 */
import type { Deps } from '../../../../deps.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds, monotonicMs } from '../../../../kernel/clock.ts'
import { idFromUuid, type Mode, modeOf, type Ref, uuidFloor, uuidOf } from '../../../../kernel/id.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { amountBandOf, compareSettledCosts } from '../../../finance/settled-costs/service.ts'
import {
  type Comparison,
  choicesFor,
  countHistory,
  estimatedCostAt,
  type HistoricalPayment,
  loadComparison,
  readHistory,
} from '../../payment-routes/service/history.ts'
import { routeSimulationCompleted } from '../events.ts'
import { routeSimulationMachine } from '../machine.ts'
import { resultOf } from '../result.ts'
import type { RouteSimulation } from '../route-simulation.ts'
import * as store from '../store.ts'
import { capturedCellsOf, type FeeSegment, type Segment, TallyBuilder } from '../tally.ts'

/** Small enough that comparing a page does not block other work of this process. */
const pageSize = 1_000
const countBatchSize = 50_000
/** The save interval: the longest delay of a cancellation, and the most work repeated after a crash. */
const saveEveryMs = 400
/** A worker that has not saved for this time is considered crashed. */
const leaseSeconds = 15
/** After this time the worker lets other simulations run, and continues later. */
const maxTurnMs = 20_000

export async function runSimulation(deps: Deps, ref: Ref<'route_simulation'>): Promise<void> {
  const caller = systemCaller(ref)
  const claimed = await transact(deps, caller, (tx) => claim(tx, ref))
  if (claimed === null) return
  const counted = claimed.total === null ? await countAll(deps, caller, claimed) : claimed
  if (counted !== null) await compareAll(deps, caller, counted)
}

/** A message may be late or a duplicate. The row shows whether there is anything to do. */
async function claim(tx: Tx, ref: Ref<'route_simulation'>): Promise<RouteSimulation | null> {
  const before = await store.lockSimulation(tx, ref.id)
  if (before.dueAt === null || before.dueAt > tx.now) return null
  return store.updateProgress(tx, before, { dueAt: addSeconds(tx.now, leaseSeconds) })
}

/** Returns null if the row was changed since it was read. */
function save(
  deps: Deps,
  caller: Caller,
  current: RouteSimulation,
  write: (tx: Tx, before: RouteSimulation) => Promise<RouteSimulation>,
): Promise<RouteSimulation | null> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockSimulation(tx, current.id)
    return before.version === current.version ? write(tx, before) : null
  })
}

type Lease = { readonly dueAt: Date }
const newLease = (tx: Tx): Lease => ({ dueAt: addSeconds(tx.now, leaseSeconds) })

const uuidRangeOf = ({ fromAt, toAt }: RouteSimulation) => ({
  // Both bounds are inclusive, and ids start with their timestamp.
  after: uuidFloor(fromAt),
  before: uuidFloor(new Date(toAt.getTime() + 1)),
})

/** Counts all payments, which is the total that progress refers to. Reads only ids, so it is fast. */
async function countAll(
  deps: Deps,
  caller: Caller,
  claimed: RouteSimulation,
): Promise<RouteSimulation | null> {
  let { after, before } = uuidRangeOf(claimed)
  let total = 0
  let current: RouteSimulation | null = claimed
  let savedMs = monotonicMs()
  for (;;) {
    const batch = await read(deps, caller, (view) =>
      countHistory(view, { after, before, limit: countBatchSize }),
    )
    total += batch?.counted ?? 0
    if (batch === null || batch.counted < countBatchSize) break
    after = batch.last
    if (monotonicMs() - savedMs < saveEveryMs) continue
    current = await save(deps, caller, current, (tx, row) => store.updateProgress(tx, row, newLease(tx)))
    if (current === null) return null
    savedMs = monotonicMs()
  }
  return save(deps, caller, current, (tx, row) => store.updateProgress(tx, row, { ...newLease(tx), total }))
}

async function compareAll(deps: Deps, caller: Caller, simulation: RouteSimulation): Promise<void> {
  const comparison = await read(deps, caller, (view) =>
    loadComparison(deps, view, {
      routeId: simulation.paymentRouteId,
      revision: simulation.revision,
      againstRouteId: simulation.againstRouteId,
      against: simulation.against,
    }),
  )
  const tallyBuilder = new TallyBuilder(simulation.tally)
  const compare = comparerFor(tallyBuilder, comparison, simulation)
  const turnEndsMs = monotonicMs() + maxTurnMs
  let savedMs = monotonicMs()
  let current = simulation
  let progress = { done: simulation.done, cursor: simulation.cursor }
  for await (const page of pagesOf(deps, caller, simulation, comparison)) {
    for (const payment of page) compare(payment)
    progress = { done: progress.done + page.length, cursor: page.at(-1)?.uuid ?? progress.cursor }
    const nowMs = monotonicMs()
    if (nowMs - savedMs < saveEveryMs) continue
    const hasTurnEnded = nowMs >= turnEndsMs
    const tally = tallyBuilder.tally()
    const saved = await save(deps, caller, current, (tx, row) =>
      store.updateProgress(tx, row, {
        ...progress,
        tally,
        dueAt: hasTurnEnded ? tx.now : newLease(tx).dueAt,
      }),
    )
    if (saved === null || hasTurnEnded) return
    current = saved
    savedMs = nowMs
  }
  await save(deps, caller, current, (tx, row) => complete(tx, row, tallyBuilder, progress))
}

/** Reads the next page while the current one is compared. */
async function* pagesOf(
  deps: Deps,
  caller: Caller,
  simulation: RouteSimulation,
  comparison: Comparison,
): AsyncGenerator<readonly HistoricalPayment[]> {
  const { after, before } = uuidRangeOf(simulation)
  // If the loop stops early, a read may still be pending; its rejection must not be reported as unhandled.
  const startRead = (cursor: string) => {
    const range = { after: cursor, before, limit: pageSize }
    return Promise.allSettled([read(deps, caller, (view) => readHistory(view, range, comparison))])
  }
  let next = startRead(simulation.cursor ?? after)
  for (;;) {
    const [page] = await next
    if (page.status === 'rejected') throw page.reason
    const last = page.value.at(-1)
    if (last === undefined) return
    next = startRead(last.uuid)
    yield page.value
  }
}

async function complete(
  tx: Tx,
  before: RouteSimulation,
  tallyBuilder: TallyBuilder,
  progress: Pick<RouteSimulation, 'done' | 'cursor'>,
): Promise<RouteSimulation> {
  const row = nextTransition(routeSimulationMachine, {
    state: before.status,
    trigger: 'end_reached',
    facts: {},
  })
  const tally = tallyBuilder.tally()
  const settledCosts = await compareSettledCosts(tx, capturedCellsOf(tally))
  const after = await store.updateWithEvent(tx, before, {
    ...progress,
    // The count missed payments whose transactions were still open, so use the number of processed payments.
    total: progress.done,
    tally: null,
    status: row.to,
    result: { ...resultOf(tally), settledCosts },
    dueAt: null,
    completedAt: tx.now,
  })
  tx.emit(routeSimulationCompleted, { before, after })
  return after
}

/**
 * Whether a first attempt with this status was approved. Other statuses have not ended and are not counted.
 */
const approvals: Readonly<Record<string, boolean>> = {
  authorized: true,
  captured: true,
  voided: true,
  expired: true,
  declined: false,
  failed: false,
}

function comparerFor(
  tallyBuilder: TallyBuilder,
  comparison: Comparison,
  { id, payments, paymentRouteId }: RouteSimulation,
) {
  const idOf = accountIds(modeOf(id))
  const routeUuid = payments === 'route' ? uuidOf(paymentRouteId) : null
  return (payment: HistoricalPayment): void => {
    const { first } = payment
    const account = first === null ? null : idOf(first.accountUuid)
    const segment = segmentOf(payment)
    const approved = first === null ? undefined : approvals[first.status]
    if (account !== null && approved !== undefined) tallyBuilder.addAttempt({ account, segment, approved })
    if (routeUuid !== null && payment.routeUuid !== routeUuid) return
    const { before: from, after: to, cause } = choicesFor(comparison, payment, account)
    tallyBuilder.addComparison({ paymentId: () => payment.keys.payment, segment, from, to, cause })
    // A failed attempt has no known fee.
    if (approved === true) addCost(tallyBuilder, comparison, { payment, account, to })
    addCaptured(tallyBuilder, comparison, { payment, account, to })
  }
}

type CostComparison = {
  readonly payment: HistoricalPayment
  readonly account: string | null
  readonly to: string | null
}

/** A card verification has no amount, so it has no cost to compare. */
function addCost(tallyBuilder: TallyBuilder, comparison: Comparison, costs: CostComparison): void {
  const { payment, account, to } = costs
  if (payment.operands.purpose === 'verification') return
  tallyBuilder.addCost({
    currency: payment.operands.currency as string,
    actual: estimatedCostAt(comparison, payment, account),
    simulated: estimatedCostAt(comparison, payment, to),
  })
}

/** Only captured payments are settled: voided and expired authorizations have no fee in settlement reports. */
function addCaptured(tallyBuilder: TallyBuilder, comparison: Comparison, costs: CostComparison): void {
  const { payment, account, to } = costs
  if (!comparison.hasSettledCosts || account === null || payment.first?.status !== 'captured') return
  const amount = BigInt(payment.operands.amount as number)
  tallyBuilder.addCaptured({ from: account, to, segment: feeSegmentOf(payment, amount), amount })
}

function segmentOf({ operands }: HistoricalPayment): Segment {
  return {
    currency: operands.currency as string,
    card_brand: operands['card.brand'] as string,
    card_country: (operands['card.country'] as string | undefined) ?? null,
  }
}

/** Card details in the settlement line take precedence, because the costs come from such lines. */
function feeSegmentOf({ operands, settledCard }: HistoricalPayment, amount: bigint): FeeSegment {
  const brand = operands['card.brand'] as string
  return {
    currency: operands.currency as string,
    card: {
      brand: brand === 'unknown' ? null : brand,
      country: settledCard?.country ?? (operands['card.country'] as string | undefined) ?? null,
      funding: settledCard?.funding ?? (operands['card.funding'] as string | undefined) ?? null,
    },
    amountBand: amountBandOf(amount),
  }
}

/** Cached, because there are few accounts and each occurs thousands of times. */
function accountIds(mode: Mode): (uuid: string) => string {
  const cached = new Map<string, string>()
  return (uuid) => {
    const id = cached.get(uuid) ?? idFromUuid('provider_account', mode, uuid)
    cached.set(uuid, id)
    return id
  }
}
