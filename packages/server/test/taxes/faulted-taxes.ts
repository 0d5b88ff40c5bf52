// Finalizes many invoices whose tax a simulated provider computes and records, while responses are lost,
// arrive late, or are errors. The ledgers of the providers must contain each invoice, credit note and void
// exactly once.

import { startSimulator } from '../../../simulator/src/index.ts'
import type { RecordedDocument } from '../../../simulator/src/tax/tax-state.ts'
import { buildApp } from '../../src/app.ts'
import { compose } from '../../src/compose.ts'
import type { Deps } from '../../src/deps.ts'
import { draftInvoices } from '../../src/domains/billing/invoices/service.ts'
import { manualClock } from '../../src/kernel/clock.ts'
import type { Id } from '../../src/kernel/id.ts'
import { mapConcurrently } from '../../src/platform/map-concurrently.ts'
import { workTypes } from '../../src/work-types.ts'
import { configOf, newWorkspace } from '../cuts/installation.ts'
import { seededRandom } from '../money/seeded-random.ts'
import type { Api } from '../support/emulated-accounts.ts'
import { buildInvoiceDraft, buildInvoiceLine, inTransaction } from '../support/invoices.ts'

export type TaxReport = {
  readonly invoices: number
  readonly creditNotes: number
  readonly voids: number
  /** Calls to the providers, and how many of them repeated a document that was recorded before. */
  readonly calls: number
  readonly repeated: number
  readonly failures: readonly string[]
}

type Options = { readonly invoices: number; readonly seed: number; readonly faultShare?: number }

const providers = ['stripe_tax', 'avatax'] as const
const draftsPerCommit = 500
const concurrency = 16
const taxWork = workTypes.filter(({ name }) => /^invoice\.(tax|tax_commit|finalize)$/.test(name))
/** More consecutive rounds than a document can fail. */
const maxRounds = 400

export async function runFaultedTaxes(
  databaseUrl: string,
  { invoices, seed, faultShare = 0.3 }: Options,
): Promise<TaxReport> {
  const simulator = await startSimulator()
  const clock = manualClock(new Date())
  const addresses = { live: '', test: '' }
  const switchyard = compose(configOf(databaseUrl, simulator.url, addresses), {
    clock,
    publish: () => {},
    tokenCacheMs: 3_600_000,
    isOverloaded: () => false,
  })
  const { deps } = switchyard
  const app = buildApp(switchyard, 'test')
  addresses.test = await app.listen({ host: '127.0.0.1', port: 0 })
  try {
    await simulator.control('PUT', 'tax-faults', { share: faultShare, seed, late_ms: 5 })
    const sellers = []
    for (const [index, provider] of providers.entries()) {
      const count = Math.floor((invoices + index) / providers.length)
      sellers.push(await draftAll(deps, await aSeller(deps, app, provider), { count, seed: seed + index }))
    }
    const letTimePass = () => clock.advance({ minutes: 61 })
    await runUntilDone(deps, letTimePass)
    const returns = await returnSome(sellers)
    await runUntilDone(deps, letTimePass)
    const ledger = await simulator.control<Ledger>('GET', 'tax-ledger')
    const failures = [...returns.failures]
    for (const seller of sellers) failures.push(...(await compare(seller, ledger, returns.expected)))
    const { creditNotes, voids } = returns
    return { invoices, creditNotes, voids, calls: ledger.calls, repeated: ledger.repeated, failures }
  } finally {
    const closed = app.close()
    app.server.closeAllConnections()
    await closed
    await switchyard.close()
    await simulator.stop()
  }
}

type Ledger = {
  readonly documents: readonly RecordedDocument[]
  readonly calls: number
  readonly repeated: number
}
type Seller = { readonly workspace: Api & { readonly workspaceId: string }; readonly customerId: string }
type DraftedSeller = Seller & { readonly ids: readonly string[] }

const address = { line1: 'Unter den Linden 1', postal_code: '10117', city: 'Berlin', country: 'DE' }

async function aSeller(deps: Deps, app: ReturnType<typeof buildApp>, provider: string): Promise<Seller> {
  const api = await newWorkspace(deps, app)
  const workspace = { ...api, workspaceId: (await expectOk(api.get('/workspace'))).id as string }
  await expectOk(workspace.put('/tax-provider', { provider, emulated: true }))
  await expectOk(workspace.put('/seller', { legal_name: 'Example GmbH', address, tax: 'provider' }))
  const { id } = await expectOk(workspace.post('/customers', { name: 'Customer', address }))
  return { workspace, customerId: id }
}

// biome-ignore lint/suspicious/noExplicitAny: the caller knows the type of the body.
async function expectOk(call: Promise<{ readonly status: number; readonly body: any }>) {
  const { status, body } = await call
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

/** Drafts to finalize now, with one to three lines of random amounts. */
async function draftAll(
  deps: Deps,
  { workspace, customerId }: Seller,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<DraftedSeller> {
  const random = seededRandom(seed, 0)
  const { workspaceId } = workspace
  const ids: string[] = []
  for (let start = 0; start < count; start += draftsPerCommit) {
    const size = Math.min(draftsPerCommit, count - start)
    const drafted = await inTransaction(deps, workspaceId, (tx) => {
      const period = {
        currency: 'eur',
        startAt: tx.now,
        endAt: new Date(tx.now.getTime() + 86_400_000),
      } as const
      const options = {
        customerId: customerId as Id<'customer'>,
        subscriptionId: null,
        reason: 'one_off',
        period: null,
        collect: 'never',
      } as const
      const drafts = Array.from({ length: size }, () => {
        const lines = Array.from({ length: 1 + random.integerBelow(3) }, () =>
          buildInvoiceLine(100 + random.integerBelow(100_000), period),
        )
        return buildInvoiceDraft(tx, workspaceId, { ...options, lines })
      })
      return draftInvoices(tx, drafts)
    })
    ids.push(...drafted.map(({ id }) => id))
  }
  return { workspace, customerId, ids }
}

/** Runs the work types of taxes concurrently, as several workers would, until nothing is due. */
async function runUntilDone(deps: Deps, letTimePass: () => void): Promise<void> {
  let idleRounds = 0
  for (let round = 0; idleRounds < 2; round += 1) {
    if (round > maxRounds) throw new Error('Some documents are still not recorded.')
    idleRounds = (await runDue(deps)) === 0 ? idleRounds + 1 : 0
    letTimePass()
  }
}

/** Returns how many work items were due. */
async function runDue(deps: Deps): Promise<number> {
  const [shard] = deps.databases.shards
  if (shard === undefined) throw new Error('There is no database.')
  let handled = 0
  for (const work of taxWork) {
    let due = await shard.as('switchyard_due', (db) => work.due(db, deps.clock.read(), 1_000))
    while (due.length > 0) {
      await mapConcurrently(concurrency, due, (ref) => work.handle(deps, ref))
      handled += due.length
      due = await shard.as('switchyard_due', (db) => work.due(db, deps.clock.read(), 1_000))
    }
  }
  return handled
}

type Returns = {
  /** The tax that each reversal must have, by its reference. */
  readonly expected: Map<string, number>
  readonly failures: string[]
  creditNotes: number
  voids: number
}

/** Credits every tenth invoice in part, and voids every twentieth. */
async function returnSome(sellers: readonly DraftedSeller[]): Promise<Returns> {
  const returns: Returns = { expected: new Map(), failures: [], creditNotes: 0, voids: 0 }
  for (const { workspace, ids } of sellers) {
    const credited = ids.filter((_, index) => index % 10 === 0)
    for (const [index, id] of credited.entries())
      await returnPart(workspace, returns, { id, isVoided: index % 2 === 0 })
  }
  return returns
}

async function returnPart(
  { get, post }: Api,
  returns: Returns,
  { id, isVoided }: { readonly id: string; readonly isVoided: boolean },
): Promise<void> {
  const { body: invoice } = await get(`/invoices/${id}`)
  const [line] = invoice.lines
  const lines = [{ invoice_line_id: line.id, amount: Math.ceil(line.amount / 3) }]
  const note = await post('/credit-notes', { invoice_id: id, lines })
  if (note.status === 201) returns.expected.set(note.body.id, note.body.tax_total)
  else returns.failures.push(`${id}: credit note ${note.status} ${note.body.detail}`)
  returns.creditNotes += 1
  if (!isVoided) return
  const voided = await post(`/invoices/${id}/void`)
  if (voided.status !== 200) returns.failures.push(`${id}: void ${voided.status} ${voided.body.detail}`)
  const { body: notes } = await get(`/credit-notes?invoice_id=${id}`)
  returns.expected.set(notes.data[0].id, invoice.tax_total - note.body.tax_total)
  returns.voids += 1
}

type StoredInvoice = { readonly tax_total: number; readonly tax_status: string; readonly number: string }

async function compare(
  { workspace, ids }: DraftedSeller,
  { documents }: Ledger,
  expected: ReadonlyMap<string, number>,
): Promise<string[]> {
  const own = documents.filter(({ account }) => account === workspace.workspaceId)
  const taxes = new Map(
    own.map(({ reference, lines }) => [reference, lines.reduce((sum, { tax }) => sum + tax, 0)]),
  )
  const sales = own.filter(({ kind }) => kind === 'sale')
  const stored = await listInvoices(workspace)
  const recorded = new Set(documents.map(({ reference }) => reference))
  const missing = Array.from(expected.keys()).filter((reference) => !recorded.has(reference))
  const numbers = new Set([...stored.values()].map(({ number }) => number))
  return [
    ...(sales.length === ids.length ? [] : [`${sales.length} sales are recorded of ${ids.length} invoices`]),
    ...(taxes.size === own.length ? [] : ['a reference is recorded more than once']),
    ...(numbers.size === ids.length ? [] : [`${numbers.size} numbers of ${ids.length} invoices`]),
    ...own.filter(({ kind }) => kind === 'reversal').flatMap(faultOfReversal),
    ...ids.flatMap(faultOfSale),
    ...missing.map((reference) => `${reference} is not recorded`),
  ]

  function faultOfReversal({ reference }: RecordedDocument): string[] {
    const [tax, requested] = [taxes.get(reference), expected.get(reference)]
    return tax === -(requested ?? Number.NaN) ? [] : [`${reference}: reversed ${tax}, expected ${requested}`]
  }

  function faultOfSale(id: string): string[] {
    const invoice = stored.get(id)
    if (invoice?.tax_status !== 'committed') return [`${id}: its tax is ${invoice?.tax_status}`]
    const tax = taxes.get(id)
    return tax === invoice.tax_total ? [] : [`${id}: recorded ${tax}, the invoice has ${invoice.tax_total}`]
  }
}

async function listInvoices({ get }: Api): Promise<ReadonlyMap<string, StoredInvoice>> {
  const stored = new Map<string, StoredInvoice>()
  let page = '/invoices?limit=100'
  while (page !== '') {
    const { body } = await get(page)
    for (const invoice of body.data) stored.set(invoice.id, invoice)
    page = body.has_more ? `/invoices?limit=100&starting_after=${body.data.at(-1).id}` : ''
  }
  return stored
}
