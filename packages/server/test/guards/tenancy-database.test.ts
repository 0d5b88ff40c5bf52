// Workspaces apart at the database itself: what holds if a predicate is forgotten in a statement. A table
// that a migration adds is checked here without anybody thinking of it.

import type { Client } from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { reserveSlot } from '../../src/domains/card-budgets/service.ts'
import { confirmation } from '../../src/domains/card-tokens/vault.ts'
import { countNews } from '../../src/domains/reports/service/count.ts'
import { systemCaller } from '../../src/kernel/caller.ts'
import { type Id, idFromUuid, uuidOf } from '../../src/kernel/id.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { transact } from '../../src/platform/db/unit-of-work.ts'
import { payerAt, slugOf } from '../support/checkout.ts'
import { simulatorForThisFile } from '../support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../support/switchyard.ts'
import { workspaceTables } from './support/tables.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const inDatabase = <T>(body: (client: Client) => Promise<T>) => asOwner(switchyard.databaseUrl, body)
const tables = await inDatabase(workspaceTables)

/** Found across workspaces by their due time: the one exception to "workspace first". All are partial. */
const dueIndexes = [
  ...['api_tokens_due', 'webhook_lanes_sweep', 'webhook_recoveries_due', 'provider_accounts_hold_ends'],
  ...['card_tokens_due', 'work_failures_parked', 'work_failures_waiting'],
  ...['payments_due', 'operations_due', 'payment_methods_due', 'provider_events_due', 'provider_health_open'],
  ...['route_simulations_due', 'report_cursors_due', 'payment_route_learning_due'],
  ...['payment_links_due', 'checkout_sessions_due', 'checkout_sessions_receipts', 'checkout_sessions_live'],
  ...['subscriptions_due', 'dunning_campaigns_due', 'test_clocks_due'],
  ...['invoices_to_finalize', 'invoices_to_collect', 'invoices_in_flight'],
  ...['invoices_news_for_subscription', 'invoices_news_for_dunning'],
]
/** Of one test clock, in the order in which its time comes to them. */
const clockIndexes = [
  ...['payments_due_on_clock', 'operations_due_on_clock', 'subscriptions_due_on_clock'],
  ...['dunning_campaigns_due_on_clock', 'invoices_on_clock'],
]
/** A provider names its account and nothing else; who looks with it sees ids alone. */
const byIdAlone = ['provider_accounts_by_id']
/** Added to, never rewritten. */
const histories = [
  ...['events', 'delivery_attempts', 'audit_entries', 'request_log'],
  ...['payment_route_revisions', 'payment_route_publications'],
]
const roles = [
  ...['switchyard_app', 'switchyard_due', 'switchyard_delivery', 'switchyard_log'],
  ...['switchyard_control', 'switchyard_vault'],
]
/** What Postgres says to who may not: by a grant, or by row-level security. */
const notAllowed = '42501'

let ours: string
let theirs: string

beforeAll(async () => {
  const [first, second] = [await switchyard.newWorkspace(), await switchyard.newWorkspace()]
  for (const workspace of [first, second]) await fillTables(workspace)
  for (const workspace of [first, second]) await fillHealth(workspace)
  for (const workspace of [first, second]) await fillFigures(workspace)
  await switchyard.flushRequestLog()
  ours = uuidOf(first.workspaceId as Id<'workspace'>)
  theirs = uuidOf(second.workspaceId as Id<'workspace'>)
  await inDatabase((client) =>
    client.query(
      `insert into work_failures (workspace_id, work, object_id, failures, reason, retry_at)
       select id, 'test.fail', id, 1, 'a test', now() from unnest($1::uuid[]) as id`,
      [[ours, theirs]],
    ),
  )
  // What only a provider that contradicts itself would leave.
  await inDatabase((client) =>
    client.query(
      `insert into conflicts (workspace_id, id, payment_id, kind, detail, created_at)
       select id, id, id, 'test', 'a test', now() from unnest($1::uuid[]) as id`,
      [[ours, theirs]],
    ),
  )
  await inDatabase((client) =>
    client.query(
      `insert into provider_events (workspace_id, id, provider_account_id, dedupe_key, verdict, event, created_at)
       select id, id, id, 'test', 'valid', '{}', now() from unnest($1::uuid[]) as id`,
      [[ours, theirs]],
    ),
  )
})

/** What only payments leave: a breaker that is open, figures, and attempts as the card networks count them. */
async function fillHealth({ workspaceId }: Workspace): Promise<void> {
  const owner = workspaceId as Id<'workspace'>
  await inDatabase((client) =>
    client.query(
      `insert into provider_health (workspace_id, provider_account_id, lane, state) values ($1, $1, 'rest', 'closed')`,
      [uuidOf(owner)],
    ),
  )
  await inDatabase((client) =>
    client.query(
      `insert into payment_route_figures (workspace_id, payment_route_id, rule, currency, card_brand, card_country, at,
         provider_account_id, attempts, approved) values ($1, $1, '', 'eur', 'visa', '', now(), $1, 1, 1)`,
      [uuidOf(owner)],
    ),
  )
  const account = idFromUuid('provider_account', 'test', uuidOf(owner))
  const learned = { is: 'pending', ref: 'r' } as const
  switchyard.health.note({ workspaceId: owner, id: account }, { kind: 'capture', learned, tookMs: 1 })
  await switchyard.health.flush()
  await transact(switchyard.deps, systemCaller({ workspaceId: owner, id: owner }), async (tx) => {
    const card = { brand: 'visa', country: null, bin: null, last4: '0000' }
    const ids = { attemptId: tx.newId('payment_attempt'), paymentId: tx.newId('payment') }
    const asked = { cardKey: 'a card', amount: 1n, currency: 'eur', initiator: 'merchant' } as const
    await reserveSlot(tx, { ...ids, ...asked, card })
  })
}

/** What was done is counted; no day has brought anything yet. */
async function fillFigures({ workspaceId }: Workspace): Promise<void> {
  const id = workspaceId as Id<'workspace'>
  await countNews(switchyard.deps, { workspaceId: id, id })
  await inDatabase((client) =>
    client.query(
      `insert into billing_days (workspace_id, day_on, currency, mrr_change, active_change, recovered, recovered_amount)
       values ($1, '2026-11-14', 'eur', 0, 0, 0, 0)`,
      [uuidOf(id)],
    ),
  )
}

async function fillTables({
  get,
  post,
  anEndpoint,
  anInvoice,
  aCampaign,
  address,
}: Workspace): Promise<void> {
  await post('/customers', {}, { headers: { 'idempotency-key': 'fill-the-tables' } })
  // Nobody listens there: an attempt is soon over, and is one.
  const endpoint = await anEndpoint('http://127.0.0.1:1024/webhooks')
  await post(`/webhook-endpoints/${endpoint}/test`)
  const since_at = new Date(Date.now() - 3_600_000).toISOString()
  await post(`/webhook-endpoints/${endpoint}/recover`, { since_at })
  const config = { base_url: 'https://psp.example.com' }
  await post('/provider-accounts', { provider: 'custom', display_name: 'Our acquirer', config })
  const { body: route } = await post('/payment-routes', { name: 'Nobody', default: { type: 'decline' } })
  const { body: accounts } = await get('/provider-accounts?limit=2')
  const targets = accounts.data.map(({ id }: { id: string }) => id)
  const adaptive = { type: 'priority', targets, adaptive: { enabled: true } }
  await post('/payment-routes', { name: 'Learning', default: adaptive })
  await post(`/payment-routes/${route.id}/simulate`, { history: { from_at: since_at } })
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2036 }
  const aToken = async () => (await post('/tokens', { type: 'card', card })).body.id
  const amount = { amount: 100, currency: 'eur', order_reference: 'order-1' }
  const payment = await post('/payments', { ...amount, token: await aToken() })
  await post('/refunds', { payment_id: payment.body.id, amount: 1 })
  await post('/payment-methods', { token: await aToken() })
  await post('/vault/confirm', { confirmation })
  const { body: product } = await post('/products', { name: 'Team plan' })
  const terms = { currency: 'eur', unit_amount: 2999, recurring: { interval: 'month' } }
  const { body: price } = await post('/prices', { ...terms, product_id: product.id })
  const { body: customer } = await post('/customers', {})
  // Below zero it becomes credit.
  await anInvoice({ amount: -1000 })
  await post('/subscriptions', { customer_id: customer.id, items: [{ price_id: price.id }] })
  await post('/test-clocks', {})
  await post('/dunning-policies', { name: 'Patient' })
  await aCampaign()
  const { body: link } = await post('/payment-links', { amount: 100, currency: 'eur' })
  const payer = payerAt(address)
  await payer.pay(await payer.openOne(slugOf(link)))
}

test('the guard sees the tables', () => {
  expect(tables).toEqual(expect.arrayContaining(['customers', 'events', 'workspaces', ...histories]))
})

describe.each(tables)('%s', (table) => {
  test('has row-level security, for its owner too', async () => {
    const [found] = await ask(
      'select relrowsecurity, relforcerowsecurity from pg_class where oid = $1::regclass',
      [table],
    )

    expect(found).toEqual({ relrowsecurity: true, relforcerowsecurity: true })
  })

  test('has the workspace first in its key and its indexes', async () => {
    const indexes = await ask(
      `select relname as name, indisprimary as is_key, indpred is not null as is_partial,
         pg_get_indexdef(indexrelid, 1, true) as first
       from pg_index join pg_class on pg_class.oid = indexrelid where indrelid = $1::regclass`,
      [table],
    )

    expect(indexes.filter(({ is_key }) => is_key)).toMatchObject([{ first: 'workspace_id' }])
    const others = indexes.filter(({ first, name }) => first !== 'workspace_id' && !byIdAlone.includes(name))
    for (const { name, is_partial } of others) {
      expect([...dueIndexes, ...clockIndexes]).toContain(name)
      expect(is_partial).toBe(true)
    }
  })

  test('has rows to hide', async () => {
    for (const workspace of [ours, theirs])
      expect(await ask(`select from ${table} where workspace_id = $1 limit 1`, [workspace])).toHaveLength(1)
  })

  test('is empty and closed while no workspace is set', async () => {
    await asApp(null, async (client) => {
      expect((await client.query(`select * from ${table}`)).rows).toEqual([])
      expect(await outcomeOf(client, insertInto(table))).toBe(notAllowed)
    })
  })

  test('shows only the workspace that is set', async () => {
    await asApp(ours, async (client) => {
      const { rows } = await client.query(`select distinct workspace_id from ${table}`)
      expect(rows).toEqual([{ workspace_id: ours }])
    })
  })

  test('lets nobody write into another workspace', async () => {
    await asApp(ours, async (client) => {
      const touch = `update ${table} set workspace_id = workspace_id where workspace_id = '${theirs}'`
      const remove = `delete from ${table} where workspace_id = '${theirs}'`
      const giveAway = `update ${table} set workspace_id = '${theirs}'`

      expect(await outcomeOf(client, insertInto(table))).toBe(notAllowed)
      expect(await outcomeOf(client, touch)).toBeOneOf([0, notAllowed])
      expect(await outcomeOf(client, remove)).toBeOneOf([0, notAllowed])
      expect(await outcomeOf(client, giveAway)).toBe(notAllowed)
    })
  })
})

test('the partitions of a table are reached through it alone', async () => {
  const partitions = await ask(
    "select relname as name from pg_class where relispartition and relkind = 'r' and relnamespace = 'public'::regnamespace",
  )
  const open = await privileges('pg_class.relispartition')

  expect(partitions.length).toBeGreaterThan(5)
  expect(open).toEqual([])
})

test('what belongs to no workspace lies in the control plane', async () => {
  const found = await ask(
    `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'm', 'v')
       and not relispartition and not relname = any($1)`,
    [tables],
  )

  expect(found).toEqual([{ relname: 'schema_migrations' }])
})

test.each(histories)('%s cannot be rewritten', async (table) => {
  const granted = await privileges(`pg_class.oid = '${table}'::regclass`)

  expect(granted.filter((line) => /UPDATE|DELETE|TRUNCATE/.test(line))).toEqual([])
})

test('the role that looks for due work reads ids, states, versions and times, and writes nothing', async () => {
  const columns = await ask(
    `select table_name, column_name from information_schema.column_privileges
     where grantee = 'switchyard_due' and privilege_type = 'SELECT'`,
  )
  const telling = columns.filter(
    ({ column_name }) =>
      !/(^|_)id$|^(mode|state|(collection_)?status|review|health|disabled_reason|owner|lane|version)$|_(at|until)$/.test(
        column_name,
      ),
  )

  expect(columns).toContainEqual({ table_name: 'api_tokens', column_name: 'due_at' })
  // The engine's own record of failures is about work, not about what a workspace stores.
  expect(new Set(telling.map(({ table_name }) => table_name))).toEqual(new Set(['work_failures']))
  expect((await privileges('true', ['switchyard_due'])).filter((line) => !line.endsWith('SELECT'))).toEqual(
    [],
  )
})

test('the role of the request log can only add lines, and add up figures', async () => {
  expect(await privileges('true', ['switchyard_log'])).toEqual([
    ...['INSERT', 'SELECT', 'UPDATE'].map((what) => `switchyard_log provider_health_minutes ${what}`),
    'switchyard_log request_log INSERT',
  ])
})

test('the planes are apart: neither role reads the other', async () => {
  const control = "relnamespace = 'control'::regnamespace"

  const others = roles.filter((role) => role !== 'switchyard_control')
  expect(await privileges(control, others)).toEqual([])
  expect(await privileges("relnamespace = 'public'::regnamespace", ['switchyard_control'])).toEqual([])
})

test('no role of ours may log in, bypass row-level security, own a table or make one', async () => {
  const found = await ask(
    `select rolname, rolcanlogin, rolbypassrls, rolsuper, has_schema_privilege(rolname, 'public', 'create') as makes,
       exists (select from pg_class where relowner = pg_roles.oid) as owns
     from pg_roles where rolname = any($1)`,
    [roles],
  )

  const nothing = { rolcanlogin: false, rolbypassrls: false, rolsuper: false, makes: false, owns: false }
  expect(found).toHaveLength(roles.length)
  for (const role of found) expect(role).toMatchObject(nothing)
})

/** What the roles may do with tables and columns, a line each: `switchyard_log request_log INSERT`. */
async function privileges(where: string, of: readonly string[] = roles): Promise<string[]> {
  const found = await ask(
    `select distinct role, relname, what from pg_class, unnest($1::text[]) as role,
       unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) as what
     where relkind in ('r', 'p', 'v', 'm') and relnamespace in ('public'::regnamespace, 'control'::regnamespace)
       and (has_table_privilege(role, pg_class.oid, what)
         or (what in ('SELECT', 'INSERT', 'UPDATE') and has_any_column_privilege(role, pg_class.oid, what)))
       and ${where} order by 1, 2, 3`,
    [of],
  )
  return found.map(({ role, relname, what }) => `${role} ${relname} ${what}`)
}

// biome-ignore lint/suspicious/noExplicitAny: rows are what the statement says.
async function ask(text: string, values: unknown[] = []): Promise<any[]> {
  return inDatabase(async (client) => (await client.query(text, values)).rows)
}

/** As a request meets the database; nothing that happens here stays. */
async function asApp(workspace: string | null, body: (client: Client) => Promise<void>): Promise<void> {
  await inDatabase(async (client) => {
    await client.query('begin; set local role switchyard_app')
    if (workspace !== null) await client.query("select set_config('app.workspace', $1, true)", [workspace])
    await body(client)
    await client.query('rollback')
  })
}

/** A row for the other workspace that holds nothing else: it is refused before anything is missed. */
function insertInto(table: string): string {
  return `insert into ${table} (workspace_id) values ('${theirs}')`
}

/** The number of rows, or the code of the refusal. What it did is taken back. */
async function outcomeOf(client: Client, statement: string): Promise<number | string | null> {
  await client.query('savepoint before')
  const outcome = await client.query(statement).then(
    (result) => result.rowCount,
    (error) => String(error.code),
  )
  await client.query('rollback to before')
  return outcome
}
