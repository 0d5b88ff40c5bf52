/**
 * What is counted while payments go by: which of them would go elsewhere, and how accounts fared with those that
 * they got. It grows with accounts and segments and not with payments, and can be laid down and taken up. Pure.
 */

/** Cards of one kind: approval differs by these more than by anything else that is known of every payment. */
export type Segment = {
  readonly currency: string
  readonly card_brand: string
  readonly card_country: string | null
}

/** An account, or nobody: no account can take it, or a rule declines it. */
export type Place = string | null

export type Moved = {
  readonly paymentId: string
  readonly from: Place
  readonly to: Place
  readonly cause: string
}

/** As it lies in the database. Keys are JSON, so that no text in them can be mistaken for two. */
export type Tally = {
  readonly compared: number
  readonly moved: number
  readonly moves: readonly (readonly [key: string, payments: number])[]
  readonly seen: readonly (readonly [key: string, attempts: number, approved: number])[]
  readonly examples: readonly Moved[]
}

/** More than these are counted together, in a segment of which nothing is said. */
const mostCells = 5_000
const mostExamples = 10
/** One of the first of each way comes before a second of any. */
const mostExamplesOfMove = 2

export type Passed = {
  readonly paymentId: () => string
  readonly segment: Segment
  readonly from: Place
  readonly to: Place
  /** Asked for of examples alone. */
  readonly cause: () => string
}

/** How the account fared that was really asked first. */
export type Observed = {
  readonly account: string
  readonly segment: Segment
  readonly approved: boolean
}

export class Counting {
  #compared: number
  #moved: number
  readonly #moves: Map<string, number>
  readonly #seen: Map<string, { attempts: number; approved: number }>
  readonly #examples: Moved[]

  constructor(tally: Tally | null) {
    this.#compared = tally?.compared ?? 0
    this.#moved = tally?.moved ?? 0
    this.#moves = new Map(tally?.moves ?? [])
    this.#seen = new Map(
      (tally?.seen ?? []).map(([key, attempts, approved]) => [key, { attempts, approved }]),
    )
    this.#examples = [...(tally?.examples ?? [])]
  }

  pass({ paymentId, segment, from, to, cause }: Passed): void {
    this.#compared += 1
    if (from === to) return
    this.#moved += 1
    const key = cellOf(this.#moves, (within) => moveKey(from, to, within), segment)
    this.#moves.set(key, (this.#moves.get(key) ?? 0) + 1)
    if (this.#wants(from, to)) this.#examples.push({ paymentId: paymentId(), from, to, cause: cause() })
  }

  observe({ account, segment, approved }: Observed): void {
    const key = cellOf(this.#seen, (within) => seenKey(account, within), segment)
    const before = this.#seen.get(key)
    if (before === undefined) this.#seen.set(key, { attempts: 1, approved: approved ? 1 : 0 })
    else {
      before.attempts += 1
      if (approved) before.approved += 1
    }
  }

  tally(): Tally {
    return {
      compared: this.#compared,
      moved: this.#moved,
      moves: [...this.#moves],
      seen: [...this.#seen].map(([key, { attempts, approved }]) => [key, attempts, approved] as const),
      examples: [...this.#examples],
    }
  }

  #wants(from: Place, to: Place): boolean {
    if (this.#examples.length >= mostExamples) return false
    return this.#examples.filter((one) => one.from === from && one.to === to).length < mostExamplesOfMove
  }
}

/** The segment that holds what is beyond the limit. */
export const others = null

function cellOf(
  cells: ReadonlyMap<string, unknown>,
  keyOf: (segment: Segment | null) => string,
  segment: Segment,
): string {
  const key = keyOf(segment)
  return cells.size < mostCells || cells.has(key) ? key : keyOf(others)
}

function moveKey(from: Place, to: Place, segment: Segment | null): string {
  return JSON.stringify([from, to, ...partsOf(segment)])
}

export function seenKey(account: string, segment: Segment | null): string {
  return JSON.stringify([account, ...partsOf(segment)])
}

function partsOf(segment: Segment | null): readonly (string | null)[] {
  return segment === null ? [] : [segment.currency, segment.card_brand, segment.card_country]
}

export type MoveCell = { readonly from: Place; readonly to: Place; readonly segment: Segment | null }

export function moveOf(key: string): MoveCell {
  const [from = null, to = null, ...parts] = JSON.parse(key) as (string | null)[]
  return { from, to, segment: segmentOf(parts) }
}

export function seenOf(key: string): { readonly account: string; readonly segment: Segment | null } {
  const [account, ...parts] = JSON.parse(key) as [string, ...(string | null)[]]
  return { account, segment: segmentOf(parts) }
}

function segmentOf([currency, brand, country]: readonly (string | null)[]): Segment | null {
  if (typeof currency !== 'string' || typeof brand !== 'string') return others
  return { currency, card_brand: brand, card_country: country ?? null }
}
