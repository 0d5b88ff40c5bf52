/** Payers' tries and the budgets that they use, counted across all servers. */
import { sql } from 'kysely'
import { type Id, uuidOf } from '../../../../kernel/id.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { Budget, BudgetUpdate, Scope } from '../limits.ts'

/** The budgets that a try uses. */
export type BudgetKeys = readonly { readonly scope: Scope; readonly key: string }[]

/** The id that all budgets of the current day share. */
const today = sql`uuid_floor(date_trunc('day', transaction_timestamp(), 'UTC'))`

type Row = {
  readonly key: string
  readonly level: number
  readonly reserve: number
  readonly open: number
  readonly declined_at: Date | null
  readonly updated_at: Date
}

/**
 * Creates missing budgets and locks all budgets in the order of their keys, so that concurrent tries are
 * serialized.
 */
export async function lockBudgets(tx: Tx, keys: BudgetKeys): Promise<Budget[]> {
  const { rows } = await sql<Row>`
    insert into checkout_budgets as budget (workspace_id, id, key, updated_at)
    select ${uuidOf(tx.caller.workspaceId)}::uuid, ${today}, key, ${tx.now}::timestamptz
    from unnest(${keys.map(({ key }) => key)}::text[]) as key order by key
    on conflict (workspace_id, id, key) do update set key = excluded.key
    returning key, level, reserve, open, declined_at, updated_at`.execute(tx.db)
  return budgetsFrom(keys, rows, tx.now)
}

/** Reads without a lock, to reject early what `lockBudgets` would reject later. */
export async function readBudgets(view: View, keys: BudgetKeys, now: Date): Promise<Budget[]> {
  const { rows } = await sql<Row>`
    select key, level, reserve, open, declined_at, updated_at from checkout_budgets
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and id = ${today}
      and key = any(${keys.map(({ key }) => key)}::text[])`.execute(view.db)
  return budgetsFrom(keys, rows, now)
}

function budgetsFrom(keys: BudgetKeys, rows: readonly Row[], now: Date): Budget[] {
  const rowByKey = new Map(rows.map((row) => [row.key, row]))
  return keys.map(({ scope, key }) => {
    const row = rowByKey.get(key)
    return {
      scope,
      key,
      level: row?.level ?? 0,
      reserve: row?.reserve ?? 0,
      open: row?.open ?? 0,
      declinedAt: row?.declined_at ?? null,
      updatedAt: row?.updated_at ?? now,
    }
  })
}

export type NewTry = {
  readonly sessionId: Id<'checkout_session'>
  readonly scopeId: Id<'payment_link'> | Id<'workspace'>
  readonly usesReserve: boolean
  readonly updates: readonly BudgetUpdate[]
}

/** Writes the try and uses its units. The caller must have locked the budgets. */
export async function insertTry(tx: Tx, newTry: NewTry): Promise<Id<'checkout_try'>> {
  const id = tx.newId('checkout_try')
  const workspace = uuidOf(tx.caller.workspaceId)
  const { updates } = newTry
  await sql`
    with used as (
      update checkout_budgets as budget
      set level = updated.level, reserve = updated.reserve, updated_at = ${tx.now},
        open = budget.open + case when ${newTry.usesReserve} and budget.key ~ '^(link|workspace)' then 0 else 1 end
      from unnest(${updates.map(({ key }) => key)}::text[], ${updates.map(({ level }) => level)}::float8[],
        ${updates.map(({ reserve }) => reserve)}::float8[]) as updated (key, level, reserve)
      where budget.workspace_id = ${workspace} and budget.id = ${today} and budget.key = updated.key)
    insert into checkout_tries
      (workspace_id, id, checkout_session_id, scope_id, result, budget_id, budgets, is_reserve, created_at)
    values (${workspace}, ${uuidOf(id)}, ${uuidOf(newTry.sessionId)}, ${uuidOf(newTry.scopeId)}, 'open', ${today},
      ${updates.map(({ key }) => key)}::text[], ${newTry.usesReserve}, ${tx.now})`.execute(tx.db)
  return id
}

/** Counts a wrong promotion code as a decline. The caller must have locked the budgets. */
export async function countWrongCode(tx: Tx, updates: readonly BudgetUpdate[]): Promise<void> {
  await sql`
    update checkout_budgets as budget
    set level = updated.level, reserve = updated.reserve, declined_at = ${tx.now}, updated_at = ${tx.now}
    from unnest(${updates.map(({ key }) => key)}::text[], ${updates.map(({ level }) => level)}::float8[],
      ${updates.map(({ reserve }) => reserve)}::float8[]) as updated (key, level, reserve)
    where budget.workspace_id = ${uuidOf(tx.caller.workspaceId)} and budget.id = ${today}
      and budget.key = updated.key`.execute(tx.db)
}

export async function endTry(
  tx: Tx,
  id: Id<'checkout_try'>,
  result: 'approved' | 'declined' | 'released',
): Promise<void> {
  await sql`select end_checkout_try(${uuidOf(tx.caller.workspaceId)}, ${uuidOf(id)}, ${result}, ${tx.now})`.execute(
    tx.db,
  )
}
