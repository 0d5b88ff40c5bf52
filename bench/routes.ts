// `npm run bench:routes`: measures the duration of a routing decision with its trace, for routes with
// different numbers of rules, and with a split or an order by approval rate. Also measures the linter. CPU
// only, in one process. `-- --history 1000000` measures a route simulation with that many payments.

import { parseArgs } from 'node:util'
import {
  type Snapshot,
  segmentKey,
  settingsKey,
} from '../packages/server/src/domains/routing/payment-routes/adaptive/adaptive.ts'
import {
  type DecisionInput,
  decide,
} from '../packages/server/src/domains/routing/payment-routes/engine/choose.ts'
import {
  type CompiledRoute,
  compileRoute,
} from '../packages/server/src/domains/routing/payment-routes/engine/compile.ts'
import type { Candidate } from '../packages/server/src/domains/routing/payment-routes/engine/eligibility.ts'
import { lint } from '../packages/server/src/domains/routing/payment-routes/lint/lint.ts'
import type {
  Action,
  Adaptive,
  Definition,
  Rule,
} from '../packages/server/src/domains/routing/payment-routes/payment-route.ts'
import { measureHistory } from './routes/history.ts'
import { table } from './table.ts'

const accounts = 50
/** Many short rounds, so that some are not disturbed by other processes. */
const rounds = 200
const decisions = 1_000
const countries = ['DE', 'FR', 'NL', 'BE', 'AT', 'IT', 'ES', 'PT', 'PL', 'SE']
const currencies = ['eur', 'usd', 'gbp', 'chf', 'sek', 'pln', 'jpy', 'kwd']

const candidates: readonly Candidate[] = Array.from({ length: accounts }, (_, index) => ({
  id: `provider_account_${index}`,
  cardData: 'pan',
  isOnHold: false,
  costs: [],
  capabilities: {
    kinds: ['verify', 'authorize', 'capture', 'void', 'refund'],
    brands: 'all',
    currencies: 'all',
    countries: 'all',
    amount: { min: 1, max: 10_000_000 },
    manualCapture: true,
    multiCapture: true,
    partialRefund: true,
    threeDSecure: true,
    offSession: true,
    methods: {},
  },
}))

/** Realistic rules: a currency, some countries, a range of amounts, a tier. No rule makes another unreachable. */
function ruleAt(index: number): Rule {
  const currency = currencies[index % currencies.length] as string
  const from = Math.floor(index / currencies.length) * 1_000 + 1
  const country = countries[index % countries.length] as string
  const targets = [index, index + 1, index + 2].map((account) => `provider_account_${account % accounts}`)
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
    ['name', `rule ${index}`],
    ['when', when],
    ['then', action],
  ]) as Rule
}

const split: Action = {
  type: 'split',
  key: 'payment',
  salt: 'default',
  fallback: [],
  targets: [
    { provider_account_id: 'provider_account_0', weight: 80 },
    { provider_account_id: 'provider_account_1', weight: 20 },
  ],
}

const settings: Adaptive = {
  enabled: true,
  window_days: 14,
  exploration_percent: 5,
  segment_by: ['currency', 'card.brand', 'card.country'],
}
/** The maximum number of accounts of an action. */
const targetIds = candidates.slice(0, 10).map(({ id }) => id)
const fixedOrder: Action = { type: 'priority', targets: targetIds }
const adaptive: Action = { type: 'priority', targets: targetIds, adaptive: settings }

const arms = new Map(
  targetIds.map((id, index) => [id, { attempts: 1_000 + index * 100, approved: 900 + index * 80 }]),
)
const segments = currencies.flatMap((currency) => countries.map((country) => [currency, 'visa', country]))
const snapshot: Snapshot = {
  number: 1,
  takenAt: new Date().toISOString(),
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

function definitionWith(rules: number, defaultAction: Action): Definition {
  return {
    name: 'A route',
    rules: Array.from({ length: rules }, (_, index) => ruleAt(index)),
    default: defaultAction,
    failover: { max_attempts: 2, budget_ms: 20_000, on: ['technical', 'configuration', 'soft'] },
    limits: null,
    examples: [],
  }
}

/** Different payments: some match an early rule, most match no rule and evaluate all of them. */
const inputs: readonly DecisionInput[] = Array.from({ length: 1_000 }, (_, index) => ({
  operands: {
    amount: (index * 7_919) % 60_000,
    currency: currencies[(index * 31) % currencies.length],
    purpose: 'payment',
    initiator: 'customer',
    recurring: 'none',
    channel: 'api',
    capture_method: 'automatic',
    three_d_secure: 'auto',
    'method.type': 'card',
    'card.brand': 'visa',
    'card.country': countries[(index * 17) % countries.length],
    'created.hour': index % 24,
  },
  keys: { payment: `payment_${index}`, customer: `customer_${index % 100}`, card: null },
  instrument: { hasCardNumber: true, tokensAt: new Set<string>() },
  tried: [],
  openCircuits: new Set(),
  snapshot,
}))

type Round = { readonly p50: number; readonly p99: number; readonly perSecond: number }

/**
 * The fastest round is closest to the actual cost, because other processes slow down the remaining rounds.
 */
function measure(route: CompiledRoute): { best: Round; median: Round; averageRules: number } {
  const evaluatedRules = inputs.map((input) => decide(route, input, candidates).trace.rules.length)
  for (let nth = 0; nth < 20_000; nth += 1) decide(route, inputAt(nth), candidates)
  const measured = Array.from({ length: rounds }, () => measureRound(route)).toSorted((a, b) => a.p99 - b.p99)
  const averageRules = Math.round(
    evaluatedRules.reduce((sum, rules) => sum + rules, 0) / evaluatedRules.length,
  )
  return { best: measured[0] as Round, median: measured[Math.floor(rounds / 2)] as Round, averageRules }
}

function measureRound(route: CompiledRoute): Round {
  const durationsUs = new Float64Array(decisions)
  const startedMs = performance.now()
  for (let nth = 0; nth < decisions; nth += 1) {
    const startedNs = process.hrtime.bigint()
    decide(route, inputAt(nth), candidates)
    durationsUs[nth] = Number(process.hrtime.bigint() - startedNs) / 1_000
  }
  const perSecond = Math.round((decisions / (performance.now() - startedMs)) * 1000)
  durationsUs.sort()
  const quantile = (share: number) => Math.round((durationsUs[Math.floor(decisions * share)] ?? 0) * 10) / 10
  return { p50: quantile(0.5), p99: quantile(0.99), perSecond }
}

function inputAt(nth: number): DecisionInput {
  return inputs[nth % inputs.length] as DecisionInput
}

function lintMs(definition: Definition): number {
  const lintAccounts = candidates.map((candidate) => ({
    ...candidate,
    displayName: candidate.id,
    provider: 'simulator',
    check: null,
  }))
  const startedMs = performance.now()
  const findings = lint(definition, { accounts: lintAccounts, mode: 'test', now: new Date() })
  const tookMs = Math.round(performance.now() - startedMs)
  if (findings.some(({ severity }) => severity === 'error'))
    throw new Error('The route of the benchmark has lint errors.')
  return tookMs
}

function measureDecisions(): void {
  const kinds = [
    ...[0, 10, 50, 200].map((rules) => ({ rules, kind: 'split of 2', defaultAction: split })),
    { rules: 200, kind: 'priority of 10', defaultAction: fixedOrder },
    { rules: 200, kind: 'adaptive of 10', defaultAction: adaptive },
  ]
  const rows = kinds.map(({ rules, kind, defaultAction }) => {
    const definition = definitionWith(rules, defaultAction)
    const { best, median, averageRules } = measure(compileRoute({ id: null, revision: 1 }, definition))
    return [rules, kind, averageRules, best.p50, best.p99, best.perSecond, median.p99, lintMs(definition)]
  })
  const head = [
    'rules',
    'default',
    'rules evaluated',
    'p50 µs',
    'p99 µs',
    'decisions/s',
    'p99 of the median round',
    'lint ms',
  ]
  console.log(table(head, rows))
}

const { values } = parseArgs({ options: { history: { type: 'string' } } })
if (values.history === undefined) measureDecisions()
else await measureHistory(Number(values.history))
