import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import {
  aCondition,
  accounts,
  aDefinition,
  anAccount,
  everyPayment,
} from '../../../test/support/arbitrary-routes.ts'
import { reasonsAgainst, wishOf } from './capable.ts'
import { decide } from './choose.ts'
import { compileRoute } from './compile.ts'
import { compileCondition, leavesOf, matched, valuesOf } from './conditions.ts'
import { lint } from './lint.ts'
import type { LintAccount } from './looked.ts'
import type { Operands } from './operands.ts'
import { accountsOf, type Condition, type Definition, type Finding } from './payment-route.ts'
import { promisedBy, takenBy } from './terms.ts'

// Every payment of a small world is tried for every route that is drawn, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const now = new Date('2026-11-14T12:00:00.000Z')
const instrument = { hasNumber: true, onlyAt: null }

const compiled = new WeakMap<Condition, (operands: Operands) => boolean>()

function matches(condition: Condition, operands: Operands): boolean {
  const test = compiled.get(condition) ?? testOf(condition)
  compiled.set(condition, test)
  return test(operands)
}

function testOf(condition: Condition): (operands: Operands) => boolean {
  const fields = leavesOf(condition).map(({ field }) => field)
  const test = compileCondition(condition, { place: () => 0, field: (name) => fields.indexOf(name) })
  return (operands) => test(valuesOf(fields, operands)) === matched
}

/** The number of the rule that decides; that of the default is one more than the last. */
function deciding({ rules }: Definition, operands: Operands): number {
  const at = rules.findIndex(({ when }) => matches(when, operands))
  return at === -1 ? rules.length : at
}

const codesAt = (findings: readonly Finding[], code: Finding['code']) =>
  findings.filter((finding) => finding.code === code).map(({ pointer }) => pointer)

test('what the lint says of conditions is what trying every payment shows', () => {
  const property = fc.property(aDefinition, accounts, (definition, known) => {
    const findings = lint(definition, { accounts: known, mode: 'test', now })
    const reached = new Set(everyPayment.map((payment) => deciding(definition, payment)))
    const possible = definition.rules.map(({ when }) =>
      everyPayment.some((payment) => matches(when, payment)),
    )

    expect(codesAt(findings, 'not_fully_checked')).toEqual([])
    expect(codesAt(findings, 'unreachable_rule')).toEqual(
      possible.flatMap((isPossible, at) => (isPossible && !reached.has(at) ? [`/rules/${at}`] : [])),
    )
    const whole = codesAt(findings, 'impossible_condition').filter((pointer) => /\/when$/.test(pointer))
    expect(whole).toEqual(possible.flatMap((isPossible, at) => (isPossible ? [] : [`/rules/${at}/when`])))
  })
  fc.assert(property, { numRuns: 200 })
})

test('no alternative is called impossible that some payment meets, and none is overlooked', () => {
  const property = fc.property(aCondition, accounts, (when, known) => {
    const definition = definitionWith([when], known)
    const told = codesAt(lint(definition, { accounts: known, mode: 'test', now }), 'impossible_condition')

    for (const pointer of told)
      expect(everyPayment.some((one) => matches(at(definition, pointer), one))).toBe(false)
    if ('any' in when && told.length === 0)
      for (const part of when.any) expect(everyPayment.some((one) => matches(part, one))).toBe(true)
  })
  fc.assert(property, { numRuns: 200 })
})

test('a route that passes never ends without a provider for a payment within its limits', () => {
  let promises = 0
  const property = fc.property(aDefinition, accounts, (definition, known) => {
    const findings = lint(definition, { accounts: known, mode: 'test', now })
    const { limits } = definition
    if (limits === null || findings.some(({ severity }) => severity === 'error')) return
    promises += 1
    const promised = promisedBy(limits)
    const within = everyPayment.filter((payment) => matches(promised, payment))
    const endOf = endsOf(definition, known)
    expect(within.filter((payment) => endOf(payment) === 'no provider')).toEqual([])
  })
  fc.assert(property, { numRuns: 500 })
  // A property that holds for nothing says nothing.
  expect(promises).toBeGreaterThan(20)
})

test('a route that breaks its promise is told where', () => {
  const property = fc.property(aDefinition, accounts, (definition, known) => {
    const { limits } = definition
    if (limits === null) return
    const findings = lint(definition, { accounts: known, mode: 'test', now })
    const [promised, endOf] = [promisedBy(limits), endsOf(definition, known)]
    const broken = everyPayment
      .filter((payment) => matches(promised, payment))
      .filter((payment) => endOf(payment) === 'no provider')
      .map((payment) => deciding(definition, payment))
    const told = codesAt(findings, 'no_capable_target')
    for (const rule of new Set(broken))
      expect(told).toContain(rule === definition.rules.length ? '/default' : `/rules/${rule}/then`)
  })
  fc.assert(property, { numRuns: 100 })
})

test('what an account takes is said by its condition and by its reasons alike', () => {
  const property = fc.property(anAccount('one'), (account) => {
    const taken = takenBy(account)
    for (const operands of everyPayment) {
      const reasons = reasonsAgainst({ ...account, isHeld: false }, wishOf(operands, instrument))
      expect(matches(taken, operands)).toBe(reasons.length === 0)
    }
  })
  fc.assert(property, { numRuns: 30 })
})

test('without limits an account that is good for nothing that gets there is told, and no other', () => {
  const property = fc.property(aDefinition, accounts, (drawn, known) => {
    const definition = { ...drawn, limits: null }
    const findings = lint(definition, { accounts: known, mode: 'test', now })
    const actions = [...definition.rules.map(({ then }) => then), definition.default]
    const useless = actions.map((action, rule) => {
      const here = everyPayment.filter((payment) => deciding(definition, payment) === rule)
      const targets = accountsOf(action).map((id) => known.find((one) => one.id === id) as LintAccount)
      const isReached = here.length > 0 && targets.length > 0
      const taken = targets.map(takenBy)
      return isReached && !taken.some((terms) => here.some((payment) => matches(terms, payment)))
    })
    const places = useless.flatMap((isUseless, at) =>
      isUseless ? [at === definition.rules.length ? '/default' : `/rules/${at}/then`] : [],
    )
    expect(codesAt(findings, 'no_capable_target')).toEqual(places)
  })
  fc.assert(property, { numRuns: 100 })
})

test('two hundred rules with fifty conditions each are looked at without end of patience', () => {
  const fields = ['card.country', 'billing.country', 'customer.country', 'metadata.a', 'metadata.b']
  const when = (rule: number): Condition => ({
    all: Array.from({ length: 25 }, (_, at) => ({
      any: [
        {
          field: fields[at % 5] as string,
          op: 'ne',
          value: `${String.fromCharCode(65 + (rule % 26))}${'ABCDE'[at % 5]}`,
        },
        { field: 'amount', op: 'gt', value: rule * 50 + at },
      ],
    })),
  })
  const definition = definitionWith(
    Array.from({ length: 200 }, (_, rule) => when(rule)),
    [],
  )

  const findings = lint(definition, { accounts: [], mode: 'test', now })

  expect(findings.length).toBeGreaterThan(0)
})

/** Where payments end by that route. */
function endsOf(definition: Definition, known: readonly LintAccount[]): (operands: Operands) => string {
  const route = compileRoute({ id: null, revision: null }, definition)
  const candidates = known.map((account) => ({ ...account, isHeld: false }))
  const keys = { payment: 'a payment', customer: null, card: null }
  return (operands) => {
    const question = { operands, keys, instrument, tried: [], open: new Set<string>() }
    const { chosen, declined } = decide(route, question, candidates)
    return declined ? 'declined' : (chosen ?? 'no provider')
  }
}

function definitionWith(conditions: readonly Condition[], known: readonly LintAccount[]): Definition {
  const action = { type: 'priority', targets: known.map(({ id }) => id) } as const
  return {
    name: 'A route',
    rules: conditions.map((when, at) => ({ name: `rule ${at}`, when, then: action })),
    default: action,
    failover: { max_attempts: 2, budget_ms: 20_000, on: [] },
    limits: null,
    examples: [],
  }
}

/** What stands at a pointer. */
function at(definition: Definition, pointer: string): Condition {
  const parts = pointer.split('/').slice(1)
  return parts.reduce(
    (inner, part) => (inner as Record<string, unknown>)[part],
    definition as unknown,
  ) as Condition
}
