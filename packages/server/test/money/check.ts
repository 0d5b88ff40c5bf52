// The judge. The ledgers of the providers say what happened to the money; our books have to agree with them, and
// with themselves. Each check gives a sentence for everything that is wrong.

import { paymentMachine } from '../../src/domains/payments/machine.ts'
import { type Books, booksOf, type PaymentRow, type Telling, wireIdOf } from './books.ts'
import { networksAreObeyed, routesAreKept } from './check-routes.ts'
import { callsOf, type Fact, factsOf, type Playing, type SeenCall } from './playing.ts'

type Case = {
  readonly books: Books
  /** Of both providers together. */
  readonly facts: readonly Fact[]
  /** What both were asked, in the order of each. */
  readonly calls: readonly SeenCall[]
  readonly playing: Playing
}
type Check = (given: Case) => readonly string[]

export async function checkBooks(playing: Playing): Promise<void> {
  const { stage, ground, factsBefore, callsBefore } = playing
  const books = await booksOf(playing)
  const ledgers = await Promise.all(ground.accounts.map((account) => factsOf(stage, account)))
  const facts = ledgers.flatMap((ledger, place) => ledger.slice(factsBefore[place]))
  const seen = await Promise.all(ground.accounts.map((account) => callsOf(stage, account)))
  const calls = seen.flatMap((all, place) => all.slice(callsBefore[place]))
  const given = { books, facts, calls, playing }
  for (const check of checks) playing.wrongs.push(...check(given))
}

/** What is left of a charge at its provider. */
type Left = { readonly payment: string; readonly taken: number; readonly held: number }

function leftOf(facts: readonly Fact[]): Left[] {
  const sum = (of: readonly Fact[], kind: Fact['fact']) =>
    of.filter(({ fact }) => fact === kind).reduce((total, { amount }) => total + amount, 0)
  return facts
    .filter(({ fact }) => fact === 'charge')
    .map((charge) => {
      const about = facts.filter(({ parent_reference }) => parent_reference === charge.reference)
      const captured = charge.capture ? charge.amount : sum(about, 'capture')
      return {
        payment: charge.payment_id,
        taken: captured - sum(about, 'refund'),
        held: charge.capture ? 0 : charge.amount - captured - sum(about, 'void'),
      }
    })
}

const isCharged = ({ taken, held }: Left) => taken > 0 || held > 0

function chargedOnce({ books, facts }: Case): string[] {
  const left = leftOf(facts).filter(isCharged)
  const byPayment = Map.groupBy(left, ({ payment }) => payment)
  const twice = [...byPayment].filter(([, charges]) => charges.length > 1)
  const orderOf = new Map(books.payments.map((row) => [wireIdOf(row.id), row.order_reference]))
  const byOrder = Map.groupBy(left, ({ payment }) => orderOf.get(payment) ?? null)
  byOrder.delete(null)
  const orders = [...byOrder].filter(([, charges]) => charges.length > 1)
  return [
    ...twice.map(([payment, charges]) => `double charge: ${payment} is charged ${charges.length} times`),
    ...orders.map(([order, charges]) => `double charge: order ${order} is charged ${charges.length} times`),
  ]
}

function nothingLost({ books, facts }: Case): string[] {
  const known = new Set(books.payments.map(({ id }) => wireIdOf(id)))
  const strangers = facts.filter(({ payment_id }) => !known.has(payment_id))
  return strangers.map(
    ({ fact, amount, payment_id }) => `lost: a ${fact} of ${amount} for ${payment_id}, which is in no books`,
  )
}

/** Ours against theirs, unless it is flagged: then a person compares. */
function booksAgree({ books, facts }: Case): string[] {
  return books.payments
    .filter(({ id, review }) => review === null && !hasOpenReview(books, id))
    .flatMap((row) => {
      const left = leftOf(facts.filter(({ payment_id }) => payment_id === wireIdOf(row.id)))
      const taken = left.reduce((sum, one) => sum + one.taken, 0)
      const held = left.reduce((sum, one) => sum + one.held, 0)
      const ours = row.amount_captured - row.amount_refunded
      const wrongs = ours === taken ? [] : [`our books say ${ours} taken, the ledgers ${taken}`]
      if (row.status === 'requires_capture' && held !== row.amount_capturable)
        wrongs.push(`our books say ${row.amount_capturable} held, the ledgers ${held}`)
      if ((row.status === 'failed' || row.status === 'cancelled') && held !== 0)
        wrongs.push(`it is ${row.status}, and ${held} are still held`)
      return wrongs.map((wrong) => `books differ: ${wireIdOf(row.id)} (${row.status}): ${wrong}`)
    })
}

function hasOpenReview({ operations }: Books, paymentUuid: string): boolean {
  return operations.some(({ payment_id, status }) => payment_id === paymentUuid && status === 'needs_review')
}

function flagsAreExplained({ books }: Case): string[] {
  const explained = new Set(books.conflicts.map(({ payment_id }) => payment_id))
  return books.payments
    .filter(({ id, review }) => review !== null && !explained.has(id) && !hasOpenReview(books, id))
    .map(({ id, review }) => `flag without a reason: ${wireIdOf(id)} is ${review}`)
}

const openStatuses = ['sending', 'pending', 'awaiting_customer', 'unknown']

function everythingEnds({ books }: Case): string[] {
  const open = books.operations.filter(({ status }) => openStatuses.includes(status))
  const unflagged = books.operations.filter(
    ({ status, payment_id, refund_id }) =>
      status === 'needs_review' &&
      // A refund says so itself: its payment is as it was.
      (refund_id === null
        ? books.payments.some(({ id, review }) => id === payment_id && review === null)
        : books.refunds.some(({ id, review }) => id === refund_id && review === null)),
  )
  const stuck = books.payments.filter(
    ({ id, status }) =>
      (status === 'processing' || status === 'requires_action') && !hasOpenReview(books, id),
  )
  const refunds = books.refunds.filter(
    ({ status, payment_id }) => status === 'pending' && !hasOpenReview(books, payment_id),
  )
  return [
    ...open.map(({ reference, kind, status }) => `never ends: ${kind} ${reference} is ${status}`),
    ...unflagged.map(({ reference }) => `not flagged: ${reference} needs a review, and nothing says so`),
    ...stuck.map(({ id, status }) => `never ends: ${wireIdOf(id)} is ${status}`),
    ...refunds.map(({ payment_id }) => `never ends: a refund of ${wireIdOf(payment_id)} is pending`),
  ]
}

const liveStatuses = ['started', 'requires_action', 'unresolved', 'authorized', 'captured']

/** Of a payment at most one attempt can hold money, and at most one was ever approved. */
function oneAttemptLives({ books }: Case): string[] {
  const live = Map.groupBy(
    books.attempts.filter(({ status }) => liveStatuses.includes(status)),
    ({ payment_id }) => payment_id,
  )
  const approved = Map.groupBy(
    books.operations.filter(({ kind, status }) => kind === 'authorize' && status === 'succeeded'),
    ({ payment_id }) => payment_id,
  )
  return [
    ...[...live].filter(([, all]) => all.length > 1).map(([id]) => `two live attempts: ${wireIdOf(id)}`),
    ...[...approved].filter(([, all]) => all.length > 1).map(([id]) => `two approvals: ${wireIdOf(id)}`),
  ]
}

const sumOf = (rows: readonly { readonly amount: number }[]) =>
  rows.reduce((sum, { amount }) => sum + amount, 0)

/** The amounts of a payment are those of what was done for it. */
function amountsAddUp({ books }: Case): string[] {
  return books.payments.flatMap((row) => {
    const refunds = books.refunds.filter(({ payment_id }) => payment_id === row.id)
    const done = books.operations.filter(
      ({ payment_id, status }) => payment_id === row.id && status === 'succeeded',
    )
    const taken = done.filter(({ kind, capture }) => kind === 'capture' || (kind === 'authorize' && capture))
    const expected = {
      amount_captured: sumOf(taken),
      amount_refunded: sumOf(refunds.filter(({ status }) => status === 'succeeded')),
      amount_refunding: sumOf(refunds.filter(({ status }) => status === 'pending')),
    }
    const faults = faultsOfAmounts(row)
    for (const [name, sum] of Object.entries(expected)) {
      const is = row[name as keyof typeof expected]
      if (is !== sum) faults.push(`${name} is ${is}, its parts are ${sum}`)
    }
    return faults.map((fault) => `amounts: ${wireIdOf(row.id)}: ${fault}`)
  })
}

type Amounts = Pick<
  PaymentRow,
  'status' | 'amount' | 'amount_capturable' | 'amount_captured' | 'amount_refunding' | 'amount_refunded'
>

function faultsOfAmounts(row: Amounts): string[] {
  const held = row.amount_capturable + row.amount_captured
  const back = row.amount_refunding + row.amount_refunded
  const isOver = row.status === 'failed' || row.status === 'cancelled'
  return [
    ...(held > row.amount ? [`holds and took ${held} of ${row.amount}`] : []),
    ...(back > row.amount_captured ? [`gives back ${back} of ${row.amount_captured}`] : []),
    ...(isOver && held > 0 ? [`it is ${row.status} and holds ${held}`] : []),
    ...(row.status === 'succeeded' && row.amount_captured === 0 ? ['it succeeded and took nothing'] : []),
  ]
}

/** Events without a gap, up to what the row is now, by moves that the machine has. */
function historyIsWhole({ books }: Case): string[] {
  const byObject = Map.groupBy(books.events, ({ object_id }) => object_id)
  const rows = [...books.payments, ...books.refunds]
  return rows.flatMap(({ id, sequence, status }) => {
    const told = byObject.get(id) ?? []
    const last = told.at(-1)
    const faults = told.some((event, place) => event.sequence !== place + 1) ? ['its events have a gap'] : []
    if (last?.sequence !== sequence) faults.push(`it is at ${sequence}, its events at ${last?.sequence}`)
    if (last?.object.status !== status)
      faults.push(`it is ${status}, its last event says ${last?.object.status}`)
    return [...faults, ...badMovesIn(told)].map((fault) => `history: ${wireIdOf(id)}: ${fault}`)
  })
}

function badMovesIn(told: readonly Telling[]): string[] {
  const ofPayment = told.filter(({ type }) => type.startsWith('payment.'))
  const moves = ofPayment.slice(1).map((event, place) => ({
    from: (ofPayment[place] as Telling).object.status,
    to: event.object.status,
  }))
  const bad = moves.filter(({ from, to }) => from !== to && !isListed(from, to))
  return [
    ...bad.map(({ from, to }) => `it went from ${from} to ${to}`),
    ...ofPayment.flatMap(({ object }) => faultsOfAmounts(object as unknown as Amounts)),
  ]
}

function isListed(from: string, to: string): boolean {
  return paymentMachine.rows.some((row) => row.from === from && row.to === to)
}

/** Whoever repeats a request hears what the first one heard. */
function answersAreEqual({ playing: { answers } }: Case): string[] {
  return [...answers].flatMap(([id, all]) => {
    const kept = all.filter(({ status, text }) => status < 500 && !text.includes('"idempotency_key_in_use"'))
    const comparable = new Set(
      kept.map(({ status, text }) => (status < 300 || status === 402 ? `${status} ${text}` : '')),
    )
    comparable.delete('')
    return comparable.size > 1
      ? [`answers differ: request ${id} was answered ${[...comparable].join(' and ')}`]
      : []
  })
}

/** What a caller was told exists. */
function answersAreKept({ books, playing: { ids } }: Case): string[] {
  const known = new Set(books.payments.map(({ id }) => wireIdOf(id)))
  return [...ids.values()]
    .filter((id) => !known.has(id))
    .map((id) => `forgotten: ${id} was answered and is gone`)
}

const checks: readonly Check[] = [
  chargedOnce,
  nothingLost,
  booksAgree,
  flagsAreExplained,
  everythingEnds,
  oneAttemptLives,
  amountsAddUp,
  historyIsWhole,
  answersAreEqual,
  answersAreKept,
  routesAreKept,
  networksAreObeyed,
]
