// Invoice numbers are unique, ascending and without gaps, even under concurrency and after crashes.

import { expect, test } from 'vitest'
import {
  buildInvoiceDraft,
  buildInvoiceLine,
  createDraftInvoice,
  inTransaction,
} from '../../../../test/support/invoices.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { runAllDueWork } from '../../../../test/support/run-all-due-work.ts'
import { completeSeller } from '../../../../test/support/seller.ts'
import { switchyardForThisFile, type Workspace } from '../../../../test/support/switchyard.ts'
import { type Id, type Ref, uuidOf } from '../../../kernel/id.ts'
import { finalizeSeries } from './service/finalize.ts'
import { draftInvoices, findInvoice } from './service.ts'
import { finalizeInvoices } from './work.ts'

const switchyard = await switchyardForThisFile()
const { deps } = switchyard

async function newCustomer(workspace: Workspace): Promise<Id<'customer'>> {
  return (await workspace.aCustomer()) as Id<'customer'>
}

/** Drafts of one customer that are not collected. */
async function drafts(workspace: Workspace, count: number): Promise<Id<'invoice'>[]> {
  const customerId = await newCustomer(workspace)
  const invoices = await inTransaction(deps, workspace.workspaceId, (tx) =>
    draftInvoices(
      tx,
      Array.from({ length: count }, () =>
        buildInvoiceDraft(tx, workspace.workspaceId, { customerId, collect: 'never' }),
      ),
    ),
  )
  return invoices.map(({ id }) => id)
}

async function numbersOf(workspace: Workspace): Promise<string[]> {
  const numbers: string[] = []
  let page = ''
  for (;;) {
    const { body } = await workspace.get(`/invoices?limit=100${page}`)
    numbers.push(...body.data.map(({ number }: { number: string | null }) => number ?? 'none'))
    if (!body.has_more) return numbers.toSorted()
    page = `&starting_after=${body.data.at(-1).id}`
  }
}

const firstNumbers = (count: number) =>
  Array.from({ length: count }, (_, n) => `TEST-${String(n + 1).padStart(6, '0')}`)

const seriesOf = async ({ workspaceId }: Workspace, id: Id<'invoice'>): Promise<Ref<'invoice_series'>> => {
  const { seriesId } = await inTransaction(deps, workspaceId, (tx) => findInvoice(tx, id))
  return { workspaceId: workspaceId as Id<'workspace'>, id: seriesId }
}

test('twenty concurrent finalize requests give every invoice its own number', async () => {
  const workspace = await switchyard.newWorkspace()
  const ids = await drafts(workspace, 20)

  const responses = await Promise.all(ids.map((id) => workspace.post(`/invoices/${id}/finalize`)))

  expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(await numbersOf(workspace)).toEqual(firstNumbers(20))
})

test('concurrent requests and workers that finalize the same drafts give each draft one number', async () => {
  const workspace = await switchyard.newWorkspace()
  const ids = await drafts(workspace, 60)
  const series = await seriesOf(workspace, ids[0] as Id<'invoice'>)

  const [responses] = await Promise.all([
    Promise.all(ids.slice(0, 20).map((id) => workspace.post(`/invoices/${id}/finalize`))),
    ...Array.from({ length: 4 }, () => finalizeSeries(deps, series)),
  ])

  expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(await numbersOf(workspace)).toEqual(firstNumbers(60))
})

test('terminated database connections leave no gap in the numbers', async () => {
  const workspace = await switchyard.newWorkspace()
  const ids = await drafts(workspace, 20)
  let terminated = 0

  await asOwner(switchyard.databaseUrl, async (client) => {
    const finalizing = Promise.allSettled(ids.map((id) => workspace.post(`/invoices/${id}/finalize`)))
    let hasFinished = false
    const finished = finalizing.then(() => {
      hasFinished = true
    })
    while (!hasFinished) {
      // Terminate one active connection at a time, whatever it is doing.
      const { rowCount } = await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and state = 'active' limit 1`,
      )
      terminated += rowCount ?? 0
      await client.query('select pg_sleep(0.02)')
    }
    await finished
  })
  await runAllDueWork(deps, [finalizeInvoices])

  expect(terminated).toBeGreaterThan(0)
  expect(await numbersOf(workspace)).toEqual(firstNumbers(20))
})

test('a transaction that fails after numbering releases its numbers', async () => {
  const workspace = await switchyard.newWorkspace()
  const customerId = await newCustomer(workspace)
  await drafts(workspace, 3)
  // Duplicate a line, so that the lines do not add up to the total: the database rejects that at commit.
  const { id } = await createDraftInvoice(deps, workspace.workspaceId, { customerId, collect: 'never' })
  const duplicateLine = `insert into invoice_lines
    select (jsonb_populate_record(invoice_lines, jsonb_build_object('id', gen_random_uuid()))).*
    from invoice_lines where invoice_id = (select id from invoices order by id desc limit 1)`
  await asOwner(switchyard.databaseUrl, (client) => client.query(duplicateLine))

  const series = await seriesOf(workspace, id)
  await expect(finalizeSeries(deps, series)).rejects.toThrow('do not add up')
  expect(await numbersOf(workspace)).toEqual(Array(4).fill('none'))
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query(`delete from invoice_lines where id = (select max(id::text)::uuid from invoice_lines)`),
  )
  await finalizeSeries(deps, series)

  expect(await numbersOf(workspace)).toEqual(firstNumbers(4))
})

test('workspaces have separate number series, and concurrent first invoices share one series', async () => {
  const [testWorkspace, liveWorkspace] = [
    await switchyard.newWorkspace(),
    await switchyard.newWorkspace('live'),
  ]
  await liveWorkspace.put('/seller', completeSeller)
  const [testCustomerId, liveCustomerId] = [
    await newCustomer(testWorkspace),
    await newCustomer(liveWorkspace),
  ]
  const options = { collect: 'never' } as const

  await Promise.all([
    ...Array.from({ length: 5 }, () =>
      createDraftInvoice(deps, testWorkspace.workspaceId, { customerId: testCustomerId, ...options }),
    ),
    createDraftInvoice(deps, liveWorkspace.workspaceId, { customerId: liveCustomerId, ...options }),
  ])
  await switchyard.settle()

  expect(await numbersOf(testWorkspace)).toEqual(firstNumbers(5))
  expect(await numbersOf(liveWorkspace)).toEqual(['INV-000001'])
})

test('with a yearly reset, the numbers of each year in the time zone of the seller begin with 1, and continue after a switch', async () => {
  const workspace = await switchyard.newWorkspace()
  await workspace.put('/seller', { time_zone: 'Asia/Tokyo', numbering: { prefix: 'ACME', reset: 'yearly' } })
  const finalize = async (count: number) => {
    for (const id of await drafts(workspace, count)) await workspace.post(`/invoices/${id}/finalize`)
  }

  await finalize(2)
  // In Tokyo the year 2027 has begun.
  switchyard.clock.advance({ days: 47, hours: 4 })
  await finalize(2)
  await workspace.put('/seller', { numbering: { reset: 'never' } })
  await finalize(1)
  await workspace.put('/seller', { numbering: { reset: 'yearly' } })
  await drafts(workspace, 3)
  await switchyard.settle()

  expect(await numbersOf(workspace)).toEqual([
    'ACME-000005',
    'ACME-2026-000001',
    'ACME-2026-000002',
    'ACME-2027-000001',
    'ACME-2027-000002',
    'ACME-2027-000003',
    'ACME-2027-000004',
    'ACME-2027-000005',
  ])
})

test('the database rejects a gap in the numbers of a series or of a year', async () => {
  const workspace = await switchyard.newWorkspace()
  await workspace.put('/seller', { numbering: { reset: 'yearly' } })
  const [id] = await drafts(workspace, 1)
  await workspace.post(`/invoices/${id}/finalize`)
  const skipNumber = (statement: string) =>
    asOwner(switchyard.databaseUrl, (client) =>
      client.query(`${statement} where workspace_id = $1`, [
        uuidOf(workspace.workspaceId as Id<'workspace'>),
      ]),
    )

  await expect(skipNumber('update invoice_series set next_sequence = next_sequence + 1')).rejects.toThrow(
    'not all in use',
  )
  await expect(skipNumber('update invoice_series_years set next_number = next_number + 1')).rejects.toThrow(
    'not all in use',
  )
  await expect(skipNumber('update invoice_series_years set next_number = 1')).rejects.toThrow(
    'not all in use',
  )
})

test('a period is invoiced once, and again only if the first invoice is void', async () => {
  const workspace = await switchyard.newWorkspace()
  const customerId = await newCustomer(workspace)
  const first = await createDraftInvoice(deps, workspace.workspaceId, { customerId, collect: 'never' })
  const draftAgain = () =>
    createDraftInvoice(deps, workspace.workspaceId, {
      customerId,
      collect: 'never',
      subscriptionId: first.subscriptionId,
    })

  await expect(draftAgain()).rejects.toThrow('one_invoice_per_period')
  await workspace.post(`/invoices/${first.id}/finalize`)
  await workspace.post(`/invoices/${first.id}/void`)

  expect((await draftAgain()).status).toBe('draft')
})

test('lines keep the product name from when they were created', async () => {
  const workspace = await switchyard.newWorkspace()
  const customerId = await newCustomer(workspace)
  const { body: product } = await workspace.post('/products', { name: 'Team plan' })
  const { body: price } = await workspace.post('/prices', {
    product_id: product.id,
    currency: 'eur',
    unit_amount: 2999,
    recurring: { interval: 'month' },
  })
  const service = { currency: 'eur', startAt: new Date('2026-11-01'), endAt: new Date('2026-12-01') } as const
  const { id } = await createDraftInvoice(deps, workspace.workspaceId, {
    customerId,
    collect: 'never',
    lines: [{ ...buildInvoiceLine(2999, service), priceId: price.id }],
  })

  await workspace.put(`/products/${product.id}`, { name: 'Group plan' })

  const { body } = await workspace.get(`/invoices/${id}`)
  expect(body.lines).toMatchObject([{ description: 'Team plan', price_id: price.id }])
})
