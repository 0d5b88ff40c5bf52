// Judges where payments went: each by a revision that was published when it was asked for, as the plan says, with
// accounts that fail asked last; and no card more often than its network allows, by what the providers saw.

import { type Books, type PaymentRow, wireIdOf } from './books.ts'
import { plans } from './plans.ts'
import { type Playing, requestsIn, type SeenCall, type Situation } from './playing.ts'
import type { Pay, Story } from './story.ts'

type Case = { readonly books: Books; readonly playing: Playing; readonly calls: readonly SeenCall[] }

export function routesAreKept({ books, playing }: Case): string[] {
  const asked = new Map(requestsIn(playing.story).map((request) => [request.payment, request]))
  return books.payments.flatMap((row) => {
    const pay = asked.get(Number(row.metadata.payment))
    if (pay?.do !== 'pay') return []
    const faults = pay.routed ? faultsOfRouted(row, books, playing) : faultsOfUnrouted(row, books, playing)
    return faults.map((fault) => `route: ${wireIdOf(row.id)}: ${fault}`)
  })
}

function attemptsOf({ attempts }: Books, row: PaymentRow) {
  return attempts.filter(({ payment_id }) => payment_id === row.id).toSorted((a, b) => a.number - b.number)
}

/** Without a route accounts are asked in their order. */
function faultsOfUnrouted(row: PaymentRow, books: Books, playing: Playing): string[] {
  const { ground } = playing
  if (row.route_revision !== null) return ['it names no route, and has one']
  const [first] = attemptsOf(books, row)
  if (first === undefined) return []
  const place = placeOf(ground.accounts, first.provider_account_id)
  const allowed = situationsOf(playing, row).map(({ open }) => firstOf([0, 1], ground.accounts, open))
  return allowed.includes(place) ? [] : [`account ${place + 1} was asked first`]
}

function faultsOfRouted(row: PaymentRow, books: Books, playing: Playing): string[] {
  const { ground } = playing
  const situations = situationsOf(playing, row).filter(({ revision }) => revision === row.route_revision)
  if (situations.length === 0)
    return [`it was made by revision ${row.route_revision}, which was not published then`]
  const attempts = attemptsOf(books, row)
  const orders = situations.flatMap(({ plan, open }) =>
    (plans[plan].orders(row.amount) ?? []).map((order) => ({
      order,
      first: firstOf(order, ground.accounts, open),
    })),
  )
  const [first, second] = attempts.map((one) => placeOf(ground.accounts, one.provider_account_id))
  if (first === undefined) return []
  if (orders.length === 0) return ['an account was asked, though every plan of then declines it']
  const faults = attempts
    .filter(({ trace }) => trace.revision !== row.route_revision)
    .map(({ number }) => `attempt ${number} was decided by another revision than the payment's`)
  const fitting = orders.filter((one) => one.first === first)
  if (fitting.length === 0) faults.push(`account ${first + 1} was asked first, which no plan of then says`)
  if (second !== undefined && (second === first || !fitting.some(({ order }) => order.includes(second))))
    faults.push(`account ${second + 1} was asked then, which no plan of then says`)
  return faults
}

const placeOf = (accounts: readonly string[], uuid: string) =>
  accounts.findIndex((id) => id.slice(-26) === accountIdOf(uuid))

const accountIdOf = (uuid: string) => wireIdOf(uuid).slice(-26)

/** One that fails is asked last, and never left out. */
function firstOf(order: readonly number[], accounts: readonly string[], open: ReadonlySet<string>): number {
  return order.find((place) => !open.has(accounts[place] as string)) ?? (order[0] as number)
}

/** What held at some time while it was asked for. */
function situationsOf({ situations, askedIn }: Playing, row: PaymentRow): readonly Situation[] {
  const { from, to } = askedIn.get(Number(row.metadata.payment)) ?? { from: 0, to: situations.length - 1 }
  return situations.slice(from, to + 1)
}

type Tried = {
  readonly atMs: number
  readonly amount: number
  readonly reference: string
  readonly word: string
}

const day = 86_400_000
/** What no later attempt may follow, and how many may within a time: the words of the networks, and ours. */
const never = ['decline:14']
const limits = [
  { count: 4, withinMs: day },
  { count: 15, withinMs: 30 * day },
]

/** In test workspaces what merchants ask for by themselves is counted, and nothing else. */
export function networksAreObeyed({ playing, calls }: Case): string[] {
  const { story } = playing
  if (requestsIn(story).some(({ fate }) => fate !== null)) return []
  const tried = triedIn(calls)
  const isInTurn = isSequential(story)
  return tried.flatMap((one, place) => {
    const before = tried.slice(0, place)
    const same = before.filter(({ amount }) => amount === one.amount)
    const approvedAt = same.findLastIndex(({ word }) => word === 'approve')
    // Of two at the same moment nobody can tell from outside which came first.
    if (!isInTurn && approvedAt !== -1) return []
    const counted = same.slice(approvedAt + 1)
    const broken = limits.filter(
      ({ count, withinMs }) => counted.filter(({ atMs }) => one.atMs - atMs < withinMs).length >= count,
    )
    const isBarred = isInTurn && before.some(({ word }) => never.includes(word))
    return [
      ...broken.map(({ count }) => `network rule: ${one.reference} was tried after ${count} declines`),
      ...(isBarred
        ? [`network rule: ${one.reference} was tried though the card never will be approved`]
        : []),
    ]
  })
}

/** New requests for money that a provider has taken in, the oldest first. */
function triedIn(calls: readonly SeenCall[]): Tried[] {
  const seen = new Map<string, Tried>()
  for (const { at, method, answer, body } of calls) {
    const { reference, kind, amount = 0, initiator, metadata } = body ?? {}
    const isNew = method === 'PUT' && kind === 'authorize' && initiator === 'merchant'
    if (!isNew || reference === undefined || seen.has(reference) || !answer?.startsWith('200')) continue
    seen.set(reference, { atMs: Date.parse(at), amount, reference, word: metadata?.simulate ?? 'approve' })
  }
  return [...seen.values()].toSorted((a, b) => a.atMs - b.atMs || (a.reference < b.reference ? -1 : 1))
}

function isSequential(story: Story): boolean {
  const pays = requestsIn(story).filter((request): request is Pay => request.do === 'pay')
  const isTogether = story.steps.some((step) => step.do === 'together')
  return !isTogether && pays.every(({ twice, impatient }) => !twice && !impatient)
}
