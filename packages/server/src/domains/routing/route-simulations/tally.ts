/**
 * Counts which payments would be rerouted, and the actual results of each account. The size of the tally depends on
 * accounts and segments, not on payments, and it can be saved and restored. No side effects.
 */

/**
 * A group of similar cards. Approval depends on these properties more than on any other property that every
 * payment has.
 */
export type Segment = {
  readonly currency: string
  readonly card_brand: string
  readonly card_country: string | null
}

/** An account id; null if no account is eligible or a rule declines. */
export type AccountOrNone = string | null

export type ReroutedPayment = {
  readonly paymentId: string
  readonly from: AccountOrNone
  readonly to: AccountOrNone
  readonly cause: string
}

/** The stored form. Keys are JSON, so that they are unambiguous. */
export type Tally = {
  readonly compared: number
  readonly moved: number
  readonly moves: readonly (readonly [key: string, payments: number])[]
  readonly seen: readonly (readonly [key: string, attempts: number, approved: number])[]
  readonly examples: readonly ReroutedPayment[]
  /** By currency. Amounts are strings, because large JSON numbers are not exact. Missing in older rows. */
  readonly costs?: readonly (readonly [currency: string, totals: CostTotals])[]
  /** Captured payments by accounts and segment, with the sum of their amounts as a string. Missing in older rows. */
  readonly captured?: readonly (readonly [key: string, payments: number, amount: string])[]
}

/** Estimated costs in minor units of one currency. */
export type CostTotals = {
  /** Payments whose cost is known on both sides. */
  readonly payments: number
  /** Payments whose cost is unknown on one side. */
  readonly unknown: number
  readonly actual: string
  readonly simulated: string
}

/** Cells beyond this limit are counted together, in a segment without rates. */
const maxCells = 5_000
const maxExamples = 10
/** Limited, so that the examples show different moves. */
const maxExamplesPerMove = 2

export type ComparedPayment = {
  readonly paymentId: () => string
  readonly segment: Segment
  readonly from: AccountOrNone
  readonly to: AccountOrNone
  /** Only computed for examples. */
  readonly cause: () => string
}

/** The result at the account that was actually tried first. */
export type ObservedAttempt = {
  readonly account: string
  readonly segment: Segment
  readonly approved: boolean
}

/** The estimated costs of a payment, at the account that approved it and at the one that would be tried first. */
export type ComparedCost = {
  readonly currency: string
  readonly actual: bigint | null
  readonly simulated: bigint | null
}

/** Payments whose fees are similar: of the same currency, card and magnitude of the amount. */
export type FeeSegment = {
  readonly currency: string
  readonly card: {
    readonly brand: string | null
    readonly country: string | null
    readonly funding: string | null
  }
  readonly amountBand: number
}

/** A payment that the account `from` captured, and for which the account `to` would be tried first. */
export type CapturedPayment = {
  readonly from: string
  readonly to: AccountOrNone
  readonly segment: FeeSegment
  readonly amount: bigint
}

const noCosts: CostTotals = { payments: 0, unknown: 0, actual: '0', simulated: '0' }

export class TallyBuilder {
  #compared: number
  #moved: number
  readonly #moves: Map<string, number>
  readonly #observations: Map<string, { attempts: number; approved: number }>
  readonly #examples: ReroutedPayment[]
  readonly #costs: Map<string, CostTotals>
  readonly #captured: Map<string, { payments: number; amount: bigint }>

  constructor(tally: Tally | null) {
    this.#compared = tally?.compared ?? 0
    this.#moved = tally?.moved ?? 0
    this.#moves = new Map(tally?.moves ?? [])
    this.#observations = new Map(
      (tally?.seen ?? []).map(([key, attempts, approved]) => [key, { attempts, approved }]),
    )
    this.#examples = [...(tally?.examples ?? [])]
    this.#costs = new Map(tally?.costs ?? [])
    this.#captured = new Map(
      (tally?.captured ?? []).map(([key, payments, amount]) => [key, { payments, amount: BigInt(amount) }]),
    )
  }

  addComparison({ paymentId, segment, from, to, cause }: ComparedPayment): void {
    this.#compared += 1
    if (from === to) return
    this.#moved += 1
    const key = cellOf(this.#moves, (cellSegment) => moveKey(from, to, cellSegment), segment)
    this.#moves.set(key, (this.#moves.get(key) ?? 0) + 1)
    if (this.#needsExample(from, to))
      this.#examples.push({ paymentId: paymentId(), from, to, cause: cause() })
  }

  addAttempt({ account, segment, approved }: ObservedAttempt): void {
    const key = cellOf(this.#observations, (cellSegment) => observationKey(account, cellSegment), segment)
    const before = this.#observations.get(key)
    if (before === undefined) this.#observations.set(key, { attempts: 1, approved: approved ? 1 : 0 })
    else {
      before.attempts += 1
      if (approved) before.approved += 1
    }
  }

  addCost({ currency, actual, simulated }: ComparedCost): void {
    const before = this.#costs.get(currency) ?? noCosts
    const isKnown = actual !== null && simulated !== null
    this.#costs.set(
      currency,
      isKnown
        ? {
            ...before,
            payments: before.payments + 1,
            actual: String(BigInt(before.actual) + actual),
            simulated: String(BigInt(before.simulated) + simulated),
          }
        : { ...before, unknown: before.unknown + 1 },
    )
  }

  addCaptured({ from, to, segment, amount }: CapturedPayment): void {
    const fullKey = capturedKey(from, to, segment)
    const isCounted = this.#captured.size < maxCells || this.#captured.has(fullKey)
    const key = isCounted ? fullKey : JSON.stringify([from, to, segment.currency])
    const before = this.#captured.get(key) ?? { payments: 0, amount: 0n }
    this.#captured.set(key, { payments: before.payments + 1, amount: before.amount + amount })
  }

  tally(): Tally {
    return {
      compared: this.#compared,
      moved: this.#moved,
      moves: [...this.#moves],
      seen: [...this.#observations].map(
        ([key, { attempts, approved }]) => [key, attempts, approved] as const,
      ),
      examples: [...this.#examples],
      costs: [...this.#costs],
      captured: [...this.#captured].map(
        ([key, { payments, amount }]) => [key, payments, String(amount)] as const,
      ),
    }
  }

  #needsExample(from: AccountOrNone, to: AccountOrNone): boolean {
    if (this.#examples.length >= maxExamples) return false
    return (
      this.#examples.filter((example) => example.from === from && example.to === to).length <
      maxExamplesPerMove
    )
  }
}

/** The segment for all cells beyond the limit. */
export const otherSegments = null

function cellOf(
  cells: ReadonlyMap<string, unknown>,
  keyOf: (segment: Segment | null) => string,
  segment: Segment,
): string {
  const key = keyOf(segment)
  return cells.size < maxCells || cells.has(key) ? key : keyOf(otherSegments)
}

function moveKey(from: AccountOrNone, to: AccountOrNone, segment: Segment | null): string {
  return JSON.stringify([from, to, ...partsOf(segment)])
}

export function observationKey(account: string, segment: Segment | null): string {
  return JSON.stringify([account, ...partsOf(segment)])
}

function partsOf(segment: Segment | null): readonly (string | null)[] {
  return segment === null ? [] : [segment.currency, segment.card_brand, segment.card_country]
}

function capturedKey(from: string, to: AccountOrNone, { currency, card, amountBand }: FeeSegment): string {
  return JSON.stringify([from, to, currency, amountBand, card.brand, card.country, card.funding])
}

export type CapturedCell = {
  readonly from: string
  readonly to: AccountOrNone
  readonly currency: string
  /** Null for cells beyond the limit. */
  readonly segment: FeeSegment | null
  readonly payments: number
  readonly amount: bigint
}

type CapturedKey = readonly [
  from: string,
  to: AccountOrNone,
  currency: string,
  amountBand?: number,
  brand?: string | null,
  country?: string | null,
  funding?: string | null,
]

export function capturedCellsOf({ captured = [] }: Tally): readonly CapturedCell[] {
  return captured.map(([key, payments, amount]) => {
    const [from, to, currency, amountBand, brand = null, country = null, funding = null]: CapturedKey =
      JSON.parse(key)
    const card = { brand, country, funding }
    const segment = amountBand === undefined ? null : { currency, card, amountBand }
    return { from, to, currency, segment, payments, amount: BigInt(amount) }
  })
}

export type MoveCell = {
  readonly from: AccountOrNone
  readonly to: AccountOrNone
  readonly segment: Segment | null
}

export function parseMoveKey(key: string): MoveCell {
  const [from = null, to = null, ...parts] = JSON.parse(key) as (string | null)[]
  return { from, to, segment: segmentOf(parts) }
}

export function parseObservationKey(key: string): {
  readonly account: string
  readonly segment: Segment | null
} {
  const [account, ...parts] = JSON.parse(key) as [string, ...(string | null)[]]
  return { account, segment: segmentOf(parts) }
}

function segmentOf([currency, brand, country]: readonly (string | null)[]): Segment | null {
  if (typeof currency !== 'string' || typeof brand !== 'string') return otherSegments
  return { currency, card_brand: brand, card_country: country ?? null }
}
