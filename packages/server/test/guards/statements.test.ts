// The statements that the API really sends, as Postgres saw them. Each names its workspace itself, because
// row-level security is the second lock and not the first; none counts, none skips over what it does not
// answer, so that cost does not grow with what is stored.

import { beforeAll, expect, test } from 'vitest'
import { numberOfScenario } from '../../../simulator/src/cards.ts'
import type { Deps } from '../../src/deps.ts'
import { reserveSlot, settleSlot } from '../../src/domains/card-budgets/service.ts'
import { routeFor } from '../../src/domains/payment-routes/service/decide.ts'
import { evaluateRoute } from '../../src/domains/payment-routes/service/evaluate.ts'
import { systemCaller } from '../../src/kernel/caller.ts'
import type { Id } from '../../src/kernel/id.ts'
import { operationsOf } from '../../src/operations.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { transact } from '../../src/platform/db/unit-of-work.ts'
import type { Operation } from '../../src/platform/http/operation.ts'
import { putHistory } from '../support/history.ts'
import { simulatorForThisFile } from '../support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../support/switchyard.ts'
import { headersOf, inventId, makeBody, makeObjects, pathWith, queries } from './support/calls.ts'
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
/** Those of the vault, which lie apart. */
const vaultTables = ['vault.cards', 'vault.security_codes']

let statements: readonly Statement[]
let tables: readonly string[]

beforeAll(async () => {
  await asOwner(switchyard.databaseUrl, (client) => client.query('create extension pg_stat_statements'))
  const workspace = await switchyard.newWorkspace()
  for (const operation of operations) await callInAllWays(workspace, operation)
  // Below zero it becomes credit.
  await workspace.anInvoice({ amount: -1000 })
  await meetAConflict(workspace)
  await decideWhereToGo(workspace)
  await wearOut(workspace)
  await letARouteLearn(workspace)
  await letATokenExpire(workspace)
  await switchyard.flushRequestLog()
  statements = await seenStatements()
  tables = [...(await asOwner(switchyard.databaseUrl, workspaceTables)), ...vaultTables]
})

/** Without and with a key, and lists with every bound and filter that the operation knows. */
async function callInAllWays(workspace: Workspace, operation: Operation): Promise<void> {
  for (const query of queriesOf(operation)) {
    const ids = await makeObjects(workspace, operation)
    await switchyard.flushRequestLog()
    const headers = { 'idempotency-key': `${operation.id}${query}`, ...headersOf(operation, ids) }
    const path = `${pathWith(operation, ids)}${query}`
    const options = { token: workspace.token, headers }
    const body = await makeBody(workspace, operation)
    const { status } = await switchyard.call('test', operation.method, path, body, options)
    expect(status, `${operation.id}${query}`).toBeLessThan(300)
  }
}

type Member = { readonly type?: string; readonly enum?: readonly string[] }

/** Values for what a list can be asked with. */
function exampleOf(member: string, noun: string, { type, enum: words }: Member): string {
  if (member === 'limit') return '2'
  if (member.startsWith('created_at')) return '2026-11-01T00:00:00.000Z'
  if (member === 'starting_after' || member === 'ending_before') return inventId(`${noun}_id`, 'test')
  if (words?.[0] !== undefined) return words[0]
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
  const asked = [[], ...Object.keys(members).map((member) => [member])]
  return asked.map((own) => {
    const pairs = [...new Set([...required, ...own])].map(pairOf)
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`
  })
}

/** As a payment does it. */
async function decideWhereToGo({ workspaceId }: Workspace): Promise<void> {
  const id = workspaceId as Id<'workspace'>
  const { deps } = switchyard
  await transact(deps, systemCaller({ workspaceId: id, id }), (tx) => routeFor(deps, tx, null))
}

/** A provider that takes another amount than it was asked for. */
async function meetAConflict({ post }: Workspace): Promise<void> {
  const card = { number: numberOfScenario('5014'), exp_month: 12, exp_year: 2036, cvc: '123' }
  const { body: token } = await post('/tokens', { type: 'card', card })
  const { body } = await post('/payments', { amount: 1299, currency: 'eur', token: token.id })
  expect(body.review).toBe('needs_review')
}

/** An account that fails until its breaker opens, and a card that is tried until it may not be any more. */
async function wearOut({ get, workspaceId: text }: Workspace): Promise<void> {
  const workspaceId = text as Id<'workspace'>
  const { body } = await get('/provider-accounts?limit=1')
  const learned = { is: 'unknown', fault: { code: 'timeout', message: '' } } as const
  for (let nth = 0; nth < 10; nth += 1)
    switchyard.health.note({ workspaceId, id: body.data[0].id }, { kind: 'authorize', learned, tookMs: 1 })
  await switchyard.health.flush()
  await switchyard.health.look()
  await transact(switchyard.deps, systemCaller({ workspaceId, id: workspaceId }), async (tx) => {
    const ids = { attemptId: tx.newId('payment_attempt'), paymentId: tx.newId('payment'), cardKey: 'a card' }
    const card = { brand: 'visa', country: null, bin: null, last4: '0000' }
    const slot = { ...ids, card, amount: 1n, currency: 'eur', initiator: 'merchant' } as const
    await reserveSlot(tx, slot)
    await settleSlot(tx, slot, { is: 'declined', decline: { code: 'stolen_card', networkCode: '43' } })
  })
}

/** From a payment of an hour ago, so that it counts. */
async function letARouteLearn({ get, post, workspaceId }: Workspace): Promise<void> {
  const { body } = await get('/provider-accounts?limit=2')
  const targets: string[] = body.data.map(({ id }: { id: string }) => id)
  const action = { type: 'priority', targets, adaptive: { enabled: true } }
  const { body: route } = await post('/payment-routes', { name: 'Learning', default: action })
  const past = { count: 1, account: targets[0] as string, route: route.id, secondsAgo: 3_600 }
  await putHistory(switchyard.databaseUrl, workspaceId, [past])
  await switchyard.settle()
  const caller = systemCaller({
    workspaceId: workspaceId as Id<'workspace'>,
    id: workspaceId as Id<'workspace'>,
  })
  expect(await evaluateRoute(switchyard.deps, caller, route.id, 1)).toHaveProperty('refused')
}

async function letATokenExpire({ post }: Workspace): Promise<void> {
  await post('/api-tokens', { name: 'a', role: 'ADMIN', expires_at: '2026-11-14T13:00:00.000Z' })
  switchyard.clock.advance({ hours: 2 })
  await switchyard.settle()
}

/** What the roles of the service ran in this database. Postgres has put `$1` in the place of every value. */
async function seenStatements(): Promise<Statement[]> {
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

test('every statement on a workspace’s table names the workspace', () => {
  const strays = statements.filter((statement) => !namesItsWorkspace(statement))

  expect(strays).toEqual([])
})

test('no statement skips rows, and none counts them', () => {
  expect(statements.filter(({ text }) => skipsOrCounts(text))).toEqual([])
})

test('looking for due work is always limited', () => {
  const looking = statements.filter(({ role, text }) => role === 'switchyard_due' && /^\s*select/i.test(text))

  expect(looking.length).toBeGreaterThan(0)
  expect(looking.filter(({ text }) => !/\blimit \$\d+/i.test(text))).toEqual([])
})

test('the guard has seen the statements of every table and every role', () => {
  const seen = (table: string) => statements.some(({ text }) => mentions(text, table))

  expect(tables.filter((table) => !seen(table))).toEqual([])
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
])('as %s, "%s" would be noticed', (role, text) => {
  expect(namesItsWorkspace({ role, text })).toBe(false)
})

test.each(['select * from a limit $1 offset $2', 'select count(*) from a', 'select COUNT( * ) from a'])(
  '"%s" would be noticed',
  (text) => {
    expect(skipsOrCounts(text)).toBe(true)
  },
)

function namesItsWorkspace({ role, text }: Statement): boolean {
  if (!tables.some((table) => mentions(text, table))) return true
  // These look across workspaces; what they may see of them is a matter of grants. See tenancy-database.
  if (role === 'switchyard_due' || role === 'switchyard_delivery') return true
  return /^\s*insert/i.test(text)
    ? /^\s*insert into [\w."]+ (as \w+ )?\([^)]*\bworkspace_id\b/i.test(text)
    : /\bwhere\b.*\bworkspace_id"? = (\$\d+|null\b|new\.workspace_id)/is.test(text)
}

function mentions(text: string, table: string): boolean {
  const name = table.replace('.', '"?\\."?')
  return new RegExp(`\\b(from|join|into|update|only)\\s+"?${name}"?(?![\\w.])`, 'i').test(text)
}

function skipsOrCounts(text: string): boolean {
  return /\boffset\b|\bcount\s*\(\s*\*\s*\)/i.test(text)
}
