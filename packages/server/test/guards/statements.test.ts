// Checks the statements that PostgreSQL received from the API. Each statement filters by workspace, because
// row-level security is only the second line of defense. No statement counts or skips rows, so that its cost
// does not grow with the number of rows.

import { beforeAll, expect, test } from 'vitest'
import { cardNumberForScenario } from '../../../simulator/src/cards.ts'
import type { Deps } from '../../src/deps.ts'
import { aggregateEvents } from '../../src/domains/billing/meters/service/aggregate.ts'
import { recordSlotResult, reserveSlot } from '../../src/domains/payments/card-budgets/service.ts'
import { routeFor } from '../../src/domains/routing/payment-routes/service/decide.ts'
import { evaluateRoute } from '../../src/domains/routing/payment-routes/service/evaluate.ts'
import { systemCaller } from '../../src/kernel/caller.ts'
import type { Id } from '../../src/kernel/id.ts'
import { operationsOf } from '../../src/operations.ts'
import { transact } from '../../src/platform/db/unit-of-work.ts'
import type { Operation } from '../../src/platform/http/operation.ts'
import { payerAt, slugOf } from '../support/checkout.ts'
import { asOwner } from '../support/owner.ts'
import { insertPastPayments } from '../support/past-payments.ts'
import { simulatorForThisFile } from '../support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../support/switchyard.ts'
import {
  createBody,
  createObject,
  createObjects,
  headersOf,
  inventId,
  pathWith,
  queries,
} from './support/sample-requests.ts'
import { workspaceTables } from './support/tables.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const operations = operationsOf({} as Deps)

type Statement = { readonly role: string; readonly text: string }

const roles = [
  'switchyard_app',
  'switchyard_control',
  'switchyard_delivery',
  'switchyard_due',
  'switchyard_log',
  'switchyard_vault',
]
/** The tables of the vault, which are in another schema. */
const vaultTables = ['vault.cards', 'vault.security_codes']
/** Statements inside of `enter_workspace` are not recorded, and a move connects as the owner of the tables. */
const tablesOfOthers = ['placements', 'workspace_moves']

let statements: readonly Statement[]
let tables: readonly string[]

beforeAll(async () => {
  await asOwner(switchyard.databaseUrl, (client) => client.query('create extension pg_stat_statements'))
  const workspace = await switchyard.newWorkspace()
  for (const operation of operations) await callWithAllQueries(workspace, operation)
  // Invoice numbers of each year have their own counter.
  await workspace.put('/seller', { numbering: { reset: 'yearly' } })
  // A negative total becomes credit.
  await workspace.anInvoice({ amount: -1000 })
  await createConflict(workspace)
  await decideRoute(workspace)
  await reachLimits(workspace)
  await updateAdaptiveRoute(workspace)
  await redeemCoupon(workspace)
  await requestLoginCode(workspace)
  await recordUsage(workspace)
  await expireToken(workspace)
  await switchyard.flushRequestLog()
  statements = await readStatements()
  tables = [...(await asOwner(switchyard.databaseUrl, workspaceTables)), ...vaultTables]
})

/** Calls an operation with an idempotency key; lists are called with each of their query parameters. */
async function callWithAllQueries(workspace: Workspace, operation: Operation): Promise<void> {
  for (const query of queriesOf(operation)) {
    const ids = await createObjects(workspace, operation)
    await switchyard.flushRequestLog()
    const headers = { 'idempotency-key': `${operation.id}${query}`, ...headersOf(operation, ids) }
    const path = `${pathWith(operation, ids)}${query}`
    const options = { token: workspace.token, headers }
    const body = await createBody(workspace, operation)
    const { status } = await switchyard.call('test', operation.method, path, body, options)
    expect(status, `${operation.id}${query}`).toBeLessThan(300)
  }
}

type Member = { readonly type?: string; readonly enum?: readonly string[] }

/** A value for a query parameter of a list. */
function exampleOf(member: string, noun: string, { type, enum: values }: Member): string {
  if (member === 'limit') return '2'
  if (member.startsWith('created_at')) return '2026-11-01T00:00:00.000Z'
  if (member === 'starting_after' || member === 'ending_before') return inventId(`${noun}_id`, 'test')
  if (values?.[0] !== undefined) return values[0]
  if (type === 'boolean') return 'true'
  if (member === 'object_id') return inventId('customer_id', 'test')
  if (member.endsWith('_id')) return inventId(member, 'test')
  const examples: Record<string, string> = { email: 'ada@example.com', type: 'customer.created' }
  return examples[member] ?? 'example'
}

function queriesOf({ id, query }: Operation): string[] {
  const plural = id.split('.')[0] as string
  const noun = plural === 'people' ? 'person' : plural.replace(/ies$/, 'y').replace(/s$/, '')
  const members = (query?.properties ?? {}) as Record<string, Member>
  const valueFor = (member: string) =>
    queries[id]?.[member] ?? exampleOf(member, noun, members[member] as Member)
  const pairOf = (member: string) => `${encodeURIComponent(member)}=${encodeURIComponent(valueFor(member))}`
  const required = (query as { required?: readonly string[] } | undefined)?.required ?? []
  const memberLists = [[], ...Object.keys(members).map((member) => [member])]
  return memberLists.map((optional) => {
    const pairs = [...new Set([...required, ...optional])].map(pairOf)
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`
  })
}

/** Selects a route as for a payment. */
async function decideRoute({ workspaceId }: Workspace): Promise<void> {
  const id = workspaceId as Id<'workspace'>
  const { deps } = switchyard
  await transact(deps, systemCaller({ workspaceId: id, id }), (tx) => routeFor(deps, tx, null))
}

/** Creates a payment for which the provider charges an amount other than the requested one. */
async function createConflict({ post }: Workspace): Promise<void> {
  const card = { number: cardNumberForScenario('5014'), exp_month: 12, exp_year: 2036, cvc: '123' }
  const { body: token } = await post('/tokens', { type: 'card', card })
  const { body } = await post('/payments', { amount: 1299, currency: 'eur', token: token.id })
  expect(body.review).toBe('needs_review')
}

/**
 * Opens the circuit breaker of an account, and reserves and releases a slot in the retry budget of a card.
 */
async function reachLimits({ get, workspaceId: text }: Workspace): Promise<void> {
  const workspaceId = text as Id<'workspace'>
  const { body } = await get('/provider-accounts?limit=1')
  const result = { is: 'unknown', fault: { code: 'timeout', message: '' } } as const
  for (let count = 0; count < 10; count += 1)
    switchyard.health.recordResult(
      { workspaceId, id: body.data[0].id },
      { kind: 'authorize', observed: result, tookMs: 1 },
    )
  await switchyard.health.flush()
  await switchyard.health.refresh()
  await transact(switchyard.deps, systemCaller({ workspaceId, id: workspaceId }), async (tx) => {
    const ids = { attemptId: tx.newId('payment_attempt'), paymentId: tx.newId('payment'), cardKey: 'a card' }
    const card = { brand: 'visa', country: null, bin: null, last4: '0000' }
    const slot = { ...ids, card, amount: 1n, currency: 'eur', initiator: 'merchant' } as const
    await reserveSlot(tx, slot)
    await recordSlotResult(tx, slot, { is: 'declined', decline: { code: 'stolen_card', networkCode: '43' } })
  })
}

/** Updates an adaptive route from a payment that was made an hour ago. */
async function updateAdaptiveRoute({ get, post, workspaceId }: Workspace): Promise<void> {
  const { body } = await get('/provider-accounts?limit=2')
  const targets: string[] = body.data.map(({ id }: { id: string }) => id)
  const action = { type: 'priority', targets, adaptive: { enabled: true } }
  const { body: route } = await post('/payment-routes', { name: 'Learning', default: action })
  const past = { count: 1, account: targets[0] as string, route: route.id, secondsAgo: 3_600 }
  await insertPastPayments(switchyard.databaseUrl, workspaceId, [past])
  await switchyard.settle()
  const caller = systemCaller({
    workspaceId: workspaceId as Id<'workspace'>,
    id: workspaceId as Id<'workspace'>,
  })
  expect(await evaluateRoute(switchyard.deps, caller, route.id, 1)).toHaveProperty('refused')
}

async function redeemCoupon(workspace: Workspace): Promise<void> {
  const coupon_id = await createObject(workspace, 'coupon_id')
  const subscription_id = await createObject(workspace, 'subscription_id')
  const { status } = await workspace.put(`/subscriptions/${subscription_id}`, { discounts: [{ coupon_id }] })
  expect(status).toBe(200)
  const customer_id = await createObject(workspace, 'customer_id')
  const given = await workspace.put(`/customers/${customer_id}/discounts`, { discounts: [{ coupon_id }] })
  expect(given.status).toBe(200)
  const moved = await workspace.put(`/customers/${customer_id}/discounts`, { discounts: [] })
  expect(moved.status).toBe(200)
}

async function requestLoginCode({ post, address }: Workspace): Promise<void> {
  const saved_methods = { show: true }
  const { body: link } = await post('/payment-links', { amount: 1299, currency: 'eur', saved_methods })
  const path = `/checkout/links/${slugOf(link)}/login-codes`
  expect((await payerAt(address).call('POST', path, { email: 'ada@example.com' })).status).toBe(201)
}

async function recordUsage({ post, put, aCustomer, workspaceId }: Workspace): Promise<void> {
  const terms = { event_name: 'login', aggregation: 'unique', value_key: 'user' }
  const { body: meter } = await post('/meters', terms)
  const customer_id = await aCustomer()
  const { body: product } = await post('/products', { name: 'Users' })
  const price = { currency: 'eur', unit_amount: 500, recurring: { interval: 'month' }, meter_id: meter.id }
  const { body: usagePrice } = await post('/prices', { ...price, product_id: product.id })
  const items = [{ price_id: usagePrice.id }]
  const { body: subscription } = await post('/subscriptions', {
    customer_id,
    items,
    activation_policy: 'on_attempt',
  })
  await switchyard.settle()
  await post('/usage-alerts', { meter_id: meter.id, name: 'First login', threshold: '1' })
  const event = { event_name: 'login', customer_id, dimensions: { user: 'ada' } }
  await post('/meter-events', { events: [{ id: '1', ...event }] })
  const id = workspaceId as Id<'workspace'>
  await aggregateEvents(switchyard.deps, { workspaceId: id, id })
  switchyard.clock.advance({ seconds: 5 })
  expect((await put(`/subscriptions/${subscription.id}/cancel`, { at: 'now' })).status).toBe(200)
  switchyard.clock.advance({ hours: 1 })
  await switchyard.settle()
}

async function expireToken({ post }: Workspace): Promise<void> {
  await post('/api-tokens', { name: 'a', role: 'ADMIN', expires_at: '2026-11-14T13:00:00.000Z' })
  switchyard.clock.advance({ hours: 2 })
  await switchyard.settle()
}

/**
 * The statements that the roles of the server ran in this database. PostgreSQL has replaced every value with
 * a placeholder such as `$1`.
 */
async function readStatements(): Promise<Statement[]> {
  return asOwner(switchyard.databaseUrl, async (client) => {
    const { rows } = await client.query(
      `select userid::regrole::text as role, query as text from pg_stat_statements
       where dbid = (select oid from pg_database where datname = current_database())
         and userid::regrole::text = any($1) order by query`,
      [roles],
    )
    return rows
  })
}

test('every statement on a table with workspace data filters by workspace', () => {
  const violations = statements.filter((statement) => !filtersByWorkspace(statement))

  expect(violations).toEqual([])
})

test('no statement skips or counts rows', () => {
  expect(statements.filter(({ text }) => skipsOrCounts(text))).toEqual([])
})

test('queries for due work always have a limit', () => {
  const dueQueries = statements.filter(
    ({ role, text }) => role === 'switchyard_due' && /^\s*select/i.test(text),
  )

  expect(dueQueries.length).toBeGreaterThan(0)
  expect(dueQueries.filter(({ text }) => !/\blimit \$\d+/i.test(text))).toEqual([])
})

test('the guard has found statements for every table and every role', () => {
  const isUsed = (table: string) => statements.some(({ text }) => mentions(text, table))

  expect(tables.filter((table) => !isUsed(table))).toEqual(tablesOfOthers)
  expect([...new Set(statements.map(({ role }) => role))].toSorted()).toEqual(roles)
})

// biome-ignore format: a table.
test.each([
  ['switchyard_app', 'select * from customers where id = $1'],
  ['switchyard_app', 'select * from customers where id = $1 order by workspace_id'],
  ['switchyard_app', 'select workspace_id from "customers" where "id" = $1'],
  ['switchyard_app', 'update customers set name = $1 where id = $2 returning workspace_id'],
  ['switchyard_app', 'delete from customers'],
  ['switchyard_app', 'insert into customers (id) values ($1)'],
  ['switchyard_control', 'select * from customers where id = $1'],
  ['switchyard_vault', 'select sealed from "vault"."cards" where "id" = $1'],
  ['switchyard_vault', 'delete from vault.security_codes where expires_at <= $1'],
])('as %s, the missing workspace filter of "%s" is detected', (role, text) => {
  expect(filtersByWorkspace({ role, text })).toBe(false)
})

test.each(['select * from a limit $1 offset $2', 'select count(*) from a', 'select COUNT( * ) from a'])(
  'skipping or counting rows is detected: "%s"',
  (text) => {
    expect(skipsOrCounts(text)).toBe(true)
  },
)

function filtersByWorkspace({ role, text }: Statement): boolean {
  // Rows that are inserted with their workspace need no condition.
  const withoutInserts = text.replaceAll(
    /\binsert into [\w."]+ (as \w+ )?\([^)]*\bworkspace_id\b[^)]*\)/gi,
    '',
  )
  if (!tables.some((table) => mentions(withoutInserts, table))) return true
  // These roles read across workspaces. Grants limit what they can read: see tenancy-database.test.ts.
  if (role === 'switchyard_due' || role === 'switchyard_delivery') return true
  return /^\s*insert/i.test(text)
    ? /^\s*insert into [\w."]+ (as \w+ )?\([^)]*\bworkspace_id\b/i.test(text)
    : /\bwhere\b.*\bworkspace_id"? = (\$\d+|null\b|(new|old)\.workspace_id)/is.test(text)
}

function mentions(text: string, table: string): boolean {
  const name = table.replace('.', '"?\\."?')
  return new RegExp(`\\b(from|join|into|update|only)\\s+"?${name}"?(?![\\w.])`, 'i').test(text)
}

function skipsOrCounts(text: string): boolean {
  return /\boffset\b|\bcount\s*\(\s*\*\s*\)/i.test(text)
}
