// Settlement reports for tests, and their upload.

import type { Deps } from '../../src/deps.ts'
import { matchImport } from '../../src/domains/finance/settlement/service/match.ts'
import type { Id } from '../../src/kernel/id.ts'
import type { ApiResponse, CallOptions } from './switchyard.ts'

type Call = (path: string, body?: unknown, options?: CallOptions) => Promise<ApiResponse>
type Uploader = { readonly put: Call }

export const stripeColumns = [
  'automatic_payout_id',
  'automatic_payout_effective_at_utc',
  'balance_transaction_id',
  'created_utc',
  'currency',
  'gross',
  'fee',
  'net',
  'reporting_category',
  'source_id',
  'customer_facing_amount',
  'customer_facing_currency',
  'payment_intent_id',
]

type StripeRow = {
  readonly id: string
  readonly reference?: string
  readonly source?: string
  readonly category?: string
  readonly gross: string
  readonly fee?: string
  readonly net: string
  readonly created?: string
  readonly payout?: string
  readonly facing?: string
  readonly facingCurrency?: string
  readonly brand?: string
  readonly country?: string
  readonly funding?: string
}

/** A file in the format `payout_reconciliation.itemized.5`. */
export function stripeFile(rows: readonly StripeRow[], columns: readonly string[] = stripeColumns): string {
  const lines = rows.map((row) => {
    const values: { readonly [column: string]: string } = {
      automatic_payout_id: row.payout ?? 'po_1',
      automatic_payout_effective_at_utc: '2026-11-10 00:00:00',
      balance_transaction_id: row.id,
      created_utc: row.created ?? '2026-11-09 12:00:00',
      currency: 'eur',
      gross: row.gross,
      fee: row.fee ?? '0.00',
      net: row.net,
      reporting_category: row.category ?? 'charge',
      source_id: row.source ?? '',
      customer_facing_amount: row.facing ?? '',
      customer_facing_currency: row.facingCurrency ?? '',
      payment_intent_id: row.reference ?? '',
      card_brand: row.brand ?? '',
      card_country: row.country ?? '',
      card_funding: row.funding ?? '',
    }
    return columns.map((column) => values[column] ?? '').join(',')
  })
  return `${[columns.join(','), ...lines].join('\n')}\n`
}

/** A file with this many payments that Switchyard has not recorded. */
export function payoutLines(count: number): string {
  const rows = Array.from({ length: count }, (_, index) => ({
    id: `txn_${index}`,
    reference: `pi_unknown_${index}`,
    gross: '10.00',
    fee: '0.30',
    net: '9.70',
  }))
  return stripeFile(rows)
}

export function uploadTo(workspace: Uploader, importId: string, content: string): Promise<ApiResponse> {
  const headers = { 'content-type': 'text/csv' }
  return workspace.put(`/settlement-imports/${importId}/content`, undefined, { raw: content, headers })
}

type Importer = Uploader & {
  readonly workspaceId: string
  readonly post: Call
  readonly get: (path: string) => Promise<ApiResponse>
}

let imported = 0

/**
 * Imports a line about a payment that Switchyard has not recorded, for the first provider account of the
 * workspace.
 */
export async function importUnknownLine(deps: Deps, importer: Importer): Promise<string> {
  const { body: accounts } = await importer.get('/provider-accounts?limit=1')
  const input = { provider_account_id: accounts.data[0].id, format: 'stripe_payout_reconciliation' }
  const { body } = await importer.post('/settlement-imports', input)
  imported += 1
  const row = {
    id: `txn_unknown_${imported}`,
    reference: `pi_unknown_${imported}`,
    gross: '9.99',
    net: '9.99',
  }
  await uploadTo(importer, body.id, stripeFile([row]))
  const id = body.id as Id<'settlement_import'>
  await matchImport(deps, { workspaceId: importer.workspaceId as Id<'workspace'>, id })
  const { body: lines } = await importer.get('/settlement-lines?status=missing_here&limit=100')
  const line = lines.data.find(
    ({ settlement_import_id }: { settlement_import_id: string }) => settlement_import_id === id,
  )
  return line.id
}
