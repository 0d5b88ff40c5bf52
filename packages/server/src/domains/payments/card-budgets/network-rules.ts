/**
 * The retry limits of the card networks and of Switchyard, with effective dates. A change to a rule is a new
 * row with a later date. Rows are never edited, so the table shows which rule applied at any time.
 */

const day = 24
const month = 30 * day

export type NetworkRule = {
  /**
   * Named in refusals. Rows with the same id are versions of a rule: the latest that has taken effect
   * applies.
   */
  readonly id: string
  readonly network: 'visa' | 'mastercard' | 'all'
  /** The country of the card; null means all countries. */
  readonly region: string | null
  /** Which attempts the rule limits. Only the rules of the networks limit customer-initiated attempts. */
  readonly initiator: 'merchant' | 'all'
  /**
   * `attempts`: at most `limit` attempts within the window, including those in progress.
   * `codes`, `advice`: after a decline with one of these codes, at most `limit` more attempts within the
   * window.
   */
  readonly match: 'attempts' | { readonly codes: readonly string[] } | { readonly advice: readonly string[] }
  /**
   * With `card_and_amount`, an approval resets the count for its amount. With `card`, all amounts count
   * together.
   */
  readonly scope: 'card' | 'card_and_amount'
  readonly limit: number
  /** Null means forever. */
  readonly windowHours: number | null
  /** The UTC day from which the rule applies. */
  readonly effectiveFrom: string
  readonly source: string
}

const everywhere = { region: null, initiator: 'all', effectiveFrom: '2026-01-01' } as const
const perCard = { ...everywhere, scope: 'card' } as const
const perAmount = { ...everywhere, scope: 'card_and_amount' } as const
const tpe = 'Mastercard Transaction Processing Excellence'

/** Mastercard's advice to retry, but not before a given time: one rule per merchant advice code. */
const notBefore = [
  { advice: '24', windowHours: 1 },
  { advice: '25', windowHours: day },
  { advice: '26', windowHours: 2 * day },
  { advice: '27', windowHours: 4 * day },
  { advice: '28', windowHours: 6 * day },
  { advice: '29', windowHours: 8 * day },
  { advice: '30', windowHours: 10 * day },
].map(({ advice, windowHours }): NetworkRule => {
  const match = { advice: [advice] }
  const source = `${tpe}: merchant advice code ${advice}`
  return {
    ...perAmount,
    id: `mastercard_advice_${advice}`,
    network: 'mastercard',
    match,
    limit: 0,
    windowHours,
    source,
  }
})

// biome-ignore format: a table.
export const networkRules: readonly NetworkRule[] = [
  { ...perCard,   id: 'visa_category_1',       network: 'visa',       limit: 0,  windowHours: null,
    match: { codes: ['04', '07', '12', '14', '15', '41', '43', '46', '57', 'R0', 'R1', 'R3'] },
    source: 'Visa Core Rules: category 1, the issuer will never approve' },
  { ...perAmount, id: 'visa_month',            network: 'visa',       limit: 15, windowHours: month, match: 'attempts',
    source: 'Visa Core Rules of 2026, table 7-2: 20 in 30 days. Many acquirers publish 15, so the limit is 15' },
  { ...perCard,   id: 'mastercard_never',      network: 'mastercard', limit: 0,  windowHours: month,
    match: { advice: ['03', '21'] }, source: `${tpe}: merchant advice codes 03 and 21` },
  { ...perCard,   id: 'mastercard_day',        network: 'mastercard', limit: 10, windowHours: day,   match: 'attempts',
    source: `${tpe}: excessive attempts, 10 declines in 24 hours` },
  { ...perAmount, id: 'mastercard_month',      network: 'mastercard', limit: 35, windowHours: month, match: 'attempts',
    source: `${tpe}: excessive attempts, 35 in 30 days` },
  // The rule counts by calendar month. A window of 31 days covers every month.
  { ...perCard,   id: 'mastercard_brazil',     network: 'mastercard', limit: 7,  windowHours: 31 * day, match: 'attempts',
    region: 'BR', source: `${tpe}: Brazil, 7 a month` },
  ...notBefore,
  { ...perAmount, id: 'internal_day',          network: 'all',        limit: 4,  windowHours: day,   match: 'attempts',
    initiator: 'merchant', source: 'Switchyard: the payer is absent and cannot authenticate, so more attempts do not help' },
  { ...perAmount, id: 'internal_month',        network: 'all',        limit: 15, windowHours: month, match: 'attempts',
    initiator: 'merchant', source: 'Switchyard: the strictest limit of any network, applied to all networks' },
]

/** How much history is read: no rule looks back further or counts more. */
export const lookBackHours = 31 * day
export const maxCountedAttempts = 64

/** The properties of an attempt that rules can match. */
export type AttemptTraits = {
  readonly brand: string
  readonly country: string | null
  readonly initiator: 'customer' | 'merchant'
}

/** The rules that limit an attempt with these properties at this time. */
export function rulesFor(
  rules: readonly NetworkRule[],
  traits: AttemptTraits,
  now: Date,
): readonly NetworkRule[] {
  return effectiveRules(rules, now).filter(
    ({ network, region, initiator }) =>
      (network === 'all' || network === traits.brand) &&
      (region === null || region === traits.country) &&
      (initiator === 'all' || initiator === traits.initiator),
  )
}

/** The version of each rule that is in effect. */
function effectiveRules(rules: readonly NetworkRule[], now: Date): readonly NetworkRule[] {
  const today = now.toISOString().slice(0, 10)
  const latest = new Map<string, NetworkRule>()
  for (const rule of rules) {
    const previous = latest.get(rule.id)
    const isNewer = previous === undefined || previous.effectiveFrom < rule.effectiveFrom
    if (rule.effectiveFrom <= today && isNewer) latest.set(rule.id, rule)
  }
  return [...latest.values()]
}
