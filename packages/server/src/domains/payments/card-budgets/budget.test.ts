import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blockAfter, checkBudget, type History, type PastAttempt } from './budget.ts'
import {
  type AttemptTraits,
  lookBackHours,
  maxCountedAttempts,
  type NetworkRule,
  networkRules,
  rulesFor,
} from './network-rules.ts'

const startMs = Date.parse('2026-11-14T12:00:00.000Z')
const hour = 3_600_000
const visa: AttemptTraits = { brand: 'visa', country: 'US', initiator: 'customer' }
const mastercard: AttemptTraits = { ...visa, brand: 'mastercard' }

type Attempt = AttemptTraits & {
  readonly atMs: number
  readonly amount: number
  readonly result: PastAttempt['result']
  readonly adviceCode: string | null
}

const arbitraryAttempts = (traits: fc.Arbitrary<AttemptTraits>, results: readonly PastAttempt['result'][]) =>
  fc
    .array(
      fc.record({
        traits,
        waitHours: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 30, noNaN: true })),
        amount: fc.constantFrom(100, 200),
        result: fc.constantFrom(...results),
        adviceCode: fc.constantFrom(null, null, null, '24', '30'),
      }),
      { minLength: 1, maxLength: 120 },
    )
    .map((steps) => {
      let atMs = startMs
      return steps.map(({ traits, waitHours, ...step }): Attempt => {
        atMs += Math.round(waitHours * hour)
        return { ...traits, ...step, atMs }
      })
    })

const anyTraits = fc.record({
  brand: fc.constant('visa'),
  country: fc.constant('US'),
  initiator: fc.constantFrom('customer' as const, 'merchant' as const),
})

/** The history as the database returns it: newest attempts first, as far back as the rules need. */
function historyOf(attempts: readonly Attempt[], { amount, atMs }: Attempt): History {
  const newest = (candidates: readonly Attempt[]) =>
    candidates
      .filter((attempt) => attempt.atMs > atMs - lookBackHours * hour)
      .slice(-maxCountedAttempts)
      .toReversed()
      .map(({ result, adviceCode, atMs: startedMs }): PastAttempt => {
        const endedAt = result === 'open' ? null : new Date(startedMs)
        return {
          result,
          adviceCode: result === 'declined' ? adviceCode : null,
          startedAt: new Date(startedMs),
          endedAt,
        }
      })
  return {
    block: null,
    sameAmount: newest(attempts.filter((attempt) => attempt.amount === amount)),
    anyAmount: newest(attempts.filter(({ result }) => result !== 'approved')),
  }
}

/** The requested attempts that the budget allows. */
function allowedAttempts(requested: readonly Attempt[]): readonly Attempt[] {
  const attempts: Attempt[] = []
  for (const attempt of requested) {
    const history = historyOf(attempts, attempt)
    if (checkBudget(networkRules, history, attempt, new Date(attempt.atMs)).ok) attempts.push(attempt)
  }
  return attempts
}

/**
 * The maximum number of attempts in any window of the given length that ends with an attempt for which `isEnd`
 * is true.
 */
function maxInWindow(
  attempts: readonly Attempt[],
  hours: number,
  isEnd: (attempt: Attempt) => boolean = () => true,
): number {
  const counts = attempts.map((last, index) =>
    isEnd(last)
      ? attempts.slice(0, index + 1).filter(({ atMs }) => last.atMs - atMs < hours * hour).length
      : 0,
  )
  return Math.max(0, ...counts)
}

const withAmount = (attempts: readonly Attempt[], amount: number) =>
  attempts.filter((attempt) => attempt.amount === amount)
const byMerchant = ({ initiator }: Attempt) => initiator === 'merchant'

test('per amount, a Visa card is tried at most 15 times in 30 days, and 4 times a day by the merchant', () => {
  fc.assert(
    fc.property(arbitraryAttempts(anyTraits, ['open', 'declined']), (requested) => {
      const attempts = allowedAttempts(requested)
      for (const amount of [100, 200]) {
        expect(maxInWindow(withAmount(attempts, amount), 30 * 24)).toBeLessThanOrEqual(15)
        expect(maxInWindow(withAmount(attempts, amount), 24, byMerchant)).toBeLessThanOrEqual(4)
      }
    }),
  )
})

test('a Mastercard is tried at most 10 times a day, and not before the advised time', () => {
  const traits = anyTraits.map((traits) => ({ ...traits, brand: 'mastercard' }))
  fc.assert(
    fc.property(arbitraryAttempts(traits, ['open', 'declined']), (requested) => {
      const attempts = allowedAttempts(requested)
      expect(maxInWindow(attempts, 24)).toBeLessThanOrEqual(10)
      const advised = attempts.filter(
        ({ result, adviceCode }) => result === 'declined' && adviceCode === '30',
      )
      for (const { atMs, amount } of advised) {
        const tooSoon = attempts.filter((attempt) => attempt.amount === amount && attempt.atMs > atMs)
        expect(tooSoon.filter((attempt) => attempt.atMs < atMs + 240 * hour)).toEqual([])
      }
    }),
  )
})

test('a Brazilian Mastercard is tried at most 7 times in any calendar month', () => {
  const traits = fc.constant({ ...mastercard, country: 'BR' })
  fc.assert(
    fc.property(arbitraryAttempts(traits, ['declined']), (requested) => {
      const months = Map.groupBy(allowedAttempts(requested), ({ atMs }) =>
        new Date(atMs).toISOString().slice(0, 7),
      )
      expect(Math.max(...[...months.values()].map(({ length }) => length))).toBeLessThanOrEqual(7)
    }),
  )
})

test('a refused attempt is allowed at the returned time, and not just before it', () => {
  fc.assert(
    fc.property(arbitraryAttempts(anyTraits, ['open', 'declined', 'approved']), (requested) => {
      const last = requested.at(-1) as Attempt
      const history = historyOf(allowedAttempts(requested), last)
      const decision = checkBudget(networkRules, history, last, new Date(last.atMs))
      if (decision.ok || decision.until === null) return
      const isAllowedAt = (ms: number) => checkBudget(networkRules, history, last, new Date(ms)).ok
      const untilMs = decision.until.getTime()
      expect([isAllowedAt(untilMs - 1), isAllowedAt(untilMs)]).toEqual([false, true])
    }),
  )
})

const declined = (hoursAgo: number, adviceCode: string | null = null): PastAttempt => {
  const startedAt = new Date(startMs - hoursAgo * hour)
  return { result: 'declined', adviceCode, startedAt, endedAt: startedAt }
}
const approved = (hoursAgo: number): PastAttempt => ({ ...declined(hoursAgo), result: 'approved' })
const times = (count: number, attemptOf: (nth: number) => PastAttempt) =>
  Array.from({ length: count }, (_, nth) => attemptOf(nth))
const decide = (traits: AttemptTraits, earlier: readonly PastAttempt[], block: History['block'] = null) => {
  const history = {
    block,
    sameAmount: earlier,
    anyAmount: earlier.filter(({ result }) => result !== 'approved'),
  }
  return checkBudget(networkRules, history, traits, new Date(startMs))
}

test('an approval resets the count for its amount, but not the daily count of declines', () => {
  const many = times(15, (nth) => declined(20 + nth))
  expect(decide(visa, many)).toMatchObject({ ok: false, rule: 'visa_month' })
  expect(decide(visa, [...many, approved(10)])).toEqual({ ok: true })
  // These attempts were declined after the approval, so they start the next count.
  expect(decide(visa, [...many, approved(40)])).toMatchObject({ ok: false })
  const recent = times(10, (nth) => declined(3 + nth / 10))
  expect(decide(mastercard, [...recent, approved(1)])).toMatchObject({ ok: false, rule: 'mastercard_day' })
})

test('attempts in progress count, even if they started before an approval', () => {
  const open = times(15, (): PastAttempt => ({ ...declined(9), result: 'open', endedAt: null }))
  expect(decide(visa, [...open, approved(5)])).toMatchObject({ ok: false, rule: 'visa_month' })
})

test('a customer-initiated payment is limited only by the networks', () => {
  const four = times(4, (nth) => declined(nth))
  expect(decide(visa, four)).toEqual({ ok: true })
  const merchant = decide({ ...visa, initiator: 'merchant' }, four)
  expect(merchant).toEqual({ ok: false, rule: 'internal_day', until: new Date(startMs + 21 * hour) })
  expect(
    decide(
      { ...visa, brand: 'jcb' },
      times(40, () => declined(1)),
    ),
  ).toEqual({ ok: true })
})

test('if several rules block an attempt, the decision names the one that blocks longest', () => {
  const both = [...times(4, () => declined(1)), ...times(11, () => declined(2))]
  expect(decide({ ...visa, initiator: 'merchant' }, both)).toMatchObject({
    rule: 'visa_month',
    until: new Date(startMs + 718 * hour),
  })
  const never = { rule: 'visa_category_1', until: null }
  expect(decide(visa, both, never)).toEqual({ ok: false, ...never })
  expect(decide(visa, [], { rule: 'mastercard_never', until: new Date(startMs) })).toEqual({ ok: true })
})

// biome-ignore format: a table.
test.each([
  ['visa',       '51', null, null],
  ['visa',       '04', null, { rule: 'visa_category_1', until: null }],
  ['visa',       'R3', null, { rule: 'visa_category_1', until: null }],
  ['visa',       '05', '03', null],
  ['mastercard', '04', null, null],
  ['mastercard', '05', '03', { rule: 'mastercard_never', until: new Date(startMs + 720 * hour) }],
  ['mastercard', '05', '21', { rule: 'mastercard_never', until: new Date(startMs + 720 * hour) }],
  ['mastercard', '51', '24', null],
])('%s %s with advice %s blocks the card: %o', (brand, networkCode, adviceCode, block) => {
  const codes = { networkCode, adviceCode }
  expect(blockAfter(networkRules, { ...visa, brand }, codes, new Date(startMs))).toEqual(block)
})

// biome-ignore format: a table.
test.each([
  ['24', 1], ['25', 24], ['26', 48], ['27', 96], ['28', 144], ['29', 192], ['30', 240],
])('after advice %s a Mastercard is not tried again for %i hours', (advice, hours) => {
  expect(decide(mastercard, [declined(0.5, advice)])).toEqual({
    ok: false,
    rule: `mastercard_advice_${advice}`,
    until: new Date(startMs + (hours - 0.5) * hour),
  })
  expect(decide(mastercard, [declined(hours, advice)])).toEqual({ ok: true })
})

test('the latest version of a rule that has taken effect applies', () => {
  const [rule] = networkRules.filter(({ id }) => id === 'visa_month') as [NetworkRule]
  const versions = [
    { ...rule, limit: 20, effectiveFrom: '2027-01-01' },
    rule,
    { ...rule, limit: 1, effectiveFrom: '2025-01-01' },
  ]
  const limitAt = (day: string) => rulesFor(versions, visa, new Date(day)).map(({ limit }) => limit)
  expect([limitAt('2024-12-31'), limitAt('2025-06-01')]).toEqual([[], [1]])
  expect([limitAt('2026-12-31'), limitAt('2027-01-01')]).toEqual([[15], [20]])
})

test('no rule looks back further or counts more attempts than the history contains', () => {
  const counting = networkRules.filter(({ match }) => match === 'attempts')
  expect(Math.max(...counting.map(({ windowHours }) => windowHours ?? 0))).toBeLessThanOrEqual(lookBackHours)
  expect(Math.max(...counting.map(({ limit }) => limit))).toBeLessThan(maxCountedAttempts)
})
