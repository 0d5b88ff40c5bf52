// Numbers: each once, in order, without gaps, whoever finalizes and whatever breaks.

import { expect, test } from 'vitest'
import { draftIn, draftOf, inUnit, lineOf } from '../../../test/support/invoices.ts'
import { switchyardForThisFile, type Workspace } from '../../../test/support/switchyard.ts'
import type { Work } from '../../deps.ts'
import type { Id, Ref } from '../../kernel/id.ts'
import { asOwner } from '../../platform/db/owner.ts'
import { settle } from '../../platform/engine/settle.ts'
import { finalizeSeries } from './service/finalize.ts'
import { draftInvoices, findInvoice } from './service.ts'
import { finalizeInvoices } from './work.ts'

const switchyard = await switchyardForThisFile()
const { deps } = switchyard

async function aPayer(workspace: Workspace): Promise<Id<'customer'>> {
  return (await workspace.aCustomer()) as Id<'customer'>
}

/** Drafts of one customer that are not collected. */
async function drafts(workspace: Workspace, count: number): Promise<Id<'invoice'>[]> {
  const customerId = await aPayer(workspace)
  const made = await inUnit(deps, workspace.workspaceId, (tx) =>
    draftInvoices(
      tx,
      Array.from({ length: count }, () =>
        draftOf(tx, workspace.workspaceId, { customerId, collect: 'never' }),
      ),
    ),
  )
  return made.map(({ id }) => id)
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

const upTo = (count: number) =>
  Array.from({ length: count }, (_, n) => `TEST-${String(n + 1).padStart(6, '0')}`)

const seriesOf = async ({ workspaceId }: Workspace, id: Id<'invoice'>): Promise<Ref<'invoice_series'>> => {
  const { seriesId } = await inUnit(deps, workspaceId, (tx) => findInvoice(tx, id))
  return { workspaceId: workspaceId as Id<'workspace'>, id: seriesId }
}

test('twenty requests that finalize at once give every invoice its own number', async () => {
  const workspace = await switchyard.newWorkspace()
  const ids = await drafts(workspace, 20)

  const answers = await Promise.all(ids.map((id) => workspace.post(`/invoices/${id}/finalize`)))

  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(await numbersOf(workspace)).toEqual(upTo(20))
})

test('requests and workers that finalize the same drafts give each one number', async () => {
  const workspace = await switchyard.newWorkspace()
  const ids = await drafts(workspace, 60)
  const series = await seriesOf(workspace, ids[0] as Id<'invoice'>)

  const [answers] = await Promise.all([
    Promise.all(ids.slice(0, 20).map((id) => workspace.post(`/invoices/${id}/finalize`))),
    ...Array.from({ length: 4 }, () => finalizeSeries(deps, series)),
  ])

  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(await numbersOf(workspace)).toEqual(upTo(60))
})

test('connections that break in the middle leave no gap', async () => {
  const workspace = await switchyard.newWorkspace()
  const ids = await drafts(workspace, 20)
  let broken = 0

  await asOwner(switchyard.databaseUrl, async (client) => {
    const finalizing = Promise.allSettled(ids.map((id) => workspace.post(`/invoices/${id}/finalize`)))
    let over = false
    const ended = finalizing.then(() => {
      over = true
    })
    while (!over) {
      // Those that hold or want the series, whatever they are doing.
      const { rowCount } = await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and state = 'active' limit 1`,
      )
      broken += rowCount ?? 0
      await client.query('select pg_sleep(0.02)')
    }
    await ended
  })
  await settle(deps, [finalizeInvoices as Work])

  expect(broken).toBeGreaterThan(0)
  expect(await numbersOf(workspace)).toEqual(upTo(20))
})

test('a unit that fails after it numbered takes its numbers back', async () => {
  const workspace = await switchyard.newWorkspace()
  const customerId = await aPayer(workspace)
  await drafts(workspace, 3)
  // A line that does not belong to it: the database refuses it in the last moment.
  const { id } = await draftIn(deps, workspace.workspaceId, { customerId, collect: 'never' })
  const poison = `insert into invoice_lines
    select (jsonb_populate_record(invoice_lines, jsonb_build_object('id', gen_random_uuid()))).*
    from invoice_lines where invoice_id = (select id from invoices order by id desc limit 1)`
  await asOwner(switchyard.databaseUrl, (client) => client.query(poison))

  const series = await seriesOf(workspace, id)
  await expect(finalizeSeries(deps, series)).rejects.toThrow('do not add up')
  expect(await numbersOf(workspace)).toEqual(Array(4).fill('none'))
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query(`delete from invoice_lines where id = (select max(id::text)::uuid from invoice_lines)`),
  )
  await finalizeSeries(deps, series)

  expect(await numbersOf(workspace)).toEqual(upTo(4))
})

test('two workspaces count for themselves, and many first invoices at once share one series', async () => {
  const [ours, theirs] = [await switchyard.newWorkspace(), await switchyard.newWorkspace('live')]
  const [our, their] = [await aPayer(ours), await aPayer(theirs)]
  const wish = { collect: 'never' } as const

  await Promise.all([
    ...Array.from({ length: 5 }, () => draftIn(deps, ours.workspaceId, { customerId: our, ...wish })),
    draftIn(deps, theirs.workspaceId, { customerId: their, ...wish }),
  ])
  await switchyard.settle()

  expect(await numbersOf(ours)).toEqual(upTo(5))
  expect(await numbersOf(theirs)).toEqual(['INV-000001'])
})

test('a period is invoiced once, and again only if the first invoice is void', async () => {
  const workspace = await switchyard.newWorkspace()
  const customerId = await aPayer(workspace)
  const first = await draftIn(deps, workspace.workspaceId, { customerId, collect: 'never' })
  const again = () =>
    draftIn(deps, workspace.workspaceId, {
      ...{ customerId, collect: 'never' },
      subscriptionId: first.subscriptionId,
    })

  await expect(again()).rejects.toThrow('one_invoice_per_period')
  await workspace.post(`/invoices/${first.id}/finalize`)
  await workspace.post(`/invoices/${first.id}/void`)

  expect((await again()).status).toBe('draft')
})

test('lines keep what a product was called when they were written', async () => {
  const workspace = await switchyard.newWorkspace()
  const customerId = await aPayer(workspace)
  const { body: product } = await workspace.post('/products', { name: 'Team plan' })
  const { body: price } = await workspace.post('/prices', {
    ...{ product_id: product.id, currency: 'eur', unit_amount: 2999, recurring: { interval: 'month' } },
  })
  const service = { currency: 'eur', startAt: new Date('2026-11-01'), endAt: new Date('2026-12-01') } as const
  const { id } = await draftIn(deps, workspace.workspaceId, {
    ...{ customerId, collect: 'never', lines: [{ ...lineOf(2999, service), priceId: price.id }] },
  })

  await workspace.put(`/products/${product.id}`, { name: 'Group plan' })

  const { body } = await workspace.get(`/invoices/${id}`)
  expect(body.lines).toMatchObject([{ description: 'Team plan', price_id: price.id }])
})
