// `npm run bench:routes`: how long it takes to decide where a payment goes, by the number of rules, with the trace
// that is kept, by a split or by an order that follows what accounts approve; and how long the lint of such a route
// takes. One process, nothing but the processor.
// With `-- --history 1000000`: how long a dry run over so many payments takes.

import { parseArgs } from 'node:util'
import {
  type Adaptive,
  type Snapshot,
  segmentKey,
  settingsKey,
} from '../packages/server/src/domains/payment-routes/adaptive.ts'
import type { Candidate } from '../packages/server/src/domains/payment-routes/capable.ts'
import { decide, type Question } from '../packages/server/src/domains/payment-routes/choose.ts'
import { type CompiledRoute, compileRoute } from '../packages/server/src/domains/payment-routes/compile.ts'
import { lint } from '../packages/server/src/domains/payment-routes/lint.ts'
import type { Action, Definition, Rule } from '../packages/server/src/domains/payment-routes/payment-route.ts'
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

const split: Action = {
  ...{ type: 'split', key: 'payment', salt: 'default', fallback: [] },
  targets: [
    { provider_account_id: 'provider_account_0', weight: 80 },
    { provider_account_id: 'provider_account_1', weight: 20 },
  ],
}

const settings: Adaptive = {
  ...{ enabled: true, window_days: 14, exploration_percent: 5 },
  segment_by: ['currency', 'card.brand', 'card.country'],
}
/** As many accounts as an action may have. */
const many = candidates.slice(0, 10).map(({ id }) => id)
const inOrder: Action = { type: 'priority', targets: many }
const adaptive: Action = { type: 'priority', targets: many, adaptive: settings }

const arms = new Map(many.map((id, at) => [id, { attempts: 1_000 + at * 100, approved: 900 + at * 80 }]))
const segments = currencies.flatMap((currency) => countries.map((country) => [currency, 'visa', country]))
const snapshot: Snapshot = {
  ...{ number: 1, takenAt: new Date().toISOString() },
  rules: new Map([
    [
      '',
      {
        settings: settingsKey(settings),
        segments: new Map(segments.map((segment) => [segmentKey(segment), arms])),
      },
    ],
  ]),
}

function definitionWith(rules: number, otherwise: Action): Definition {
  return {
    name: 'A route',
    rules: Array.from({ length: rules }, (_, at) => ruleAt(at)),
    default: otherwise,
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
  snapshot,
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
  const kinds = [
    ...[0, 10, 50, 200].map((rules) => ({ rules, kind: 'split of 2', otherwise: split })),
    { rules: 200, kind: 'priority of 10', otherwise: inOrder },
    { rules: 200, kind: 'adaptive of 10', otherwise: adaptive },
  ]
  const rows = kinds.map(({ rules, kind, otherwise }) => {
    const definition = definitionWith(rules, otherwise)
    const { best, usual, passed } = measure(compileRoute({ id: null, revision: 1 }, definition))
    return [rules, kind, passed, best.p50, best.p99, best.perSecond, usual.p99, lintMs(definition)]
  })
  const head = [
    'rules',
    'default',
    'looked at',
    'p50 µs',
    'p99 µs',
    'decisions/s',
    'p99 of the usual round',
    'lint ms',
  ]
  console.log(table(head, rows))
}

const { values } = parseArgs({ options: { history: { type: 'string' } } })
if (values.history === undefined) measureDecisions()
else await measureHistory(Number(values.history))
