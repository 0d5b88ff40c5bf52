/**
 * The ledger of one account: append-only facts about money. Tests compare Switchyard's records with it, so it contains
 * everything that happened, including what should not have happened.
 */
export type MoneyFact = {
  readonly fact: 'verification' | 'charge' | 'capture' | 'void' | 'refund' | 'return'
  readonly reference: string
  readonly parent_reference: string | null
  readonly payment_id: string
  readonly amount: number
  readonly currency: string
  /** For a charge: whether it was captured immediately. */
  readonly capture: boolean
  readonly provider_reference: string
  readonly at: string
}

export type Sums = {
  readonly approvals: number
  readonly authorized: number
  readonly captured: number
  readonly voided: number
  readonly refunded: number
  /** The amount of settled debits that banks have returned. */
  readonly reversed: number
}

export type PaymentSums = Sums & { readonly payment_id: string; readonly currency: string }

export type Ledger = {
  add(fact: MoneyFact): void
  facts(): readonly MoneyFact[]
  factsOfPayment(paymentId: string): readonly MoneyFact[]
  clear(): void
}

export function newLedger(): Ledger {
  let facts: MoneyFact[] = []
  let byPayment = new Map<string, MoneyFact[]>()
  return {
    add: (fact) => {
      facts.push(fact)
      const existing = byPayment.get(fact.payment_id)
      if (existing === undefined) byPayment.set(fact.payment_id, [fact])
      else existing.push(fact)
    },
    facts: () => facts,
    factsOfPayment: (paymentId) => byPayment.get(paymentId) ?? [],
    clear: () => {
      facts = []
      byPayment = new Map()
    },
  }
}

export function sumsOf(facts: readonly MoneyFact[]): Sums {
  const sum = (matches: (fact: MoneyFact) => boolean) =>
    facts.filter(matches).reduce((total, { amount }) => total + amount, 0)
  return {
    approvals: facts.filter(({ fact }) => fact === 'charge' || fact === 'verification').length,
    authorized: sum(({ fact }) => fact === 'charge'),
    captured: sum(({ fact, capture }) => fact === 'capture' || (fact === 'charge' && capture)),
    voided: sum(({ fact }) => fact === 'void'),
    refunded: sum(({ fact }) => fact === 'refund'),
    reversed: sum(({ fact }) => fact === 'return'),
  }
}

/** One row per payment and currency. */
export function sumsByPayment(facts: readonly MoneyFact[]): PaymentSums[] {
  const groups = Map.groupBy(facts, (fact) => JSON.stringify([fact.payment_id, fact.currency]))
  return [...groups.values()].map((group) => {
    const [{ payment_id, currency }] = group as [MoneyFact]
    return { payment_id, currency, ...sumsOf(group) }
  })
}
