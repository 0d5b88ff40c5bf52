// A process that is killed while a settlement report is uploaded or matched leaves nothing half done: after the restart
// every line is stored once, and postings, payouts, counts and sums equal those of an import without a crash.

import { expect, test } from 'vitest'
import { matchImport } from '../../src/domains/finance/settlement/service/match.ts'
import { type Id, type Ref, uuidOf } from '../../src/kernel/id.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { ledgerDifferences } from '../support/ledger.ts'
import { createToken } from '../support/payment-methods.ts'
import { stripeFile, uploadTo } from '../support/settlement.ts'
import type { Workspace } from '../support/switchyard.ts'
import { startPaymentInstallation } from './support/payment-installation.ts'

const { switchyard, start, crashDuringWork, expireAllLeases } = await startPaymentInstallation()

/** More than one batch of 1,500 lines. */
const manyFees = 1_510
const feeIds = (count: number) => Array.from({ length: count }, (_, index) => `txn_fee_${index}`)

type Prepared = {
  readonly workspace: Workspace
  readonly importId: string
  readonly ref: Ref<'settlement_import'>
  readonly file: string
}

/** A payment that matches, one whose amount differs, one that Switchyard does not know, and account fees. */
async function prepare(fees: number): Promise<Prepared> {
  const workspace = await switchyard.newWorkspace()
  const pay = async (amount: number) => {
    const token = await createToken(workspace)
    const { body } = await workspace.post('/payments', { amount, currency: 'eur', token })
    const { data } = (await workspace.get(`/payments/${body.id}/operations`)).body
    return { account: body.provider_account_id, reference: data[0].provider_reference }
  }
  const [first, second] = [await pay(1299), await pay(2000)]
  const file = stripeFile([
    { id: 'txn_1', reference: first.reference, gross: '12.99', fee: '0.43', net: '12.56' },
    { id: 'txn_2', reference: second.reference, gross: '19.00', fee: '0.50', net: '18.50' },
    { id: 'txn_3', reference: 'pi_unknown', gross: '7.00', net: '7.00', payout: 'po_2' },
    ...feeIds(fees).map((id) => ({ id, category: 'fee', source: id, gross: '-0.01', net: '-0.01' })),
  ])
  const created = await workspace.post('/settlement-imports', {
    provider_account_id: first.account,
    format: 'stripe_payout_reconciliation',
  })
  const importId = created.body.id
  const ref = { workspaceId: workspace.workspaceId as Id<'workspace'>, id: importId }
  return { workspace, importId, ref, file }
}

/** The results of the import, without ids and times. */
async function resultOf({ workspace, importId }: Prepared) {
  const { get, workspaceId } = workspace
  const { status, lines_read, lines_new, lines_matched } = (await get(`/settlement-imports/${importId}`)).body
  const { data: payouts } = (await get('/payouts')).body
  const { data: balances } = (await get('/balances')).body
  const rows = await asOwner(switchyard.databaseUrl, async (client) => {
    const lines = await client.query(
      `select kind, status, amount::text, net::text, suspense::text, postings, count(*)::int as lines
       from settlement_lines where workspace_id = $1 group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3`,
      [uuidOf(workspaceId as Id<'workspace'>)],
    )
    const postings = await client.query(
      `select act, debit_account, credit_account, currency, amount::text from ledger_postings
       where workspace_id = $1 order by 1, 2, 3, 5`,
      [uuidOf(workspaceId as Id<'workspace'>)],
    )
    const costs = await client.query(
      'select lines::int, amounts::text, fees::text from settled_costs where workspace_id = $1 order by 2',
      [uuidOf(workspaceId as Id<'workspace'>)],
    )
    return { lines: lines.rows, postings: postings.rows, costs: costs.rows }
  })
  return {
    import: { status, lines_read, lines_new, lines_matched },
    counts: withoutAccounts((await get('/reconciliation')).body),
    payouts: payouts.map(({ provider_reference, amount, fees, lines, status: state }: Payout) => [
      provider_reference,
      amount,
      fees,
      lines,
      state,
    ]),
    balances: balances.map(({ account, amount }: { account: string; amount: number }) => [account, amount]),
    differences: await ledgerDifferences(switchyard.deps, workspaceId),
    ...rows,
  }
}
/** Each workspace has its own provider account. */
const withoutAccounts = (body: object): object =>
  JSON.parse(JSON.stringify(body).replaceAll(/provider_account_test_\w+/g, 'account'))

type Payout = { provider_reference: string; amount: number; fees: number; lines: number; status: string }

/** Expires the leases of uploads and of matching. */
const expireLeases = () =>
  asOwner(switchyard.databaseUrl, async (client) => {
    await client.query("update control.settlement_upload_lease set lease_until = '-infinity'")
    await client.query('update settlement_imports set due_at = now() where due_at is not null')
  })

async function finish({ ref: imported }: Prepared): Promise<void> {
  await expireLeases()
  await matchImport(switchyard.deps, imported)
}

test.each(['settlement.batch_stored', 'settlement.uploaded'])(
  'an API process that is killed at %s during an upload leaves an import that can be completed',
  async (point) => {
    const uninterrupted = await prepare(manyFees)
    await uploadTo(uninterrupted.workspace, uninterrupted.importId, uninterrupted.file)
    await finish(uninterrupted)
    const expected = await resultOf(uninterrupted)
    expect(expected).toMatchObject({
      import: { status: 'completed', lines_read: manyFees + 3, lines_new: manyFees + 3 },
      counts: { amount_differs: 1, missing_here: 1 },
      differences: [],
    })

    const prepared = await prepare(manyFees)
    const crashing = await start('api', point)
    const request = fetch(`${crashing.addresses.test}/settlement-imports/${prepared.importId}/content`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${prepared.workspace.token}`, 'content-type': 'text/csv' },
      body: prepared.file,
    })
    await expect(request).rejects.toThrow()
    expect(await crashing.exited).toBe('SIGKILL')
    const { body: crashed } = await prepared.workspace.get(`/settlement-imports/${prepared.importId}`)
    const isUploaded = point === 'settlement.uploaded'
    expect(crashed).toMatchObject(
      isUploaded
        ? { status: 'matching', lines_read: manyFees + 3 }
        : { status: 'uploading', lines_read: 1_500, lines_new: 1_500 },
    )
    // Until the lease expires, other uploads are rejected.
    const early = await uploadTo(prepared.workspace, prepared.importId, prepared.file)
    expect(early.body.code).toBe(isUploaded ? 'invalid_state' : 'settlement_import_running')
    await expireLeases()
    const again = await uploadTo(prepared.workspace, prepared.importId, prepared.file)
    expect(again.status).toBe(isUploaded ? 409 : 200)
    await finish(prepared)

    expect(await resultOf(prepared)).toEqual(expected)
  },
  240_000,
)

test('if workers are killed after each step of matching, the next worker continues with the next step', async () => {
  const uninterrupted = await prepare(2)
  await uploadTo(uninterrupted.workspace, uninterrupted.importId, uninterrupted.file)
  await finish(uninterrupted)
  const expected = await resultOf(uninterrupted)
  expect(expected).toMatchObject({ import: { status: 'completed' }, differences: [] })
  expect(expected.postings.length).toBeGreaterThan(5)

  const prepared = await prepare(2)
  await uploadTo(prepared.workspace, prepared.importId, prepared.file)
  const steps: (string | null)[] = []
  while (steps.at(-1) !== null) {
    await expireLeases()
    await expireAllLeases()
    await crashDuringWork('settlement.step_stored', prepared.workspace)
    steps.push(await stepOf(prepared))
    // Nothing happens before the lease expires.
    const afterCrash = await resultOf(prepared)
    await matchImport(switchyard.deps, prepared.ref)
    expect(await resultOf(prepared)).toEqual(afterCrash)
  }

  expect([...new Set(steps)]).toEqual([
    'pending_lines',
    'open_lines',
    'payouts',
    'unexplained',
    'missing',
    null,
  ])
  expect(await resultOf(prepared)).toEqual(expected)
}, 120_000)

async function stepOf({ importId }: Prepared): Promise<string | null> {
  const { rows } = await asOwner(switchyard.databaseUrl, (client) =>
    client.query('select step from settlement_imports where id = $1', [
      uuidOf(importId as Id<'settlement_import'>),
    ]),
  )
  return rows[0].step
}
