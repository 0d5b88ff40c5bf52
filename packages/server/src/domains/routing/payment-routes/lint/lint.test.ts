import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import {
  aCondition,
  accounts,
  aDefinition,
  anAccount,
  everyPayment,
} from '../../../../../test/support/arbitrary-routes.ts'
import { decide } from '../engine/choose.ts'
import { compileRoute } from '../engine/compile.ts'
import { compileCondition, leavesOf, matched, valuesOf } from '../engine/conditions.ts'
import { type Instrument, ineligibleReasons, requirementsOf } from '../engine/eligibility.ts'
import type { Operands } from '../engine/operands.ts'
import { type Action, accountsOf, type Condition, type Definition, type Finding } from '../payment-route.ts'
import { supportedBy, withinLimits } from './account-conditions.ts'
import { lint } from './lint.ts'
import type { LintAccount } from './lint-context.ts'

// Every payment of a small set is tried for every generated route, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const now = new Date('2026-11-14T12:00:00.000Z')
const cardNumber = { hasCardNumber: true, tokensAt: new Set<string>() }
/** What the account accepts: a card number, or a token of its own. */
const instrumentOf = ({ id, cardData }: Pick<LintAccount, 'id' | 'cardData'>) =>
  cardData === 'pan' ? cardNumber : { hasCardNumber: false, tokensAt: new Set([id]) }

const compiled = new WeakMap<Condition, (operands: Operands) => boolean>()

function matches(condition: Condition, operands: Operands): boolean {
  const test = compiled.get(condition) ?? testOf(condition)
  compiled.set(condition, test)
  return test(operands)
}

function testOf(condition: Condition): (operands: Operands) => boolean {
  const fields = leavesOf(condition).map(({ field }) => field)
  const test = compileCondition(condition, {
    addLocation: () => 0,
    fieldIndex: (name) => fields.indexOf(name),
  })
  return (operands) => test(valuesOf(fields, operands)) === matched
}

/** The index of the rule that decides; the default follows the last rule. */
function decidingIndex({ rules }: Definition, operands: Operands): number {
  const index = rules.findIndex(({ when }) => matches(when, operands))
  return index === -1 ? rules.length : index
}

const pointersOf = (findings: readonly Finding[], code: Finding['code']) =>
  findings.filter((finding) => finding.code === code).map(({ pointer }) => pointer)

test('findings about conditions match the results of trying every payment', () => {
  const property = fc.property(aDefinition, accounts, (definition, someAccounts) => {
    const findings = lint(definition, { accounts: someAccounts, mode: 'test', now })
    const reached = new Set(everyPayment.map((payment) => decidingIndex(definition, payment)))
    const possible = definition.rules.map(({ when }) =>
      everyPayment.some((payment) => matches(when, payment)),
    )

    expect(pointersOf(findings, 'not_fully_checked')).toEqual([])
    expect(pointersOf(findings, 'unreachable_rule')).toEqual(
      possible.flatMap((isPossible, index) => (isPossible && !reached.has(index) ? [`/rules/${index}`] : [])),
    )
    const wholeConditions = pointersOf(findings, 'impossible_condition').filter((pointer) =>
      /\/when$/.test(pointer),
    )
    expect(wholeConditions).toEqual(
      possible.flatMap((isPossible, index) => (isPossible ? [] : [`/rules/${index}/when`])),
    )
  })
  fc.assert(property, { numRuns: 200 })
})

test('exactly the alternatives that no payment matches are reported as impossible', () => {
  const property = fc.property(aCondition, accounts, (when, someAccounts) => {
    const definition = definitionWith([when], someAccounts)
    const reported = pointersOf(
      lint(definition, { accounts: someAccounts, mode: 'test', now }),
      'impossible_condition',
    )

    for (const pointer of reported)
      expect(everyPayment.some((payment) => matches(conditionAt(definition, pointer), payment))).toBe(false)
    if ('any' in when && reported.length === 0)
      for (const part of when.any) expect(everyPayment.some((payment) => matches(part, payment))).toBe(true)
  })
  fc.assert(property, { numRuns: 200 })
})

test('a route without errors has an account for every payment within its limits', () => {
  let checkedRoutes = 0
  const property = fc.property(aDefinition, accounts, (definition, someAccounts) => {
    const findings = lint(definition, { accounts: someAccounts, mode: 'test', now })
    const { limits } = definition
    if (limits === null || findings.some(({ severity }) => severity === 'error')) return
    checkedRoutes += 1
    const limitsCondition = withinLimits(limits)
    const within = everyPayment.filter((payment) => matches(limitsCondition, payment))
    const destinationOf = destinationsOf(definition, someAccounts)
    expect(within.filter((payment) => destinationOf(payment) === 'no provider')).toEqual([])
  })
  fc.assert(property, { numRuns: 500 })
  // The property must apply to some routes to be meaningful.
  expect(checkedRoutes).toBeGreaterThan(20)
})

test('a route without an account for a payment within its limits gets a finding at the action', () => {
  const property = fc.property(aDefinition, accounts, (definition, someAccounts) => {
    const { limits } = definition
    if (limits === null) return
    const findings = lint(definition, { accounts: someAccounts, mode: 'test', now })
    const [limitsCondition, destinationOf] = [withinLimits(limits), destinationsOf(definition, someAccounts)]
    const broken = everyPayment
      .filter((payment) => matches(limitsCondition, payment))
      .filter((payment) => destinationOf(payment) === 'no provider')
      .map((payment) => decidingIndex(definition, payment))
    const reported = pointersOf(findings, 'no_capable_target')
    for (const rule of new Set(broken))
      expect(reported).toContain(rule === definition.rules.length ? '/default' : `/rules/${rule}/then`)
  })
  fc.assert(property, { numRuns: 100 })
})

test('the condition of an account matches exactly the payments for which it is eligible', () => {
  const property = fc.property(anAccount('one'), (account) => {
    const supported = supportedBy(account)
    for (const operands of everyPayment) {
      const reasons = ineligibleReasons(
        { ...account, isOnHold: false },
        requirementsOf(operands, instrumentOf(account)),
      )
      expect(matches(supported, operands)).toBe(reasons.length === 0)
    }
  })
  fc.assert(property, { numRuns: 30 })
})

test('without limits only actions whose accounts can process none of their payments are reported', () => {
  const property = fc.property(aDefinition, accounts, (generated, someAccounts) => {
    const definition = { ...generated, limits: null }
    const findings = lint(definition, { accounts: someAccounts, mode: 'test', now })
    const incapable = actionsOf(definition).map((action, rule) => {
      const reaching = everyPayment.filter((payment) => decidingIndex(definition, payment) === rule)
      const targets = accountsOf(action).map(
        (id) => someAccounts.find((account) => account.id === id) as LintAccount,
      )
      const isReachable = reaching.length > 0 && targets.length > 0
      const supported = targets.map(supportedBy)
      return (
        isReachable && !supported.some((condition) => reaching.some((payment) => matches(condition, payment)))
      )
    })
    const pointers = incapable.flatMap((isIncapable, index) =>
      isIncapable ? [index === definition.rules.length ? '/default' : `/rules/${index}/then`] : [],
    )
    expect(pointersOf(findings, 'no_capable_target')).toEqual(pointers)
  })
  fc.assert(property, { numRuns: 100 })
})

test('two hundred rules with fifty conditions each are checked in bounded time', () => {
  const fields = ['card.country', 'billing.country', 'customer.country', 'metadata.a', 'metadata.b']
  const when = (rule: number): Condition => ({
    all: Array.from({ length: 25 }, (_, index) => ({
      any: [
        {
          field: fields[index % 5] as string,
          op: 'ne',
          value: `${String.fromCharCode(65 + (rule % 26))}${'ABCDE'[index % 5]}`,
        },
        { field: 'amount', op: 'gt', value: rule * 50 + index },
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

/**
 * Returns the account a payment is sent to, `declined` or `no provider`. If all accounts of its action accept only tokens,
 * the payment has a token of one of them.
 */
function destinationsOf(
  definition: Definition,
  someAccounts: readonly LintAccount[],
): (operands: Operands) => string {
  const route = compileRoute({ id: null, revision: null }, definition)
  const candidates = someAccounts.map((account) => ({ ...account, isOnHold: false }))
  const keys = { payment: 'a payment', customer: null, card: null }
  const destinationOf = (operands: Operands, instrument: Instrument) => {
    const input = { operands, keys, instrument, tried: [], openCircuits: new Set<string>() }
    const { chosen, declined } = decide(route, input, candidates)
    return declined ? 'declined' : (chosen ?? 'no provider')
  }
  return (operands) => {
    const action = actionsOf(definition)[decidingIndex(definition, operands)] as Action
    const targets = someAccounts.filter(({ id }) => accountsOf(action).includes(id))
    const onlyTokens = targets.length > 0 && targets.every(({ cardData }) => cardData === 'token')
    const instruments = onlyTokens ? targets.map(instrumentOf) : [cardNumber]
    const destinations = instruments.map((instrument) => destinationOf(operands, instrument))
    return destinations.find((destination) => destination !== 'no provider') ?? 'no provider'
  }
}

const actionsOf = ({ rules, default: last }: Definition): Action[] => [...rules.map(({ then }) => then), last]

function definitionWith(conditions: readonly Condition[], someAccounts: readonly LintAccount[]): Definition {
  const action = { type: 'priority', targets: someAccounts.map(({ id }) => id) } as const
  return {
    name: 'A route',
    rules: conditions.map((when, index) => ({ name: `rule ${index}`, when, then: action })),
    default: action,
    failover: { max_attempts: 2, budget_ms: 20_000, on: [] },
    limits: null,
    examples: [],
  }
}

/** The condition at a pointer. */
function conditionAt(definition: Definition, pointer: string): Condition {
  const parts = pointer.split('/').slice(1)
  return parts.reduce(
    (inner, part) => (inner as Record<string, unknown>)[part],
    definition as unknown,
  ) as Condition
}
