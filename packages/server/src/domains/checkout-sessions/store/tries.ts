/** Tries of payers, as the limits count them: over all servers, under locks that last until the commit. */
import { sql } from 'kysely'
import { addSeconds } from '../../../kernel/clock.ts'
import { type Id, uuidOf } from '../../../kernel/id.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import { type Counted, limits } from '../limits.ts'

export type NewTry = {
  readonly id: Id<'checkout_try'>
  readonly sessionId: Id<'checkout_session'>
  /** Whose declines are looked at together. */
  readonly scopeId: Id<'payment_link'> | Id<'workspace'>
  readonly network: string | null
  readonly card: string | null
}

/** Writes the try, and tells of those before it. If it may not be made, the unit is undone. */
export async function takeTry(tx: Tx, one: NewTry): Promise<Counted> {
  const { rows } = await sql<Row>`
    select network_tries, network_first, card_tries, card_first, ended, declined from take_checkout_try(${uuidOf(tx.caller.workspaceId)}, ${uuidOf(one.id)}, ${uuidOf(one.sessionId)},
      ${uuidOf(one.scopeId)}, ${one.network}, ${one.card}, ${tx.now},
      ${addSeconds(tx.now, -limits.networkSeconds)}, ${addSeconds(tx.now, -limits.cardSeconds)},
      ${limits.watched})`.execute(tx.db)
  return countedIn(rows[0] as Row)
}

type Row = {
  readonly network_tries: number
  readonly network_first: Date | null
  readonly card_tries: number
  readonly card_first: Date | null
  readonly ended: number
  readonly declined: number
}

function countedIn(row: Row): Counted {
  return {
    networkTries: row.network_tries,
    networkFirstAt: row.network_first,
    cardTries: row.card_tries,
    cardFirstAt: row.card_first,
    ended: row.ended,
    declined: row.declined,
  }
}

/** How often it was tried from a network lately, without a lock: what is over the limit costs no more than this. */
export async function countFromNetwork(view: View, network: string, since: Date): Promise<number> {
  const { rows } = await sql<{ tries: number }>`
    select count(one.id)::int as tries from (
      select id from checkout_tries
      where workspace_id = ${uuidOf(view.caller.workspaceId)} and network = ${network} and created_at > ${since}
        and id >= uuid_floor(transaction_timestamp() - interval '2 days')
      limit ${limits.networkTries}) as one`.execute(view.db)
  return rows[0]?.tries ?? 0
}

export async function endTry(
  tx: Tx,
  id: Id<'checkout_try'>,
  result: 'approved' | 'declined' | 'released',
): Promise<void> {
  await sql`
    update checkout_tries set result = ${result}
    where workspace_id = ${uuidOf(tx.caller.workspaceId)} and id = ${uuidOf(id)}`.execute(tx.db)
}
