/**
 * Work: goes through history in pages, each read in a transaction of its own, and remembers now and then how far it
 * got and what it counted. Whoever is killed leaves at most a moment's work to be done again; whoever finds that
 * somebody else has written since, a cancel or another runner, stops.
 */
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import { addSeconds, monotonicMs } from '../../../kernel/clock.ts'
import { idFromUuid, type Mode, modeOf, type Ref, uuidFloor, uuidOf } from '../../../kernel/id.ts'
import { step } from '../../../kernel/machine.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import {
  type Comparison,
  choicesFor,
  countHistory,
  type HistoricPayment,
  openComparison,
  readHistory,
} from '../../payment-routes/service/history.ts'
import { routeSimulationCompleted } from '../events.ts'
import { routeSimulationMachine } from '../machine.ts'
import { resultOf } from '../result.ts'
import type { RouteSimulation } from '../route-simulation.ts'
import * as store from '../store.ts'
import { Counting } from '../tally.ts'

/** So few that nobody else in this process waits for long while they are compared. */
const pageSize = 1_000
const countedAtOnce = 50_000
/** A cancel is noticed after so long, and after a kill no more than this is done again. */
const saveEveryMs = 400
/** After this a runner that says nothing any more is taken for dead. */
const leaseSeconds = 15
/** Then somebody else has a turn. */
const longestTurnMs = 20_000

export async function runSimulation(deps: Deps, ref: Ref<'route_simulation'>): Promise<void> {
  const caller = systemCaller(ref)
  const taken = await transact(deps, caller, (tx) => take(tx, ref))
  if (taken === null) return
  const counted = taken.total === null ? await countAll(deps, caller, taken) : taken
  if (counted !== null) await compareAll(deps, caller, counted)
}

/** A message may come late or twice. The row knows whether there is anything to do. */
async function take(tx: Tx, ref: Ref<'route_simulation'>): Promise<RouteSimulation | null> {
  const before = await store.lockSimulation(tx, ref.id)
  if (before.dueAt === null || before.dueAt > tx.now) return null
  return store.updateProgress(tx, before, { dueAt: addSeconds(tx.now, leaseSeconds) })
}

/** Null: somebody else has written since. */
function save(
  deps: Deps,
  caller: Caller,
  known: RouteSimulation,
  write: (tx: Tx, before: RouteSimulation) => Promise<RouteSimulation>,
): Promise<RouteSimulation | null> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockSimulation(tx, known.id)
    return before.version === known.version ? write(tx, before) : null
  })
}

type Held = { readonly dueAt: Date }
const held = (tx: Tx): Held => ({ dueAt: addSeconds(tx.now, leaseSeconds) })

const stretchOf = ({ fromAt, toAt }: RouteSimulation) => ({
  // Both bounds belong to it, and of an id the first digits are the time.
  after: uuidFloor(fromAt),
  before: uuidFloor(new Date(toAt.getTime() + 1)),
})

/** Ids alone, so it takes a moment; then progress has an end. */
async function countAll(deps: Deps, caller: Caller, taken: RouteSimulation): Promise<RouteSimulation | null> {
  let { after, before } = stretchOf(taken)
  let total = 0
  let known: RouteSimulation | null = taken
  let savedMs = monotonicMs()
  for (;;) {
    const piece = await read(deps, caller, (view) =>
      countHistory(view, { after, before, limit: countedAtOnce }),
    )
    total += piece?.counted ?? 0
    if (piece === null || piece.counted < countedAtOnce) break
    after = piece.last
    if (monotonicMs() - savedMs < saveEveryMs) continue
    known = await save(deps, caller, known, (tx, row) => store.updateProgress(tx, row, held(tx)))
    if (known === null) return null
    savedMs = monotonicMs()
  }
  return save(deps, caller, known, (tx, row) => store.updateProgress(tx, row, { ...held(tx), total }))
}

async function compareAll(deps: Deps, caller: Caller, begun: RouteSimulation): Promise<void> {
  const comparison = await read(deps, caller, (view) =>
    openComparison(deps, view, begun.paymentRouteId, begun),
  )
  const counting = new Counting(begun.tally)
  const look = lookerFor(counting, comparison, begun)
  const turnEndsMs = monotonicMs() + longestTurnMs
  let savedMs = monotonicMs()
  let known = begun
  let progress = { done: begun.done, cursor: begun.cursor }
  for await (const page of pagesOf(deps, caller, begun, comparison)) {
    for (const payment of page) look(payment)
    progress = { done: progress.done + page.length, cursor: page.at(-1)?.uuid ?? progress.cursor }
    const nowMs = monotonicMs()
    if (nowMs - savedMs < saveEveryMs) continue
    const isOver = nowMs >= turnEndsMs
    const tally = counting.tally()
    const saved = await save(deps, caller, known, (tx, row) =>
      store.updateProgress(tx, row, { ...progress, tally, dueAt: isOver ? tx.now : held(tx).dueAt }),
    )
    if (saved === null || isOver) return
    known = saved
    savedMs = nowMs
  }
  await save(deps, caller, known, (tx, row) => complete(tx, row, counting, progress))
}

/** The next page is read while the last one is looked at. */
async function* pagesOf(
  deps: Deps,
  caller: Caller,
  begun: RouteSimulation,
  comparison: Comparison,
): AsyncGenerator<readonly HistoricPayment[]> {
  const { after, before } = stretchOf(begun)
  // Whoever stops early leaves one behind; that it failed must not be news to anybody.
  const begin = (cursor: string) => {
    const stretch = { after: cursor, before, limit: pageSize }
    return Promise.allSettled([read(deps, caller, (view) => readHistory(view, stretch, comparison))])
  }
  let next = begin(begun.cursor ?? after)
  for (;;) {
    const [page] = await next
    if (page.status === 'rejected') throw page.reason
    const last = page.value.at(-1)
    if (last === undefined) return
    next = begin(last.uuid)
    yield page.value
  }
}

async function complete(
  tx: Tx,
  before: RouteSimulation,
  counting: Counting,
  progress: Pick<RouteSimulation, 'done' | 'cursor'>,
): Promise<RouteSimulation> {
  const row = step(routeSimulationMachine, { state: before.status, trigger: 'end_reached', facts: {} })
  const after = await store.updateTold(tx, before, {
    ...progress,
    // Payments whose units were still open when they were counted may have come since.
    total: progress.done,
    tally: null,
    status: row.to,
    result: resultOf(counting.tally()),
    dueAt: null,
    completedAt: tx.now,
  })
  tx.emit(routeSimulationCompleted, { before, after })
  return after
}

/** What an issuer or a provider said of the first attempt; what is not over says nothing. */
const approvals: Readonly<Record<string, boolean>> = {
  ...{ authorized: true, captured: true, voided: true, expired: true },
  ...{ declined: false, failed: false },
}

function lookerFor(
  counting: Counting,
  comparison: Comparison,
  { id, payments, paymentRouteId }: RouteSimulation,
) {
  const idOf = accountIds(modeOf(id))
  const routeUuid = payments === 'route' ? uuidOf(paymentRouteId) : null
  return (payment: HistoricPayment): void => {
    const { operands, first } = payment
    const account = first === null ? null : idOf(first.accountUuid)
    const segment = {
      currency: operands.currency as string,
      card_brand: operands['card.brand'] as string,
      card_country: (operands['card.country'] as string | undefined) ?? null,
    }
    const approved = first === null ? undefined : approvals[first.status]
    if (account !== null && approved !== undefined) counting.observe({ account, segment, approved })
    if (routeUuid !== null && payment.routeUuid !== routeUuid) return
    const { before: from, after: to, cause } = choicesFor(comparison, payment, account)
    counting.pass({ paymentId: () => payment.keys.payment, segment, from, to, cause })
  }
}

/** There are few accounts, and each is met a thousand times. */
function accountIds(mode: Mode): (uuid: string) => string {
  const known = new Map<string, string>()
  return (uuid) => {
    const id = known.get(uuid) ?? idFromUuid('provider_account', mode, uuid)
    known.set(uuid, id)
    return id
  }
}
