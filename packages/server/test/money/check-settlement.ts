// Imports settlement reports made from the providers' ledgers at the end of a scenario, and checks invariants 20 and 21
// of the ledger: a posting is matched with one line, and importing lines again changes nothing. A third of the
// scenarios are reconciled.

import { setTimeout as delay } from 'node:timers/promises'
import { matchImport } from '../../src/domains/finance/settlement/service/match.ts'
import { type Id, uuidOf } from '../../src/kernel/id.ts'
import { ledgerDifferences } from '../support/ledger.ts'
import { hasOpenReview, type Records, wireIdOf } from './records.ts'
import { fetchLedgerEntries, type LedgerEntry, type PaymentRun } from './scenario-run.ts'
import { callApi } from './send-request.ts'
import { runInProcess, SimulatedProcess } from './simulated-process.ts'

const header = 'id,type,provider_reference,payment_reference,our_reference,gross,currency,created_at,payout'
const mapping = {
  columns: {
    id: 'id',
    type: 'type',
    provider_reference: 'provider_reference',
    payment_reference: 'payment_reference',
    our_reference: 'our_reference',
    gross: 'gross',
    currency: 'currency',
    created_at: 'created_at',
    payout_reference: 'payout',
  },
  types: { payment: 'payment', refund: 'refund' },
  amounts: 'minor',
}

/** An entry that moved money: a capture, a charge that was captured immediately, or a refund. */
type MoneyEntry = LedgerEntry & {
  readonly id: string
  readonly signedAmount: number
  /** The provider's reference of the charge that was captured or refunded. */
  readonly paymentReference: string
}

function moneyEntries(run: PaymentRun, account: number, entries: readonly LedgerEntry[]): MoneyEntry[] {
  return entries
    .filter(({ fact, capture }) => fact === 'capture' || fact === 'refund' || (fact === 'charge' && capture))
    .map((entry, index) => ({
      ...entry,
      id: `${run.name}-${account}-${index}`,
      paymentReference:
        entries.find(({ reference }) => reference === entry.parent_reference)?.provider_reference ?? '',
      signedAmount: entry.fact === 'refund' ? -entry.amount : entry.amount,
    }))
}

const payoutOf = (run: PaymentRun, account: number) => `${run.name}-payout-${account}`

function reportOf(entries: readonly MoneyEntry[], payout: string): string {
  const rows = entries.map((entry) =>
    [
      entry.id,
      entry.fact === 'refund' ? 'refund' : 'payment',
      entry.provider_reference,
      entry.paymentReference,
      entry.reference,
      entry.signedAmount,
      entry.currency,
      entry.at,
      payout,
    ].join(','),
  )
  return `${[header, ...rows].join('\n')}\n`
}

/** Adds the violations to the run. */
export async function checkSettlement(run: PaymentRun, records: Records): Promise<void> {
  if (!run.scenario.isReconciled || run.violations.length > 0) return
  for (const [index, account] of run.workspace.accounts.entries()) {
    const all = await fetchLedgerEntries(run.harness, account)
    const entries = moneyEntries(run, index, all.slice(run.ledgerEntriesBefore[index]))
    if (entries.length > 0) await reconcile(run, records, { account, index, entries })
  }
}

type Settled = { readonly account: string; readonly index: number; readonly entries: readonly MoneyEntry[] }

async function reconcile(run: PaymentRun, records: Records, settled: Settled): Promise<void> {
  const { account, index, entries } = settled
  const payout = payoutOf(run, index)
  // Two files contain the same lines, and two workers match each of them concurrently.
  const first = await upload(run, account, reportOf(entries, payout))
  const second = await upload(run, account, reportOf(entries.toReversed(), payout))
  await Promise.all([first, first, second, second].map((id) => match(run, id)))
  await Promise.all([first, second].map((id) => expectCompleted(run, id)))
  const before = await readSettlement(run)
  run.violations.push(...settlementViolations(run, records, settled, before))

  const third = await upload(run, account, reportOf([...entries, ...entries], payout))
  await match(run, third)
  await expectCompleted(run, third)
  const after = await readSettlement(run)
  if (JSON.stringify(after) !== JSON.stringify(before))
    run.violations.push(
      `settlement: importing twice changed ${JSON.stringify(before)} to ${JSON.stringify(after)}`,
    )
  await checkRepeatedLine(run, account, entries[0] as MoneyEntry)
  const differences = await ledgerDifferences(run.harness.deps, run.workspace.workspaceId, run.floor)
  run.violations.push(...differences.map((difference) => `settlement: ledger: ${difference}`))
}

/**
 * The provider reports an amount again as another line. Its posting is already matched, so the line can only
 * be matched with a posting of an earlier scenario that has the same amount; otherwise its amount is in
 * suspense.
 */
async function checkRepeatedLine(run: PaymentRun, account: string, entry: MoneyEntry): Promise<void> {
  const repeated = { ...entry, id: `${entry.id}-again` }
  const id = await upload(run, account, reportOf([repeated], `${run.name}-repeated`))
  await match(run, id)
  await expectCompleted(run, id)
  const { rows } = await run.harness.installation.ownerOf(run.workspace.workspaceId).query(
    `select status, suspense, exists (select from settlement_lines other where other.workspace_id = $1
       and other.cause_id = line.cause_id and other.act = line.act and other.import_id <> $2) as is_taken
     from settlement_lines line where workspace_id = $1 and import_id = $2`,
    [uuidOf(run.workspace.workspaceId), uuidOf(id as Id<'settlement_import'>)],
  )
  const [line] = rows
  const isExplained = line.status === 'matched' || Number(line.suspense) === entry.signedAmount
  if (rows.length !== 1 || line.is_taken || !isExplained)
    run.violations.push(`settlement: the repeated line of ${entry.signedAmount} is ${JSON.stringify(rows)}`)
}

async function upload(run: PaymentRun, account: string, file: string): Promise<string> {
  const payload = { provider_account_id: account, format: 'csv', mapping }
  const created = await callApi(run, 'POST', '/settlement-imports', { payload })
  const { id } = JSON.parse(created.text)
  for (;;) {
    const url = `/settlement-imports/${id}/content`
    const headers = { 'content-type': 'text/csv' }
    const uploaded = await callApi(run, 'PUT', url, { payload: file, headers })
    if (uploaded.status === 200) return id
    // Other harnesses of this installation upload too.
    if (!uploaded.text.includes('settlement_import_running'))
      throw new Error(`The upload failed: ${uploaded.status} ${uploaded.text}`)
    await delay(20)
  }
}

function match({ harness, workspace }: PaymentRun, id: string): Promise<void> {
  const ref = { workspaceId: workspace.workspaceId, id: id as Id<'settlement_import'> }
  return runInProcess(new SimulatedProcess(null), () => matchImport(harness.deps, ref))
}

async function expectCompleted(run: PaymentRun, id: string): Promise<void> {
  const { text } = await callApi(run, 'GET', `/settlement-imports/${id}`)
  const { status } = JSON.parse(text)
  if (status !== 'completed') run.violations.push(`settlement: an import is ${status}`)
}

type SettlementRecords = {
  readonly lines: readonly {
    readonly key: string
    readonly status: string
    readonly cause_id: string | null
    readonly act: string | null
  }[]
  readonly payouts: readonly {
    readonly reference: string
    readonly currency: string
    readonly amount: number
  }[]
  readonly postings: readonly { readonly act: string; readonly postings: number; readonly amount: number }[]
}

/** The lines and payouts of the scenario, and its postings by act. */
async function readSettlement({ harness, workspace, name, floor }: PaymentRun): Promise<SettlementRecords> {
  const { rows } = await harness.installation.ownerOf(workspace.workspaceId).query({
    name: 'settlement_records',
    text: `select
        (select json_agg(line order by key) from (
          select raw::json->>0 as key, status, cause_id, act from settlement_lines
          where workspace_id = $1 and payout_reference like $2) line) as lines,
        (select json_agg(payout order by reference, currency) from (
          select provider_reference as reference, currency, amount from payouts
          where workspace_id = $1 and provider_reference like $2) payout) as payouts,
        (select json_agg(posting order by act) from (
          select act, count(1) as postings, sum(amount) as amount from ledger_postings
          where workspace_id = $1 and id >= $3 group by act) posting) as postings`,
    values: [uuidOf(workspace.workspaceId), `${name}-payout-%`, floor],
  })
  return rows[0]
}

function settlementViolations(
  run: PaymentRun,
  records: Records,
  { index, entries }: Settled,
  { lines, payouts }: SettlementRecords,
): string[] {
  const paymentsInReview = new Set(
    records.payments
      .filter(({ id, review }) => review !== null || hasOpenReview(records, id))
      .map(({ id }) => wireIdOf(id)),
  )
  const unmatched = entries.filter(({ id, payment_id }) => {
    const found = lines.filter(({ key }) => key === id)
    return found.length !== 1 || (found[0]?.status !== 'matched' && !paymentsInReview.has(payment_id))
  })
  const matches = lines
    .filter(({ cause_id }) => cause_id !== null)
    .map(({ cause_id, act }) => `${cause_id} ${act}`)
  const repeated = matches.filter((key, position) => matches.indexOf(key) !== position)
  const reference = payoutOf(run, index)
  const sums = Map.groupBy(entries, ({ currency }) => currency)
  const differing = [...sums].flatMap(([currency, ofCurrency]) => {
    const expected = ofCurrency.reduce((sum, { signedAmount }) => sum + signedAmount, 0)
    const payout = payouts.find((row) => row.reference === reference && row.currency === currency)
    return payout?.amount === expected ? [] : [`${payout?.amount} ${currency} instead of ${expected}`]
  })
  return [
    ...unmatched.map(
      ({ id, fact, payment_id }) =>
        `settlement: the ${fact} of ${payment_id} has the lines ${JSON.stringify(lines.filter(({ key }) => key === id))}`,
    ),
    ...repeated.map((key) => `settlement: two lines are matched with ${key}`),
    ...differing.map((difference) => `settlement: the payout is ${difference}`),
  ]
}
