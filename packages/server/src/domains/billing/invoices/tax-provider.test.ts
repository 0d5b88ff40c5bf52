// Tax that a tax provider computes and records: drafts, finalization, credit notes, voids, failures and changes. The
// ledger of the simulated provider shows what was recorded.

import { afterEach, expect, test, vi } from 'vitest'
import { ledgerDifferences } from '../../../../test/support/ledger.ts'
import { asOwner } from '../../../../test/support/owner.ts'
import { runAllDueWork } from '../../../../test/support/run-all-due-work.ts'
import { aPrice, aSubscription, subscriptionsForThisFile } from '../../../../test/support/subscriptions.ts'
import type { ApiResponse } from '../../../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import { eraseParties } from './work.ts'

vi.setConfig({ testTimeout: 60_000 })

const switchyard = await subscriptionsForThisFile()
const { deps, settle, clock, aPayer, simulator } = switchyard

const workspaceIds: Parameters<typeof ledgerDifferences>[1][] = []
afterEach(async () => {
  await planFaults({})
  for (const id of workspaceIds.splice(0)) expect(await ledgerDifferences(deps, id)).toEqual([])
})

async function control(method: string, path: string, body?: object) {
  const text = body === undefined ? null : JSON.stringify(body)
  const response = await fetch(`${simulator.url}/control/${path}`, { method, body: text })
  expect(response.status).toBe(200)
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the type of the body.
  return (await response.json()) as any
}
const planFaults = (plan: object) => control('PUT', 'tax-faults', plan)
type Recorded = {
  reference: string
  kind: string
  original: string | null
  lines: { reference: string; amount: number; tax: number }[]
}
const recordedFor = async (workspaceId: string): Promise<Recorded[]> =>
  (await control('GET', `tax-ledger?account=${workspaceId}`)).documents
const sumOf = (documents: readonly Recorded[]) =>
  documents.flatMap(({ lines }) => lines).reduce((sum, { tax }) => sum + tax, 0)

const address = { line1: 'Unter den Linden 1', postal_code: '10117', city: 'Berlin', country: 'DE' }
const inGermany = { name: 'Customer GmbH', address }

async function aSeller(provider = 'stripe_tax', customer: object = inGermany) {
  const workspace = await switchyard.newWorkspace()
  workspaceIds.push(workspace.workspaceId)
  await workspace.put('/tax-provider', { provider, emulated: true })
  const { status } = await workspace.put('/seller', { legal_name: 'Example GmbH', address, tax: 'provider' })
  expect(status).toBe(200)
  const { customerId } = await aPayer(workspace)
  await workspace.put(`/customers/${customerId}`, customer)
  return { ...workspace, workspace, customerId }
}

const lines = [
  { description: 'Workshop', unit_amount: 10_001 },
  { description: 'Travel', unit_amount: 2_003 },
]

async function aDraft(seller: Awaited<ReturnType<typeof aSeller>>, members: object = {}) {
  const { body } = await seller.post('/invoices', {
    customer_id: seller.customerId,
    currency: 'eur',
    lines,
    ...members,
  })
  return body
}

test.each(['stripe_tax', 'avatax'])(
  '%s computes the tax of a draft, and records it when the draft is finalized',
  async (provider) => {
    const seller = await aSeller(provider)
    const draft = await aDraft(seller)
    expect(draft).toMatchObject({ tax_status: 'pending', tax_total: 0 })

    await settle()

    const { body: taxed } = await seller.get(`/invoices/${draft.id}`)
    expect(taxed).toMatchObject({ status: 'draft', tax_status: 'ready', tax_total: 2281, total: 14_285 })
    expect(taxed.lines).toMatchObject([{ tax: 1900 }, { tax: 381 }])
    expect(taxed.tax_breakdown).toMatchObject([{ percentage: '19', category: 'S', tax: 2281 }])
    expect(await recordedFor(seller.workspaceId)).toEqual([])
    const { body: open } = await seller.post(`/invoices/${draft.id}/finalize`)
    expect(open).toMatchObject({ status: 'open', tax_status: 'committing', total: 14_285 })
    await settle()
    expect(await recordedFor(seller.workspaceId)).toMatchObject([
      {
        reference: draft.id,
        kind: 'sale',
        lines: [
          { amount: 10_001, tax: 1900 },
          { amount: 2003, tax: 381 },
        ],
      },
    ])
    expect((await seller.get(`/invoices/${draft.id}`)).body).toMatchObject({
      tax_status: 'committed',
      status: 'paid',
    })
  },
)

test('after an edit, or a change of the customer, the provider computes the tax again before the draft is finalized', async () => {
  const seller = await aSeller()
  const draft = await aDraft(seller)
  await settle()

  const { body: edited } = await seller.post(`/invoices/${draft.id}/lines`, {
    description: 'Lunch',
    unit_amount: 1000,
  })
  expect(edited).toMatchObject({ tax_status: 'pending', tax_total: 0, total: 13_004 })
  await settle()
  expect((await seller.get(`/invoices/${draft.id}`)).body).toMatchObject({
    tax_status: 'ready',
    tax_total: 2471,
  })
  await seller.put(`/customers/${seller.customerId}`, { address: { ...address, country: 'FR' } })
  const { status, body: open } = await seller.post(`/invoices/${draft.id}/finalize`)

  expect({ status, tax: open.tax_total }).toEqual({ status: 200, tax: 2601 })
  await settle()
  expect(sumOf(await recordedFor(seller.workspaceId))).toBe(2601)
})

test('while the provider is down, no invoice is finalized; the quote is retried, and needs attention after a day', async () => {
  const seller = await aSeller()
  await planFaults({ down: true })
  const draft = await aDraft(seller)
  await settle()

  const refused = await seller.post(`/invoices/${draft.id}/finalize`)
  expect(refused).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
  expect(refused.body.detail).toContain('tax of the invoice is not computed')
  expect((await seller.get('/attention')).body.data).toEqual([])
  clock.advance({ hours: 25 })
  await settle()
  const { body: failed } = await seller.get(`/invoices/${draft.id}`)
  expect(failed).toMatchObject({ status: 'draft', tax_status: 'failed', tax_total: 0 })
  expect((await seller.get('/attention')).body.data).toMatchObject([
    { kind: 'invoice_taxes_failed', object_id: draft.id },
  ])
  await planFaults({})
  clock.advance({ hours: 1 })
  await settle()
  expect((await seller.get(`/invoices/${draft.id}`)).body).toMatchObject({
    tax_status: 'ready',
    tax_total: 2281,
  })
  expect((await seller.get('/attention')).body.data).toEqual([])
})

test('an invoice for a customer without an address waits, and is taxed once the address is known', async () => {
  const seller = await aSeller('stripe_tax', { name: 'Nobody', address: null })
  const draft = await aDraft(seller)
  await settle()

  expect((await seller.get(`/invoices/${draft.id}`)).body).toMatchObject({
    tax_status: 'failed',
    tax_error: expect.stringContaining('address'),
  })
  await seller.put(`/customers/${seller.customerId}`, { address })
  expect((await seller.post(`/invoices/${draft.id}/finalize`)).body).toMatchObject({
    status: 'open',
    tax_total: 2281,
  })
})

test.each(['stripe_tax', 'avatax'])(
  'partial credit notes of any size reverse exactly what %s has recorded',
  async (provider) => {
    const seller = await aSeller(provider)
    const draft = await aDraft(seller)
    await seller.post(`/invoices/${draft.id}/finalize`)
    await settle()
    const { body: invoice } = await seller.get(`/invoices/${draft.id}`)
    const [workshop, travel] = invoice.lines.map(({ id }: { id: string }) => id)
    const note = (noteLines: object[]) =>
      seller.post('/credit-notes', { invoice_id: draft.id, lines: noteLines, balance_amount: undefined })

    const { body: first } = await note([{ invoice_line_id: workshop, amount: 3333 }])
    const { body: second } = await note([
      { invoice_line_id: workshop, amount: 6668 },
      { invoice_line_id: travel, amount: 2003 },
    ])
    await settle()

    expect(first.tax_total + second.tax_total).toBe(2281)
    const [sale, ...reversals] = await recordedFor(seller.workspaceId)
    expect(reversals.map(({ reference, original }) => ({ reference, original }))).toEqual([
      { reference: first.id, original: draft.id },
      { reference: second.id, original: draft.id },
    ])
    expect(sumOf(reversals)).toBe(-sumOf([sale as Recorded]))
    const refused = await seller.post(`/credit-notes/${second.id}/void`)
    expect(refused.status).toBe(409)
  },
)

test('voiding an invoice reverses the part that no credit note has reversed', async () => {
  const seller = await aSeller()
  const draft = await aDraft(seller, { collection_method: 'send_invoice' })
  const { body: open } = await seller.post(`/invoices/${draft.id}/finalize`)
  await seller.post('/credit-notes', {
    invoice_id: draft.id,
    lines: [{ invoice_line_id: open.lines[0].id, amount: 5000 }],
  })

  expect((await seller.post(`/invoices/${draft.id}/void`)).status).toBe(200)
  await settle()

  const { body: notes } = await seller.get(`/credit-notes?invoice_id=${draft.id}`)
  const [ofVoid, ofRequest] = notes.data
  const recorded = await recordedFor(seller.workspaceId)
  expect(recorded.map(({ reference, kind }) => [kind, reference])).toEqual([
    ['sale', draft.id],
    ['reversal', ofRequest.id],
    ['reversal', ofVoid.id],
  ])
  expect(ofVoid).toMatchObject({ reason: 'void', tax_total: -sumOf(recorded.slice(2)) })
  expect(sumOf(recorded)).toBe(0)
})

test('subscriptions are billed with tax of the provider, and a change reverses the unused part of the first invoice', async () => {
  const seller = await aSeller()
  const price = (unit_amount: number) => aPrice(seller.workspace, { currency: 'eur', unit_amount })
  const [small, large] = [await price(3000), await price(6000)]
  const subscription = await aSubscription(seller.workspace, {
    customer_id: seller.customerId,
    items: [{ price_id: small }],
  })
  await settle()
  const invoices = async () =>
    (await seller.get(`/invoices?subscription_id=${subscription.id}`)).body.data.toReversed()
  const [start] = await invoices()
  expect(start).toMatchObject({ status: 'paid', tax_status: 'committed', total: 3570, tax_total: 570 })

  const { body: current } = await seller.get(`/subscriptions/${subscription.id}`)
  const changed = await seller.put(`/subscriptions/${subscription.id}`, {
    items: [{ id: current.items[0].id, price_id: large }],
  })
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
  await settle()

  const [, change] = await invoices()
  expect(change).toMatchObject({ status: 'paid', tax_status: 'committed' })
  const credit = change.lines.find(({ amount }: { amount: number }) => amount < 0)
  const debit = change.lines.find(({ amount }: { amount: number }) => amount > 0)
  expect(credit).toMatchObject({ amount: -3000, tax: -570 })
  expect(debit).toMatchObject({ amount: 6000, tax: 1140 })
  const recorded = await recordedFor(seller.workspaceId)
  expect(sumOf(recorded)).toBe(1140)
  expect(recorded.filter(({ kind }) => kind === 'reversal')).toMatchObject([{ original: start.id }])
})

test('every invoice is recorded once, even if responses are lost or late', async () => {
  const seller = await aSeller()
  await planFaults({ share: 0.6, seed: 7, faults: ['lost_answer', 'server_error_after'] })
  const drafts = await Promise.all(Array.from({ length: 10 }, () => aDraft(seller)))
  for (let round = 0; round < 12; round += 1) {
    await settle()
    clock.advance({ minutes: 40 })
  }
  for (const { id } of drafts) await seller.post(`/invoices/${id}/finalize`)
  for (let round = 0; round < 12; round += 1) {
    await settle()
    clock.advance({ minutes: 40 })
  }

  const { documents, repeated } = await control('GET', `tax-ledger?account=${seller.workspaceId}`)
  expect(documents.map(({ reference }: Recorded) => reference).toSorted()).toEqual(
    drafts.map(({ id }) => id).toSorted(),
  )
  expect(sumOf(documents)).toBe(10 * 2281)
  expect(repeated).toBeGreaterThan(0)
})

test('the account is configured with encrypted secrets, is checked, and cannot be deleted while it is used', async () => {
  const { get, put, post, delete: remove } = await switchyard.newWorkspace()
  expect((await get('/tax-provider')).status).toBe(404)
  expect((await put('/seller', { tax: 'provider' })).body.errors).toMatchObject([{ pointer: '/tax' }])
  const wrong = await put('/tax-provider', {
    provider: 'stripe_tax',
    config: { secret_key: 'sk_live_12345678' },
  })
  expect(wrong.body.errors).toMatchObject([{ pointer: '/config/secret_key', code: 'bad_format' }])
  expect(JSON.stringify(wrong.body)).not.toContain('sk_live')

  const { body } = await put('/tax-provider', {
    provider: 'stripe_tax',
    config: { secret_key: 'sk_test_12345678' },
  })
  expect(body).toMatchObject({ provider: 'stripe_tax', emulated: false, config: {}, secrets: ['secret_key'] })
  await put('/tax-provider', { provider: 'avatax', emulated: true })
  expect((await post('/tax-provider/check')).body).toEqual({
    object: 'tax_provider_check',
    ok: true,
    detail: null,
  })
  await put('/seller', { tax: 'provider' })
  expect((await remove('/tax-provider')).status).toBe(409)
  await put('/seller', { tax: 'none' })
  expect((await remove('/tax-provider')).status).toBe(200)
  expect((await get('/tax-provider')).status).toBe(404)
})

const lockedProvider = 'select from tax_providers where workspace_id = $1 for update'
const aSale = `insert into tax_documents (workspace_id, reference, kind, invoice_id, provider, document, due_at, created_at)
  values ($1, 'reference', 'sale', gen_random_uuid(), 'stripe_tax', '{}', now(), now())`

/**
 * Runs the statement in an open transaction, and starts the requests one by one. Each starts after the
 * previous one has begun to wait for the lock of the statement. Then commits the transaction.
 */
function race(
  { workspaceId }: { readonly workspaceId: string },
  requests: readonly (() => Promise<ApiResponse>)[],
  statement = lockedProvider,
): Promise<ApiResponse[]> {
  return asOwner(switchyard.databaseUrl, async (client) => {
    await client.query('begin')
    await client.query(statement, [uuidOf(workspaceId as Id<'workspace'>)])
    const running: Promise<ApiResponse>[] = []
    for (const start of requests) {
      running.push(start())
      await expect.poll(countWaitingForLock, { timeout: 4000, interval: 10 }).toBe(running.length)
    }
    await client.query('commit')
    return Promise.all(running)
  })
}

function countWaitingForLock(): Promise<number> {
  return asOwner(switchyard.databaseUrl, async (client) => {
    const { rows } = await client.query(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0].count
  })
}

test('if one request deletes the provider while another request begins to use it, the later request is refused', async () => {
  const workspace = await switchyard.newWorkspace()
  const [remove, use] = [
    () => workspace.delete('/tax-provider'),
    () => workspace.put('/seller', { tax: 'provider' }),
  ]
  await workspace.put('/tax-provider', { provider: 'avatax', emulated: true })

  const [deleted, tooLate] = await race(workspace, [remove, use])

  expect(deleted?.status).toBe(200)
  expect(tooLate).toMatchObject({ status: 400, body: { errors: [{ pointer: '/tax' }] } })
  await workspace.put('/tax-provider', { provider: 'avatax', emulated: true })
  const [used, refused] = await race(workspace, [use, remove])
  expect(used).toMatchObject({ status: 200, body: { tax: 'provider' } })
  expect(refused).toMatchObject({ status: 409, body: { code: 'object_in_use' } })
})

test('an invoice is not finalized with the tax of a provider that is being replaced', async () => {
  const seller = await aSeller()
  const { id } = await aDraft(seller)
  await settle()

  const [replaced, finalized] = await race(seller, [
    () => seller.put('/tax-provider', { provider: 'avatax', emulated: true }),
    () => seller.post(`/invoices/${id}/finalize`),
  ])

  expect(replaced?.status).toBe(200)
  expect(finalized).toMatchObject({ status: 200, body: { tax_status: 'committing', tax_total: 2281 } })
  await settle()
  expect((await seller.get('/tax-provider')).body).toMatchObject({
    provider: 'avatax',
    unrecorded_since: null,
  })
})

test('a provider is not deleted or replaced while a document is being written', async () => {
  const seller = await aSeller()
  await seller.put('/seller', { tax: 'none' })

  const responses = await race(
    seller,
    [
      () => seller.put('/tax-provider', { provider: 'avatax', emulated: true }),
      () => seller.workspace.delete('/tax-provider'),
    ],
    aSale,
  )

  expect(responses).toMatchObject([
    { status: 409, body: { code: 'object_in_use' } },
    { status: 409, body: { code: 'object_in_use' } },
  ])
})

test('a provider that was replaced can be restored while a reversal waits for it', async () => {
  const seller = await aSeller()
  const { id } = await aDraft(seller)
  const { body: open } = await seller.post(`/invoices/${id}/finalize`)
  await settle()
  expect((await seller.put('/tax-provider', { provider: 'avatax', emulated: true })).status).toBe(200)
  const lines = [{ invoice_line_id: open.lines[0].id, amount: 5000 }]
  const { body: note } = await seller.post('/credit-notes', { invoice_id: id, lines })
  await settle()
  expect(await recordedFor(seller.workspaceId)).toHaveLength(1)

  expect((await seller.put('/tax-provider', { provider: 'stripe_tax', emulated: true })).status).toBe(200)
  clock.advance({ hours: 1 })
  await settle()

  expect(await recordedFor(seller.workspaceId)).toMatchObject([{ reference: id }, { reference: note.id }])
})

test.each([
  ['a seller without its provider', `update sellers set tax = 'provider' where workspace_id = $1`],
  ['a sale without its provider', aSale],
])('the database rejects %s', async (_, statement) => {
  const { workspaceId, put } = await switchyard.newWorkspace()
  await put('/seller', { legal_name: 'Example GmbH' })

  const running = asOwner(switchyard.databaseUrl, (client) =>
    client.query(statement, [uuidOf(workspaceId as Id<'workspace'>)]),
  )

  await expect(running).rejects.toMatchObject({ code: '23503' })
})

test('payment pages refuse prices that exclude tax, and drafts of a seller without a provider have no tax', async () => {
  const seller = await aSeller()
  const price_id = await aPrice(seller.workspace, { currency: 'eur', tax_behavior: 'exclusive' })
  const { status, body } = await seller.post('/payment-links', {
    mode: 'subscription',
    line_items: [{ price_id }],
  })
  expect({ status, errors: body.errors }).toMatchObject({
    status: 400,
    errors: [{ pointer: '/line_items/0/price_id' }],
  })

  await planFaults({ down: true })
  const draft = await aDraft(seller)
  await seller.put('/seller', { tax: 'none' })
  clock.advance({ hours: 2 })
  await settle()
  expect((await seller.get(`/invoices/${draft.id}`)).body).toMatchObject({ tax_status: null, total: 12_004 })
})

// This must be the last test of the file: it advances the clock so far that the test cards expire.
test('the address in tax documents is erased when the customer is erased from the invoice, or the draft is discarded', async () => {
  const seller = await aSeller()
  const { workspace, customerId } = seller
  await workspace.put(`/customers/${customerId}`, { tax_ids: [{ type: 'eu_vat', value: 'DE136695976' }] })
  const [draft, discarded] = [
    await aDraft(seller, { collection_method: 'send_invoice' }),
    await aDraft(seller),
  ]
  await workspace.post(`/invoices/${draft.id}/finalize`)
  await settle()
  expect((await workspace.delete(`/invoices/${discarded.id}`)).status).toBe(200)
  await workspace.post(`/invoices/${draft.id}/pay`, { out_of_band: true })
  expect((await workspace.delete(`/customers/${customerId}`)).status).toBe(200)
  const stored = () =>
    asOwner(switchyard.databaseUrl, async (client) => {
      const { rows } = await client.query(
        `select invoice_id, input as content from invoice_taxes where workspace_id = $1
         union all select invoice_id, document from tax_documents where workspace_id = $1`,
        [uuidOf(workspace.workspaceId as Id<'workspace'>)],
      )
      return rows
    })
  const before = await stored()
  expect(before.map(({ invoice_id }) => invoice_id)).toEqual(Array(2).fill(uuidOf(draft.id)))
  for (const { content } of before) expect(JSON.stringify(content)).toMatch(/Linden.*DE136695976/)

  clock.advance({ days: 366 * 11 })
  await runAllDueWork(deps, [eraseParties])

  const after = JSON.stringify(await stored())
  // The seller has the same address, which is not erased.
  expect(after).not.toContain('DE136695976')
  expect(after.match(/Linden/g)).toHaveLength(2)
  expect((await workspace.get(`/invoices/${draft.id}`)).body).toMatchObject({
    tax_status: 'committed',
    tax_total: 2281,
  })
})
