import { sql } from 'kysely'
import { assert } from '../../../kernel/assert.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import type { Block, History, PastAttempt } from './budget.ts'
import { longerBlock } from './budget.ts'
import { lookBackHours, maxCountedAttempts } from './network-rules.ts'

type NewAttempt = {
  readonly attemptId: Id<'payment_attempt'>
  readonly paymentId: Id<'payment'>
  readonly cardKey: string
  readonly amount: bigint
  readonly currency: string
  readonly initiator: 'customer' | 'merchant'
}

/**
 * Locks the card until the transaction ends, writes the attempt as open, and returns the earlier attempts.
 */
export async function reserve(tx: Tx, slot: NewAttempt): Promise<History> {
  const since = addSeconds(tx.now, -lookBackHours * 3600)
  const { rows } = await sql<SlotRow>`
    select barred_by, barred_until, same_amount, any_amount from reserve_network_slot(
      ${uuidOf(tx.caller.workspaceId)}, ${uuidOf(slot.attemptId)}, ${uuidOf(slot.paymentId)}, ${slot.cardKey},
      ${slot.amount}, ${slot.currency}, ${slot.initiator}, ${tx.now}, ${since}, ${maxCountedAttempts})`.execute(
    tx.db,
  )
  const [row] = rows
  assert(row !== undefined, 'reserve_network_slot must return one row.')
  return {
    block: row.barred_by === null ? null : { rule: row.barred_by, until: row.barred_until },
    sameAmount: row.same_amount.map(toPastAttempt),
    anyAmount: row.any_amount.map(toPastAttempt),
  }
}

type SlotRow = {
  readonly barred_by: string | null
  readonly barred_until: Date | null
  readonly same_amount: readonly AttemptRow[]
  readonly any_amount: readonly AttemptRow[]
}

type AttemptRow = {
  readonly result: PastAttempt['result']
  readonly advice_code?: string | null
  readonly created_at: string
  readonly ended_at: string | null
}

function toPastAttempt({ result, advice_code = null, created_at, ended_at }: AttemptRow): PastAttempt {
  const endedAt = ended_at === null ? null : new Date(ended_at)
  return { result, adviceCode: advice_code, startedAt: new Date(created_at), endedAt }
}

type AttemptEnd = {
  readonly result: 'approved' | 'declined' | 'released' | 'refused'
  readonly networkCode?: string | null
  readonly adviceCode?: string | null
}

/** Returns whether the attempt was still open, so that a repeated result counts once. */
export async function endAttempt(tx: Tx, id: Id<'payment_attempt'>, end: AttemptEnd): Promise<boolean> {
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

/** If the card is already blocked, the longer block applies. */
export async function blockCard(tx: Tx, cardKey: string, block: Block): Promise<void> {
  const workspace = uuidOf(tx.caller.workspaceId)
  const row = await tx.db
    .selectFrom('card_budgets')
    .select(['barred_by', 'barred_until'])
    .where('workspace_id', '=', workspace)
    .where('card_key', '=', cardKey)
    .forUpdate()
    .executeTakeFirst()
  const current = row?.barred_by ? { rule: row.barred_by, until: row.barred_until } : null
  const applied = longerBlock(current, block)
  await tx.db
    .updateTable('card_budgets')
    .set({ barred_by: applied.rule, barred_until: applied.until })
    .where('workspace_id', '=', workspace)
    .where('card_key', '=', cardKey)
    .execute()
}
