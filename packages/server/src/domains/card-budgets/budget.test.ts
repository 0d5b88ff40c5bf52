import fc from 'fast-check'
import { expect, test } from 'vitest'
import { barAfter, budgetFor, type Earlier, type History } from './budget.ts'
import {
  lookBackHours,
  mostCounted,
  type NetworkRule,
  networkRules,
  rulesFor,
  type Tried,
} from './network-rules.ts'

const begin = Date.parse('2026-11-14T12:00:00.000Z')
const hour = 3_600_000
const visa: Tried = { brand: 'visa', country: 'US', initiator: 'customer' }
const mastercard: Tried = { ...visa, brand: 'mastercard' }

type Attempt = Tried & {
  readonly atMs: number
  readonly amount: number
  readonly result: Earlier['result']
  readonly adviceCode: string | null
}

const attempts = (tried: fc.Arbitrary<Tried>, results: readonly Earlier['result'][]) =>
  fc
    .array(
      fc.record({
        tried,
        waitHours: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 30, noNaN: true })),
        amount: fc.constantFrom(100, 200),
        result: fc.constantFrom(...results),
        adviceCode: fc.constantFrom(null, null, null, '24', '30'),
      }),
      { minLength: 1, maxLength: 120 },
    )
    .map((steps) => {
      let atMs = begin
      return steps.map(({ tried, waitHours, ...step }): Attempt => {
        atMs += Math.round(waitHours * hour)
        return { ...tried, ...step, atMs }
      })
    })

const anyTried = fc.record({
  brand: fc.constant('visa'),
  country: fc.constant('US'),
  initiator: fc.constantFrom('customer' as const, 'merchant' as const),
})

/** What the database would tell: the newest, as far back as anybody looks. */
function historyOf(made: readonly Attempt[], { amount, atMs }: Attempt): History {
  const newest = (some: readonly Attempt[]) =>
    some
      .filter((one) => one.atMs > atMs - lookBackHours * hour)
      .slice(-mostCounted)
      .map(({ result, adviceCode, atMs: at }): Earlier => {
        const endedAt = result === 'open' ? null : new Date(at)
        return { result, adviceCode: result === 'declined' ? adviceCode : null, at: new Date(at), endedAt }
      })
  return {
    bar: null,
    sameAmount: newest(made.filter((one) => one.amount === amount)),
    anyAmount: newest(made.filter(({ result }) => result !== 'approved')),
  }
}

/** Asks before each, and makes those that it may. */
function play(wanted: readonly Attempt[]): readonly Attempt[] {
  const made: Attempt[] = []
  for (const one of wanted)
    if (budgetFor(networkRules, historyOf(made, one), one, new Date(one.atMs)).ok) made.push(one)
  return made
}

/** The most within any stretch of so many hours that ends with one that `ends` picks. */
function densest(
  made: readonly Attempt[],
  hours: number,
  ends: (one: Attempt) => boolean = () => true,
): number {
  const counts = made.map((last, place) =>
    ends(last) ? made.slice(0, place + 1).filter(({ atMs }) => last.atMs - atMs < hours * hour).length : 0,
  )
  return Math.max(0, ...counts)
}

const ofAmount = (made: readonly Attempt[], amount: number) => made.filter((one) => one.amount === amount)
const byMerchant = ({ initiator }: Attempt) => initiator === 'merchant'

test('whatever is wanted, a Visa card is tried at most 15 times in 30 days with one amount', () => {
  fc.assert(
    fc.property(attempts(anyTried, ['open', 'declined']), (wanted) => {
      const made = play(wanted)
      for (const amount of [100, 200]) {
        expect(densest(ofAmount(made, amount), 30 * 24)).toBeLessThanOrEqual(15)
        expect(densest(ofAmount(made, amount), 24, byMerchant)).toBeLessThanOrEqual(4)
      }
    }),
  )
})

test('whatever is wanted, a Mastercard is tried at most 10 times a day, and not before it is advised', () => {
  const tried = anyTried.map((one) => ({ ...one, brand: 'mastercard' }))
  fc.assert(
    fc.property(attempts(tried, ['open', 'declined']), (wanted) => {
      const made = play(wanted)
      expect(densest(made, 24)).toBeLessThanOrEqual(10)
      const advised = made.filter(({ result, adviceCode }) => result === 'declined' && adviceCode === '30')
      for (const { atMs, amount } of advised) {
        const tooSoon = made.filter((one) => one.amount === amount && one.atMs > atMs)
        expect(tooSoon.filter((one) => one.atMs < atMs + 240 * hour)).toEqual([])
      }
    }),
  )
})

test('a Brazilian Mastercard is tried at most 7 times in any month of the calendar', () => {
  const tried = fc.constant({ ...mastercard, country: 'BR' })
  fc.assert(
    fc.property(attempts(tried, ['declined']), (wanted) => {
      const months = Map.groupBy(play(wanted), ({ atMs }) => new Date(atMs).toISOString().slice(0, 7))
      expect(Math.max(...[...months.values()].map(({ length }) => length))).toBeLessThanOrEqual(7)
    }),
  )
})

test('no attempt is refused without need: at the time that is named it may be made, just before it may not', () => {
  fc.assert(
    fc.property(attempts(anyTried, ['open', 'declined', 'approved']), (wanted) => {
      const last = wanted.at(-1) as Attempt
      const history = historyOf(play(wanted), last)
      const verdict = budgetFor(networkRules, history, last, new Date(last.atMs))
      if (verdict.ok || verdict.until === null) return
      const at = (ms: number) => budgetFor(networkRules, history, last, new Date(ms)).ok
      const untilMs = verdict.until.getTime()
      expect([at(untilMs - 1), at(untilMs)]).toEqual([false, true])
    }),
  )
})

const declined = (hoursAgo: number, adviceCode: string | null = null): Earlier => {
  const at = new Date(begin - hoursAgo * hour)
  return { result: 'declined', adviceCode, at, endedAt: at }
}
const approved = (hoursAgo: number): Earlier => ({ ...declined(hoursAgo), result: 'approved' })
const times = (count: number, one: (nth: number) => Earlier) =>
  Array.from({ length: count }, (_, nth) => one(nth))
const asked = (tried: Tried, earlier: readonly Earlier[], bar: History['bar'] = null) => {
  const history = {
    bar,
    sameAmount: earlier,
    anyAmount: earlier.filter(({ result }) => result !== 'approved'),
  }
  return budgetFor(networkRules, history, tried, new Date(begin))
}

test('an approval ends the count of its amount, but not that of declines a day', () => {
  const many = times(15, (nth) => declined(20 + nth))
  expect(asked(visa, many)).toMatchObject({ ok: false, rule: 'visa_month' })
  expect(asked(visa, [...many, approved(10)])).toEqual({ ok: true })
  // They were declined after it, so they are the beginning of the next.
  expect(asked(visa, [...many, approved(40)])).toMatchObject({ ok: false })
  const soon = times(10, (nth) => declined(3 + nth / 10))
  expect(asked(mastercard, [...soon, approved(1)])).toMatchObject({ ok: false, rule: 'mastercard_day' })
})

test('what is under way counts, also if it began before an approval', () => {
  const open = times(15, (): Earlier => ({ ...declined(9), result: 'open', endedAt: null }))
  expect(asked(visa, [...open, approved(5)])).toMatchObject({ ok: false, rule: 'visa_month' })
})

test('a payer who is there is limited by the networks alone', () => {
  const four = times(4, (nth) => declined(nth))
  expect(asked(visa, four)).toEqual({ ok: true })
  const merchant = asked({ ...visa, initiator: 'merchant' }, four)
  expect(merchant).toEqual({ ok: false, rule: 'ours_day', until: new Date(begin + 21 * hour) })
  expect(
    asked(
      { ...visa, brand: 'jcb' },
      times(40, () => declined(1)),
    ),
  ).toEqual({ ok: true })
})

test('of several rules the one that holds longest is named', () => {
  const both = [...times(4, () => declined(1)), ...times(11, () => declined(2))]
  expect(asked({ ...visa, initiator: 'merchant' }, both)).toMatchObject({
    rule: 'visa_month',
    until: new Date(begin + 718 * hour),
  })
  const never = { rule: 'visa_category_1', until: null }
  expect(asked(visa, both, never)).toEqual({ ok: false, ...never })
  expect(asked(visa, [], { rule: 'mastercard_never', until: new Date(begin) })).toEqual({ ok: true })
})

// biome-ignore format: a table.
test.each([
  ['visa',       '51', null, null],
  ['visa',       '04', null, { rule: 'visa_category_1', until: null }],
  ['visa',       'R3', null, { rule: 'visa_category_1', until: null }],
  ['visa',       '05', '03', null],
  ['mastercard', '04', null, null],
  ['mastercard', '05', '03', { rule: 'mastercard_never', until: new Date(begin + 720 * hour) }],
  ['mastercard', '05', '21', { rule: 'mastercard_never', until: new Date(begin + 720 * hour) }],
  ['mastercard', '51', '24', null],
])('%s %s with advice %s bars the card: %o', (brand, networkCode, adviceCode, bar) => {
  const said = { networkCode, adviceCode }
  expect(barAfter(networkRules, { ...visa, brand }, said, new Date(begin))).toEqual(bar)
})

// biome-ignore format: a table.
test.each([
  ['24', 1], ['25', 24], ['26', 48], ['27', 96], ['28', 144], ['29', 192], ['30', 240],
])('after advice %s a Mastercard is not tried before %i hours', (advice, hours) => {
  expect(asked(mastercard, [declined(0.5, advice)])).toEqual({
    ok: false,
    rule: `mastercard_advice_${advice}`,
    until: new Date(begin + (hours - 0.5) * hour),
  })
  expect(asked(mastercard, [declined(hours, advice)])).toEqual({ ok: true })
})

test('of the versions of a rule the latest that has begun holds', () => {
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

test('no rule looks back further or counts more than what is read', () => {
  const counting = networkRules.filter(({ match }) => match === 'attempts')
  expect(Math.max(...counting.map(({ windowHours }) => windowHours ?? 0))).toBeLessThanOrEqual(lookBackHours)
  expect(Math.max(...counting.map(({ limit }) => limit))).toBeLessThan(mostCounted)
})
