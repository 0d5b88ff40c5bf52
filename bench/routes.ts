// `npm run bench:routes`: how long it takes to decide where a payment goes, by the number of rules, with the trace
// that is kept; and how long the lint of such a route takes. One process, nothing but the processor.
// With `-- --history 1000000`: how long a dry run over so many payments takes.

import { parseArgs } from 'node:util'
import type { Candidate } from '../packages/server/src/domains/payment-routes/capable.ts'
import { decide, type Question } from '../packages/server/src/domains/payment-routes/choose.ts'
import { type CompiledRoute, compileRoute } from '../packages/server/src/domains/payment-routes/compile.ts'
import { lint } from '../packages/server/src/domains/payment-routes/lint.ts'
import type { Definition, Rule } from '../packages/server/src/domains/payment-routes/payment-route.ts'
import { measureHistory } from './routes/history.ts'
import { table } from './table.ts'

const accounts = 50
/** Short ones: in some of them nobody else has wanted the processor. */
const rounds = 200
const decisions = 1_000
const countries = ['DE', 'FR', 'NL', 'BE', 'AT', 'IT', 'ES', 'PT', 'PL', 'SE']
const currencies = ['eur', 'usd', 'gbp', 'chf', 'sek', 'pln', 'jpy', 'kwd']

const candidates: readonly Candidate[] = Array.from({ length: accounts }, (_, at) => ({
  ...{ id: `provider_account_${at}`, cardData: 'pan', isHeld: false },
  capabilities: {
    kinds: ['verify', 'authorize', 'capture', 'void', 'refund'],
    ...{ brands: 'all', currencies: 'all', countries: 'all', amount: { min: 1, max: 10_000_000 } },
    ...{ manualCapture: true, multiCapture: true, partialRefund: true, threeDSecure: true, offSession: true },
  },
}))

/** Rules as people write them: a currency, some countries, a range of amounts, a tier. None is covered by another. */
function ruleAt(at: number): Rule {
  const currency = currencies[at % currencies.length] as string
  const from = Math.floor(at / currencies.length) * 1_000 + 1
  const country = countries[at % countries.length] as string
  const targets = [at, at + 1, at + 2].map((account) => `provider_account_${account % accounts}`)
  const action = { type: 'priority', targets }
  const when = {
    all: [
      { field: 'currency', op: 'eq', value: currency },
      { field: 'amount', op: 'between', value: [from, from + 999] },
      {
        any: [
          { field: 'card.country', op: 'in', value: [country, 'GB', 'IE'] },
          { field: 'metadata.tier', op: 'eq', value: 'gold' },
        ],
      },
    ],
  }
  return Object.fromEntries<unknown>([
    ['name', `rule ${at}`],
    ['when', when],
    ['then', action],
  ]) as Rule
}

function definitionWith(rules: number): Definition {
  return {
    name: 'A route',
    rules: Array.from({ length: rules }, (_, at) => ruleAt(at)),
    default: {
      ...{ type: 'split', key: 'payment', salt: 'default', fallback: [] },
      targets: [
        { provider_account_id: 'provider_account_0', weight: 80 },
        { provider_account_id: 'provider_account_1', weight: 20 },
      ],
    },
    failover: { max_attempts: 2, budget_ms: 20_000, on: ['technical', 'configuration', 'soft'] },
    limits: null,
    examples: [],
  }
}

/** All kinds of payments: some meet an early rule, most meet none and pass all of them. */
const questions: readonly Question[] = Array.from({ length: 1_000 }, (_, at) => ({
  operands: {
    ...{ amount: (at * 7_919) % 60_000, currency: currencies[(at * 31) % currencies.length] },
    ...{ purpose: 'payment', initiator: 'customer', recurring: 'none', channel: 'api' },
    ...{ capture_method: 'automatic', three_d_secure: 'auto', 'method.type': 'card', 'card.brand': 'visa' },
    ...{ 'card.country': countries[(at * 17) % countries.length], 'created.hour': at % 24 },
  },
  keys: { payment: `payment_${at}`, customer: `customer_${at % 100}`, card: null },
  instrument: { hasNumber: true, onlyAt: null },
  tried: [],
  open: new Set(),
}))

type Round = { readonly p50: number; readonly p99: number; readonly perSecond: number }

/** The best round is what it takes; the others show what neighbours on the same machine add. */
function measure(route: CompiledRoute): { best: Round; usual: Round; passed: number } {
  const seen = questions.map((question) => decide(route, question, candidates).trace.rules.length)
  for (let warm = 0; warm < 20_000; warm += 1) decide(route, questionAt(warm), candidates)
  const measured = Array.from({ length: rounds }, () => measureRound(route)).toSorted((a, b) => a.p99 - b.p99)
  const passed = Math.round(seen.reduce((sum, rules) => sum + rules, 0) / seen.length)
  return { best: measured[0] as Round, usual: measured[Math.floor(rounds / 2)] as Round, passed }
}

function measureRound(route: CompiledRoute): Round {
  const takenUs = new Float64Array(decisions)
  const begunMs = performance.now()
  for (let turn = 0; turn < decisions; turn += 1) {
    const since = process.hrtime.bigint()
    decide(route, questionAt(turn), candidates)
    takenUs[turn] = Number(process.hrtime.bigint() - since) / 1_000
  }
  const perSecond = Math.round((decisions / (performance.now() - begunMs)) * 1000)
  takenUs.sort()
  const at = (share: number) => Math.round((takenUs[Math.floor(decisions * share)] ?? 0) * 10) / 10
  return { p50: at(0.5), p99: at(0.99), perSecond }
}

function questionAt(turn: number): Question {
  return questions[turn % questions.length] as Question
}

function lintMs(definition: Definition): number {
  const known = candidates.map((candidate) => ({
    ...candidate,
    ...{ displayName: candidate.id, provider: 'simulator', check: null },
  }))
  const sinceMs = performance.now()
  const findings = lint(definition, { accounts: known, mode: 'test', now: new Date() })
  const tookMs = Math.round(performance.now() - sinceMs)
  if (findings.some(({ severity }) => severity === 'error'))
    throw new Error('The route of the bench has errors.')
  return tookMs
}

function measureDecisions(): void {
  const rows = [0, 10, 50, 200].map((rules) => {
    const definition = definitionWith(rules)
    const { best, usual, passed } = measure(compileRoute({ id: null, revision: 1 }, definition))
    return [rules, passed, best.p50, best.p99, best.perSecond, usual.p99, lintMs(definition)]
  })
  const head = ['rules', 'looked at', 'p50 µs', 'p99 µs', 'decisions/s', 'p99 of the usual round', 'lint ms']
  console.log(table(head, rows))
}

const { values } = parseArgs({ options: { history: { type: 'string' } } })
if (values.history === undefined) measureDecisions()
else await measureHistory(Number(values.history))
