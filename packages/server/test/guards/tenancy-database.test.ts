// Isolation of workspaces in the database, which holds even if a statement does not filter by workspace. A
// table that a migration adds is checked automatically.

import type { Client } from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { aggregateEvents } from '../../src/domains/billing/meters/service/aggregate.ts'
import { advanceSubscriptionsWork } from '../../src/domains/billing/subscriptions/work.ts'
import { startBackfill } from '../../src/domains/finance/ledger/service/backfill.ts'
import { rollUpBalances } from '../../src/domains/finance/ledger/service/roll-up.ts'
import { countNewEvents } from '../../src/domains/finance/reports/service/count.ts'
import { reserveSlot } from '../../src/domains/payments/card-budgets/service.ts'
import { confirmation } from '../../src/domains/payments/card-tokens/vault.ts'
import { systemCaller } from '../../src/kernel/caller.ts'
import { type Id, idFromUuid, uuidOf } from '../../src/kernel/id.ts'
import { transact } from '../../src/platform/db/unit-of-work.ts'
import { payerAt, slugOf } from '../support/checkout.ts'
import { asOwner, databaseUrlOf } from '../support/owner.ts'
import { settleThisTest } from '../support/settle.ts'
import { simulatorForThisFile } from '../support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../support/switchyard.ts'
import { workspaceTables } from './support/tables.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({ environment: { SIMULATOR_URL: simulator.url } })
const withClient = <T>(action: (client: Client) => Promise<T>) => asOwner(switchyard.databaseUrl, action)
const tables = await withClient(workspaceTables)

/**
 * Partial indexes on due times, which are read across workspaces. All other indexes start with the workspace.
 */
const dueIndexes = [
  'api_tokens_due',
  'api_tokens_to_list',
  'webhook_lanes_sweep',
  'webhook_recoveries_due',
  'provider_accounts_hold_ends',
  'card_tokens_due',
  'work_failures_parked',
  'work_failures_waiting',
  'payments_due',
  'payments_reversal_due',
  'operations_due',
  'payment_methods_due',
  'provider_events_due',
  'provider_health_open',
  'provider_health_troubled',
  'route_simulations_due',
  'report_cursors_due',
  'invoice_taxes_due',
  'tax_documents_due',
  'meter_streams_due',
  'usage_periods_due',
  'ledger_cursors_due',
  'ledger_backfills_due',
  'exports_due',
  'exports_to_delete',
  'exports_to_upload',
  'export_destinations_due',
  'settlement_imports_due',
  'payment_route_learning_due',
  'payment_links_due',
  'disputes_to_respond',
  'disputes_to_mark_overdue',
  'disputes_evidence_to_delete',
  'files_to_delete',
  'mails_due',
  'mails_ended',
  'checkout_sessions_due',
  'checkout_sessions_receipts',
  'checkout_sessions_live',
  'subscriptions_due',
  'dunning_campaigns_due',
  'test_clocks_due',
  'invoices_to_finalize',
  'invoices_to_collect',
  'invoices_in_flight',
  'invoices_news_for_subscription',
  'invoices_news_for_dunning',
  'invoices_to_erase',
]
/** Indexes on the due times of one test clock. */
const clockIndexes = [
  'payments_due_on_clock',
  'operations_due_on_clock',
  'subscriptions_due_on_clock',
  'dunning_campaigns_due_on_clock',
  'invoices_on_clock',
]
/** A webhook of a provider identifies only its account. The role that reads this index can read only ids. */
const idIndexes = ['provider_accounts_by_id']
const appendOnlyTables = [
  'events',
  'delivery_attempts',
  'audit_entries',
  'request_log',
  'payment_route_revisions',
  'payment_route_publications',
  'ledger_postings',
]
const roles = [
  'switchyard_app',
  'switchyard_due',
  'switchyard_delivery',
  'switchyard_log',
  'switchyard_control',
  'switchyard_vault',
]
/** The error code of PostgreSQL for a missing grant and for a violated row-level security policy. */
const insufficientPrivilege = '42501'

let workspaceUuid: string
let otherUuid: string

beforeAll(async () => {
  const [first, second] = [await switchyard.newWorkspace(), await switchyard.newWorkspace()]
  for (const workspace of [first, second]) await fillTables(workspace)
  // Activates the subscription that has a usage-based price.
  await settleThisTest(switchyard.deps, [advanceSubscriptionsWork])
  for (const workspace of [first, second]) await fillHealth(workspace)
  for (const workspace of [first, second]) await fillReports(workspace)
  for (const workspace of [first, second]) await workspace.aSettlementLine()
  await switchyard.flushRequestLog()
  workspaceUuid = uuidOf(first.workspaceId as Id<'workspace'>)
  otherUuid = uuidOf(second.workspaceId as Id<'workspace'>)
  await withClient((client) =>
    client.query(
      `insert into work_failures (workspace_id, work, object_id, failures, reason, retry_at)
       select id, 'test.fail', id, 1, 'a test', now() from unnest($1::uuid[]) as id`,
      [[workspaceUuid, otherUuid]],
    ),
  )
  await withClient((client) =>
    client.query(
      `insert into mail_bounces (workspace_id, address_key, status, bounced_at)
       select id, 'ada@example.com', 'bounced', now() from unnest($1::uuid[]) as id`,
      [[workspaceUuid, otherUuid]],
    ),
  )
  // Rows that only a provider with contradictory responses would create.
  await withClient((client) =>
    client.query(
      `insert into conflicts (workspace_id, id, payment_id, kind, detail, created_at)
       select id, id, id, 'test', 'a test', now() from unnest($1::uuid[]) as id`,
      [[workspaceUuid, otherUuid]],
    ),
  )
  await withClient((client) =>
    client.query(
      `insert into provider_events (workspace_id, id, provider_account_id, dedupe_key, verdict, event, created_at)
       select id, id, id, 'test', 'valid', '{}', now() from unnest($1::uuid[]) as id`,
      [[workspaceUuid, otherUuid]],
    ),
  )
  // Rows that only requests with an idempotency key create.
  await withClient((client) =>
    client.query(
      `insert into operation_references (workspace_id, reference, payment_id)
       select id, 'test', id from unnest($1::uuid[]) as id`,
      [[workspaceUuid, otherUuid]],
    ),
  )
  // Rows that only exist while a workspace moves to another shard.
  await withClient((client) =>
    client.query(
      `insert into placements (workspace_id, moved_to, is_open)
       select id, 'other', false from unnest($1::uuid[]) as id`,
      [[workspaceUuid, otherUuid]],
    ),
  )
  await withClient((client) =>
    client.query(
      `insert into workspace_moves (workspace_id, marker) select id, id from unnest($1::uuid[]) as id`,
      [[workspaceUuid, otherUuid]],
    ),
  )
  // Rows that are created only when a tax provider responds.
  for (const insert of [
    `insert into tax_providers (workspace_id, provider, config, secrets, sealed, updated_at)
       select id, 'avatax', '{}', '{}', '', now() from unnest($1::uuid[]) as id`,
    `insert into invoice_taxes (workspace_id, invoice_id, status, due_at, updated_at)
       select id, id, 'pending', now(), now() from unnest($1::uuid[]) as id`,
    `insert into tax_documents (workspace_id, reference, kind, invoice_id, provider, document, due_at, created_at)
       select id, 'test', 'sale', id, 'avatax', '{}', now(), now() from unnest($1::uuid[]) as id`,
  ])
    await withClient((client) => client.query(insert, [[workspaceUuid, otherUuid]]))
})

/**
 * Inserts rows that only payments create: a circuit breaker, figures of a route, and a slot in a card budget.
 */
async function fillHealth({ workspaceId }: Workspace): Promise<void> {
  const id = workspaceId as Id<'workspace'>
  await withClient((client) =>
    client.query(
      `insert into provider_health (workspace_id, provider_account_id, lane, state) values ($1, $1, 'rest', 'closed')`,
      [uuidOf(id)],
    ),
  )
  await withClient((client) =>
    client.query(
      `insert into payment_route_figures (workspace_id, payment_route_id, rule, currency, card_brand, card_country, at,
         provider_account_id, attempts, approved) values ($1, $1, '', 'eur', 'visa', '', now(), $1, 1, 1)`,
      [uuidOf(id)],
    ),
  )
  const account = idFromUuid('provider_account', 'test', uuidOf(id))
  const result = { is: 'pending', ref: 'r' } as const
  switchyard.health.recordResult(
    { workspaceId: id, id: account },
    { kind: 'capture', observed: result, tookMs: 1 },
  )
  await switchyard.health.flush()
  await transact(switchyard.deps, systemCaller({ workspaceId: id, id }), async (tx) => {
    const card = { brand: 'visa', country: null, bin: null, last4: '0000' }
    const ids = { attemptId: tx.newId('payment_attempt'), paymentId: tx.newId('payment') }
    const attempt = { cardKey: 'a card', amount: 1n, currency: 'eur', initiator: 'merchant' } as const
    await reserveSlot(tx, { ...ids, ...attempt, card })
  })
}

/** Counts new events for reports, starts the backfill of the ledger, and inserts the billing figures of one day. */
async function fillReports({ workspaceId }: Workspace): Promise<void> {
  const id = workspaceId as Id<'workspace'>
  await countNewEvents(switchyard.deps, { workspaceId: id, id })
  await aggregateEvents(switchyard.deps, { workspaceId: id, id })
  await rollUpBalances(switchyard.deps, { workspaceId: id, id })
  await startBackfill(switchyard.deps, systemCaller({ workspaceId: id, id }))
  await withClient((client) =>
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
  put,
  anEndpoint,
  anInvoice,
  aCampaign,
  aDispute,
  anExport,
  anEmail,
  aCancellationRequest,
  address,
}: Workspace): Promise<void> {
  await post('/customers', {}, { headers: { 'idempotency-key': 'fill-the-tables' } })
  // Invoice numbers of each year have their own counter.
  await put('/seller', { numbering: { reset: 'yearly' } })
  const { body: rate } = await post('/tax-rates', { name: 'Germany', percentage: '19' })
  await post('/tax-rules', { tax_rate_id: rate.id })
  const { body: credited } = await get(`/invoices/${await anInvoice()}`)
  const lines = [{ invoice_line_id: credited.lines[0].id, amount: 100 }]
  await post('/credit-notes', { invoice_id: credited.id, lines })
  // Nothing listens on this address, so the delivery attempt fails quickly and is recorded.
  const endpoint = await anEndpoint('http://127.0.0.1:1024/webhooks')
  await post(`/webhook-endpoints/${endpoint}/test`)
  const since_at = new Date(Date.now() - 3_600_000).toISOString()
  await post(`/webhook-endpoints/${endpoint}/recover`, { since_at })
  const config = { base_url: 'https://psp.example.com' }
  await post('/provider-accounts', { provider: 'custom', display_name: 'Our acquirer', config })
  const { body: route } = await post('/payment-routes', { name: 'Declines', default: { type: 'decline' } })
  const { body: accounts } = await get('/provider-accounts?limit=2')
  const targets = accounts.data.map(({ id }: { id: string }) => id)
  const adaptive = { type: 'priority', targets, adaptive: { enabled: true } }
  await post('/payment-routes', { name: 'Learning', default: adaptive })
  await post(`/payment-routes/${route.id}/simulate`, { history: { from_at: since_at } })
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2036 }
  const createToken = async () => (await post('/tokens', { type: 'card', card })).body.id
  const amount = { amount: 100, currency: 'eur', order_reference: 'order-1' }
  const payment = await post('/payments', { ...amount, token: await createToken() })
  await post('/refunds', { payment_id: payment.body.id, amount: 1 })
  await aDispute(payment.body.id)
  await anExport()
  await post('/export-destinations', {
    endpoint_url: 'https://storage.example.com',
    region: 'eu-central-1',
    bucket: 'example-exports',
    access_key_id: 'EXAMPLE',
    secret_access_key: 'example-secret',
    of: ['payments'],
    format: 'csv',
  })
  await post('/files', { purpose: 'receipt', name: 'receipt.pdf', content: 'JVBERi0xLjcK' })
  await put('/journal-settings', {})
  await put('/mail-settings', { reply_to: 'support@example.com' })
  await anEmail()
  await aCancellationRequest()
  await post('/payment-methods', { token: await createToken() })
  await post('/vault/confirm', { confirmation })
  const { body: product } = await post('/products', { name: 'Team plan' })
  const priceInput = { currency: 'eur', unit_amount: 2999, recurring: { interval: 'month' } }
  const { body: price } = await post('/prices', { ...priceInput, product_id: product.id })
  const { body: customer } = await post('/customers', {})
  await put('/portal-configuration', { pause: true })
  await post('/portal-sessions', { customer_id: customer.id })
  // A negative total becomes credit.
  await anInvoice({ amount: -1000 })
  await post('/subscriptions', { customer_id: customer.id, items: [{ price_id: price.id }] })
  const dimensions = { user: 'ada' }
  const { body: meter } = await post('/meters', {
    event_name: 'login',
    aggregation: 'unique',
    value_key: 'user',
  })
  const metered = { ...priceInput, product_id: product.id, meter_id: meter.id }
  const { body: usagePrice } = await post('/prices', metered)
  await post('/subscriptions', {
    customer_id: customer.id,
    items: [{ price_id: usagePrice.id }],
    activation_policy: 'on_attempt',
  })
  await post('/usage-alerts', { meter_id: meter.id, name: 'First login', threshold: '1' })
  await post('/meter-events', {
    events: [{ id: '1', event_name: 'login', customer_id: customer.id, dimensions }],
  })
  await post('/test-clocks', {})
  const { body: coupon } = await post('/coupons', { name: 'Spring', percent_off: '20', duration: 'once' })
  await post('/promotion-codes', { coupon_id: coupon.id, code: 'SPRING20' })
  const discounts = [{ coupon_id: coupon.id }]
  await post('/subscriptions', { customer_id: customer.id, items: [{ price_id: price.id }], discounts })
  await put(`/customers/${customer.id}/discounts`, { discounts })
  await post('/dunning-policies', { name: 'Patient' })
  await aCampaign()
  const saved_methods = { show: true }
  const { body: link } = await post('/payment-links', { amount: 100, currency: 'eur', saved_methods })
  const payer = payerAt(address)
  await payer.call('POST', `/checkout/links/${slugOf(link)}/login-codes`, { email: 'ada@example.com' })
  await payer.pay(await payer.openSession(slugOf(link)))
}

test('the guard finds the tables', () => {
  expect(tables).toEqual(expect.arrayContaining(['customers', 'events', 'workspaces', ...appendOnlyTables]))
})

describe.each(tables)('%s', (table) => {
  test('has row-level security, which also applies to its owner', async () => {
    const [found] = await queryRows(
      'select relrowsecurity, relforcerowsecurity from pg_class where oid = $1::regclass',
      [table],
    )

    expect(found).toEqual({ relrowsecurity: true, relforcerowsecurity: true })
  })

  test('has the workspace as the first column of its primary key and its indexes', async () => {
    const indexes = await queryRows(
      `select relname as name, indisprimary as is_key, indpred is not null as is_partial,
         pg_get_indexdef(indexrelid, 1, true) as first
       from pg_index join pg_class on pg_class.oid = indexrelid where indrelid = $1::regclass`,
      [table],
    )

    expect(indexes.filter(({ is_key }) => is_key)).toMatchObject([{ first: 'workspace_id' }])
    const others = indexes.filter(({ first, name }) => first !== 'workspace_id' && !idIndexes.includes(name))
    for (const { name, is_partial } of others) {
      expect([...dueIndexes, ...clockIndexes]).toContain(name)
      expect(is_partial).toBe(true)
    }
  })

  test('has rows of both workspaces', async () => {
    for (const workspace of [workspaceUuid, otherUuid])
      expect(
        await queryRows(`select from ${table} where workspace_id = $1 limit 1`, [workspace]),
      ).toHaveLength(1)
  })

  test('shows no rows and rejects inserts while no workspace is set', async () => {
    await asApp(null, async (client) => {
      expect((await client.query(`select * from ${table}`)).rows).toEqual([])
      expect(await tryStatement(client, insertInto(table))).toBe(insufficientPrivilege)
    })
  })

  test('shows only the workspace that is set', async () => {
    await asApp(workspaceUuid, async (client) => {
      const { rows } = await client.query(`select distinct workspace_id from ${table}`)
      expect(rows).toEqual([{ workspace_id: workspaceUuid }])
    })
  })

  test('rejects writes into another workspace', async () => {
    await asApp(workspaceUuid, async (client) => {
      const touch = `update ${table} set workspace_id = workspace_id where workspace_id = '${otherUuid}'`
      const remove = `delete from ${table} where workspace_id = '${otherUuid}'`
      const moveAway = `update ${table} set workspace_id = '${otherUuid}'`

      expect(await tryStatement(client, insertInto(table))).toBe(insufficientPrivilege)
      expect(await tryStatement(client, touch)).toBeOneOf([0, insufficientPrivilege])
      expect(await tryStatement(client, remove)).toBeOneOf([0, insufficientPrivilege])
      expect(await tryStatement(client, moveAway)).toBe(insufficientPrivilege)
    })
  })
})

test('the partitions of a table are accessible only through it', async () => {
  const partitions = await queryRows(
    "select relname as name from pg_class where relispartition and relkind = 'r' and relnamespace = 'public'::regnamespace",
  )
  const accessible = await privileges('pg_class.relispartition')

  expect(partitions.length).toBeGreaterThan(5)
  expect(accessible).toEqual([])
})

test('tables without a workspace are in the control schema', async () => {
  const found = await queryRows(
    `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'm', 'v')
       and not relispartition and not relname = any($1)`,
    [tables],
  )

  expect(found).toEqual([{ relname: 'schema_migrations' }])
})

test.each(appendOnlyTables)('%s is append-only', async (table) => {
  const granted = await privileges(`pg_class.oid = '${table}'::regclass`)

  expect(granted.filter((line) => /UPDATE|DELETE|TRUNCATE/.test(line))).toEqual([])
})

test('the role that finds due work can read ids, states, versions, timestamps and names of shards, and cannot write', async () => {
  const columns = await queryRows(
    `select table_name, column_name from information_schema.column_privileges
     where grantee = 'switchyard_due' and privilege_type = 'SELECT'`,
  )
  const otherColumns = columns.filter(
    ({ column_name }) =>
      !/(^|_)id$|^(mode|is_open|state|(collection_)?status|review|health|disabled_reason|owner|lane|version|moved_to)$|_(at|until|since)$/.test(
        column_name,
      ),
  )

  expect(columns).toContainEqual({ table_name: 'api_tokens', column_name: 'due_at' })
  // The failure records of the engine contain no data of a workspace.
  expect(new Set(otherColumns.map(({ table_name }) => table_name))).toEqual(new Set(['work_failures']))
  expect((await privileges('true', ['switchyard_due'])).filter((line) => !line.endsWith('SELECT'))).toEqual(
    [],
  )
})

test('the role of the request log can only insert requests and update health figures', async () => {
  expect(await privileges('true', ['switchyard_log'])).toEqual([
    ...['INSERT', 'SELECT', 'UPDATE'].map(
      (privilege) => `switchyard_log provider_health_minutes ${privilege}`,
    ),
    'switchyard_log request_log INSERT',
  ])
})

test('the control role cannot read workspace data, and other roles cannot read the control schema', async () => {
  const control = "relnamespace = 'control'::regnamespace"

  const others = roles.filter((role) => role !== 'switchyard_control')
  expect(await privileges(control, others)).toEqual([])
  expect(await privileges("relnamespace = 'public'::regnamespace", ['switchyard_control'])).toEqual([])
})

test('no role of the application may log in, bypass row-level security, own a table or create one', async () => {
  const found = await queryRows(
    `select rolname, rolcanlogin, rolbypassrls, rolsuper, has_schema_privilege(rolname, 'public', 'create') as creates,
       exists (select from pg_class where relowner = pg_roles.oid) as owns
     from pg_roles where rolname = any($1)`,
    [roles],
  )

  const expected = { rolcanlogin: false, rolbypassrls: false, rolsuper: false, creates: false, owns: false }
  expect(found).toHaveLength(roles.length)
  for (const role of found) expect(role).toMatchObject(expected)
})

/** The privileges of the roles on tables and columns, such as `switchyard_log request_log INSERT`. */
async function privileges(where: string, grantees: readonly string[] = roles): Promise<string[]> {
  const found = await queryRows(
    `select distinct role, relname, privilege from pg_class, unnest($1::text[]) as role,
       unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) as privilege
     where relkind in ('r', 'p', 'v', 'm') and relnamespace in ('public'::regnamespace, 'control'::regnamespace)
       and (has_table_privilege(role, pg_class.oid, privilege)
         or (privilege in ('SELECT', 'INSERT', 'UPDATE') and has_any_column_privilege(role, pg_class.oid, privilege)))
       and ${where} order by 1, 2, 3`,
    [grantees],
  )
  return found.map(({ role, relname, privilege }) => `${role} ${relname} ${privilege}`)
}

// biome-ignore lint/suspicious/noExplicitAny: the type of the rows depends on the statement.
async function queryRows(text: string, values: unknown[] = []): Promise<any[]> {
  return withClient(async (client) => (await client.query(text, values)).rows)
}

/** Runs statements with the role and settings of a request, and rolls back. */
async function asApp(workspace: string | null, action: (client: Client) => Promise<void>): Promise<void> {
  const url =
    workspace === null
      ? switchyard.databaseUrl
      : databaseUrlOf(switchyard.databaseUrl, idFromUuid('workspace', 'test', workspace))
  await asOwner(url, async (client) => {
    await client.query('begin; set local role switchyard_app')
    if (workspace !== null) await client.query("select set_config('app.workspace', $1, true)", [workspace])
    await action(client)
    await client.query('rollback')
  })
}

/** Inserts a row into the other workspace. The policy rejects it before missing values are checked. */
function insertInto(table: string): string {
  return `insert into ${table} (workspace_id) values ('${otherUuid}')`
}

/** Returns the number of affected rows or the error code, and rolls back. */
async function tryStatement(client: Client, statement: string): Promise<number | string | null> {
  await client.query('savepoint before')
  const outcome = await client.query(statement).then(
    (result) => result.rowCount,
    (error) => String(error.code),
  )
  await client.query('rollback to before')
  return outcome
}
