/**
 * How often card networks let a card be tried, and how often we do: dated data. A network that changes its mind is
 * a new row with a later date; rows are never rewritten, so what held at a time can still be told.
 */

const day = 24
const month = 30 * day

export type NetworkRule = {
  /** What a refusal names. Rows of one id are versions of one rule: the latest that has begun holds. */
  readonly id: string
  readonly network: 'visa' | 'mastercard' | 'all'
  /** The country of the card; null: everywhere. */
  readonly region: string | null
  /** Whose attempts it limits. Those of a payer who is there are limited by the networks alone. */
  readonly initiator: 'merchant' | 'all'
  /**
   * `attempts`: at most `limit` of them within the window, those included of which nothing is known yet.
   * `codes`, `advice`: once a network has said one of these, `limit` more within the window.
   */
  readonly match: 'attempts' | { readonly codes: readonly string[] } | { readonly advice: readonly string[] }
  /** An approval ends the count of its amount; what is counted per card is counted whatever the amount. */
  readonly scope: 'card' | 'card_and_amount'
  readonly limit: number
  /** Null: for ever. */
  readonly windowHours: number | null
  /** From this day on we keep to it, UTC. */
  readonly effectiveFrom: string
  readonly source: string
}

const everywhere = { region: null, initiator: 'all', effectiveFrom: '2026-01-01' } as const
const perCard = { ...everywhere, scope: 'card' } as const
const perAmount = { ...everywhere, scope: 'card_and_amount' } as const
const tpe = 'Mastercard Transaction Processing Excellence'

/** Mastercard's "try again, but not before": a row for each advice. */
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
    ...{ id: `mastercard_advice_${advice}`, network: 'mastercard', match, limit: 0, windowHours, source },
  }
})

// biome-ignore format: a table.
export const networkRules: readonly NetworkRule[] = [
  { ...perCard,   id: 'visa_category_1',       network: 'visa',       limit: 0,  windowHours: null,
    match: { codes: ['04', '07', '12', '14', '15', '41', '43', '46', '57', 'R0', 'R1', 'R3'] },
    source: 'Visa Core Rules: category 1, the issuer will never approve' },
  { ...perAmount, id: 'visa_month',            network: 'visa',       limit: 15, windowHours: month, match: 'attempts',
    source: 'Visa Core Rules of 2026, table 7-2: 20 in 30 days. Many acquirers print 15, so it is 15' },
  { ...perCard,   id: 'mastercard_never',      network: 'mastercard', limit: 0,  windowHours: month,
    match: { advice: ['03', '21'] }, source: `${tpe}: merchant advice codes 03 and 21` },
  { ...perCard,   id: 'mastercard_day',        network: 'mastercard', limit: 10, windowHours: day,   match: 'attempts',
    source: `${tpe}: excessive attempts, 10 declines in 24 hours` },
  { ...perAmount, id: 'mastercard_month',      network: 'mastercard', limit: 35, windowHours: month, match: 'attempts',
    source: `${tpe}: excessive attempts, 35 in 30 days` },
  // Their month is that of the calendar. Within 31 days no month can hold more.
  { ...perCard,   id: 'mastercard_brazil',     network: 'mastercard', limit: 7,  windowHours: 31 * day, match: 'attempts',
    region: 'BR', source: `${tpe}: Brazil, 7 a month` },
  ...notBefore,
  { ...perAmount, id: 'ours_day',              network: 'all',        limit: 4,  windowHours: day,   match: 'attempts',
    initiator: 'merchant', source: 'Ours: who is not there cannot help, so asking more often only costs goodwill' },
  { ...perAmount, id: 'ours_month',            network: 'all',        limit: 15, windowHours: month, match: 'attempts',
    initiator: 'merchant', source: 'Ours: the least that any network allows, for all of them' },
]

/** What has to be known of the past: no rule looks back further, and none counts as far as the number. */
export const lookBackHours = 31 * day
export const mostCounted = 64

/** What a rule has to know of an attempt. */
export type Tried = {
  readonly brand: string
  readonly country: string | null
  readonly initiator: 'customer' | 'merchant'
}

/** Those that limit such an attempt at that time. */
export function rulesFor(rules: readonly NetworkRule[], tried: Tried, now: Date): readonly NetworkRule[] {
  return begun(rules, now).filter(
    ({ network, region, initiator }) =>
      (network === 'all' || network === tried.brand) &&
      (region === null || region === tried.country) &&
      (initiator === 'all' || initiator === tried.initiator),
  )
}

function begun(rules: readonly NetworkRule[], now: Date): readonly NetworkRule[] {
  const today = now.toISOString().slice(0, 10)
  const latest = new Map<string, NetworkRule>()
  for (const rule of rules) {
    const known = latest.get(rule.id)
    const isNewer = known === undefined || known.effectiveFrom < rule.effectiveFrom
    if (rule.effectiveFrom <= today && isNewer) latest.set(rule.id, rule)
  }
  return [...latest.values()]
}
