import { sql } from 'kysely'
import { assert } from '../../kernel/assert.ts'
import { addSeconds } from '../../kernel/clock.ts'
import { type Id, uuidOf } from '../../kernel/id.ts'
import type { Tx } from '../../platform/db/unit-of-work.ts'
import type { Bar, Earlier, History } from './budget.ts'
import { longer } from './budget.ts'
import { lookBackHours, mostCounted } from './network-rules.ts'

type NewAttempt = {
  readonly attemptId: Id<'payment_attempt'>
  readonly paymentId: Id<'payment'>
  readonly cardKey: string
  readonly amount: bigint
  readonly currency: string
  readonly initiator: 'customer' | 'merchant'
}

/** Locks the card until the unit ends, writes the attempt as open, and tells what was tried before it. */
export async function reserve(tx: Tx, slot: NewAttempt): Promise<History> {
  const since = addSeconds(tx.now, -lookBackHours * 3600)
  const { rows } = await sql<SlotRow>`
    select barred_by, barred_until, same_amount, any_amount from reserve_network_slot(
      ${uuidOf(tx.caller.workspaceId)}, ${uuidOf(slot.attemptId)}, ${uuidOf(slot.paymentId)}, ${slot.cardKey},
      ${slot.amount}, ${slot.currency}, ${slot.initiator}, ${tx.now}, ${since}, ${mostCounted})`.execute(
    tx.db,
  )
  const [row] = rows
  assert(row !== undefined, 'reserve_network_slot answers with one row.')
  return {
    bar: row.barred_by === null ? null : { rule: row.barred_by, until: row.barred_until },
    sameAmount: row.same_amount.map(earlierOf),
    anyAmount: row.any_amount.map(earlierOf),
  }
}

type SlotRow = {
  readonly barred_by: string | null
  readonly barred_until: Date | null
  readonly same_amount: readonly EarlierRow[]
  readonly any_amount: readonly EarlierRow[]
}

type EarlierRow = {
  readonly result: Earlier['result']
  readonly advice_code?: string | null
  readonly created_at: string
  readonly ended_at: string | null
}

function earlierOf({ result, advice_code = null, created_at, ended_at }: EarlierRow): Earlier {
  const endedAt = ended_at === null ? null : new Date(ended_at)
  return { result, adviceCode: advice_code, at: new Date(created_at), endedAt }
}

type End = {
  readonly result: 'approved' | 'declined' | 'released' | 'refused'
  readonly networkCode?: string | null
  readonly adviceCode?: string | null
}

/** Whether it was open until now: what is said twice counts once. */
export async function endAttempt(tx: Tx, id: Id<'payment_attempt'>, end: End): Promise<boolean> {
  const { result, networkCode = null, adviceCode = null } = end
  const row = await tx.db
    .updateTable('network_attempts')
    .set({ result, network_code: networkCode, advice_code: adviceCode, ended_at: tx.now })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .where('result', '=', 'open')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Of two bars the longer one stays. */
export async function barCard(tx: Tx, cardKey: string, bar: Bar): Promise<void> {
  const workspace = uuidOf(tx.caller.workspaceId)
  const known = await tx.db
    .selectFrom('card_budgets')
    .select(['barred_by', 'barred_until'])
    .where('workspace_id', '=', workspace)
    .where('card_key', '=', cardKey)
    .forUpdate()
    .executeTakeFirst()
  const before = known?.barred_by ? { rule: known.barred_by, until: known.barred_until } : null
  const stays = longer(before, bar)
  await tx.db
    .updateTable('card_budgets')
    .set({ barred_by: stays.rule, barred_until: stays.until })
    .where('workspace_id', '=', workspace)
    .where('card_key', '=', cardKey)
    .execute()
}
