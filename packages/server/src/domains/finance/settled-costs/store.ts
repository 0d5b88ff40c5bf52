/** Reads what payments have cost. The rows are written by a trigger of the settlement lines. */
import { type Selectable, sql } from 'kysely'
import { type Id, idFromUuid, type Mode, uuidOf } from '../../../kernel/id.ts'
import type { SettledCosts } from '../../../platform/db/tables.generated.ts'
import type { View } from '../../../platform/db/unit-of-work.ts'
import { minLines } from './fee-sums.ts'
import type { SettledCost, StatedDetails } from './settled-cost.ts'

const columns = [
  'provider_account_id',
  'currency',
  'card_brand',
  'card_country',
  'card_funding',
  'amount_band',
  'lines',
  'amounts',
  'fees',
  'amount_squares',
  'products',
  'fee_squares',
] as const
type CostRow = Pick<Selectable<SettledCosts>, (typeof columns)[number]>

/** The segments of an account, those with the most lines first. */
export async function listCostsOf(
  view: View,
  accountId: Id<'provider_account'>,
  limit: number,
): Promise<SettledCost[]> {
  const rows = await view.db
    .selectFrom('settled_costs')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('provider_account_id', '=', uuidOf(accountId))
    .where('lines', '>', 0n)
    .orderBy('lines', 'desc')
    .orderBy('currency')
    .orderBy('card_brand')
    .orderBy('card_country')
    .orderBy('card_funding')
    .orderBy('amount_band')
    .limit(limit)
    .execute()
  return rows.map((row) => fromRow(view.caller.mode, row))
}

/** The segments of all accounts that have enough lines. */
export async function listKnownCosts(view: View): Promise<SettledCost[]> {
  const rows = await view.db
    .selectFrom('settled_costs')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('lines', '>=', BigInt(minLines))
    .execute()
  return rows.map((row) => fromRow(view.caller.mode, row))
}

/** Which details the lines of each account state. Accounts without lines are not included. */
export async function listStatedDetails(view: View): Promise<StatedDetails[]> {
  const { mode, workspaceId } = view.caller
  const { rows } = await sql<StatedDetails>`
    select provider_account_id as account, bool_or(card_brand <> '') as brand, bool_or(card_country <> '') as country,
      bool_or(card_funding <> '') as funding
    from settled_costs where workspace_id = ${uuidOf(workspaceId)} and lines > 0
    group by provider_account_id`.execute(view.db)
  return rows.map((row) => ({ ...row, account: idFromUuid('provider_account', mode, row.account) }))
}

export async function hasCosts(view: View): Promise<boolean> {
  const row = await view.db
    .selectFrom('settled_costs')
    .select('lines')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('lines', '>', 0n)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

function fromRow(mode: Mode, row: CostRow): SettledCost {
  return {
    account: idFromUuid('provider_account', mode, row.provider_account_id),
    currency: row.currency,
    card: {
      brand: statedOrNull(row.card_brand),
      country: statedOrNull(row.card_country),
      funding: statedOrNull(row.card_funding),
    },
    amountBand: row.amount_band,
    sums: {
      lines: row.lines,
      amounts: BigInt(row.amounts),
      fees: BigInt(row.fees),
      amountSquares: BigInt(row.amount_squares),
      products: BigInt(row.products),
      feeSquares: BigInt(row.fee_squares),
    },
  }
}

const statedOrNull = (text: string) => (text === '' ? null : text)
