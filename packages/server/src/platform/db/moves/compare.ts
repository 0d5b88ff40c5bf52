/** Compares the rows of a workspace on two shards by the hashes of their content. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { addSeconds } from '../../../kernel/clock.ts'
import { uuidFloor } from '../../../kernel/id.ts'
import { MoveError } from './errors.ts'
import type { Move } from './move.ts'
import { quote, type Side } from './sides.ts'
import { findMovedTables, type MovedTable } from './tables.ts'

/**
 * Tables with more rows of the workspace are compared before it is fenced. While it is fenced, only their
 * changes are compared.
 */
const smallTableRows = 5_000

/**
 * Tables that are not compared. Lines of the request log are written outside of transactions in the
 * workspace, so some arrive later. The row in `workspace_moves` has columns that differ between the shards.
 */
const notVerified = ['public.request_log', 'public.workspace_moves']

const [maxTries, retryMs] = [40, 500]

/**
 * Ids and times are assigned when a transaction begins, and the transaction may be committed up to this much
 * later.
 */
const marginSeconds = 60

export type Comparison = {
  readonly until: Date
  readonly smallTables: readonly string[]
  readonly rows: number
}

/**
 * Compares all rows that no longer change. Tables that differ are compared again, because changes arrive
 * late.
 */
export async function compareSettled(workspace: string, from: Side, to: Side): Promise<Comparison> {
  const tables = await findMovedTables(from.client)
  const { rows: times } = await from.client.query<{ now: Date }>('select now() as now')
  const until = addSeconds((times[0] as { now: Date }).now, -marginSeconds)
  const counts = await evaluate(from.clients, tables, ({ name }) => countRows(name, workspace))
  const rowsOf = (index: number) => Number(counts[index] ?? 0)
  const smallTables = tables.filter((_, index) => rowsOf(index) <= smallTableRows)
  let left: readonly MovedTable[] = tables.filter((table) => isTimed(table) || !smallTables.includes(table))
  for (let attempt = 1; left.length > 0; attempt += 1) {
    left = await findDifferent({ workspace, from, to }, left, (table) => settledRows(table, until))
    if (left.length === 0) break
    if (attempt === maxTries) throw new MoveError(`The shards differ in ${namesOf(left)}.`)
    await sleep(retryMs)
  }
  return {
    until,
    smallTables: smallTables.map(({ name }) => name),
    rows: tables.reduce((sum, _, index) => sum + rowsOf(index), 0),
  }
}

/**
 * Returns a function to call when the workspace is fenced and drained. It compares the rows that may have
 * changed since the last comparison. The same rows are compared once before it is returned, so that the
 * connections have already read the tables and the catalog.
 */
export async function prepareVerification(
  { workspace, comparedUntil, smallTables }: Move,
  from: Side,
  to: Side,
): Promise<() => Promise<void>> {
  const tables = (await findMovedTables(from.client)).filter(({ name }) => !notVerified.includes(name))
  const changed = (table: MovedTable) =>
    comparedUntil === null || smallTables.includes(table.name)
      ? 'true'
      : `not (${settledRows(table, comparedUntil)})`
  const compare = () => findDifferent({ workspace, from, to }, tables, changed)
  await compare()
  return async () => {
    const different = await compare()
    if (different.length > 0) throw new MoveError(`The shards differ in ${namesOf(different)}.`)
  }
}

const namesOf = (tables: readonly MovedTable[]) => tables.map(({ name }) => name).join(', ')

const isTimed = ({ idColumn, hasUpdatedAt }: MovedTable) => idColumn !== null || hasUpdatedAt

/**
 * A condition for the rows that have not changed since `until`, as far as the columns of the table show it.
 */
function settledRows({ idColumn, hasUpdatedAt }: MovedTable, until: Date): string {
  const conditions: string[] = []
  if (idColumn !== null) conditions.push(`${idColumn} < '${uuidFloor(until)}'`)
  if (hasUpdatedAt) conditions.push(`updated_at < '${until.toISOString()}'`)
  return conditions.length === 0 ? 'true' : conditions.join(' and ')
}

type Pair = { readonly workspace: string; readonly from: Side; readonly to: Side }

async function findDifferent(
  { workspace, from, to }: Pair,
  tables: readonly MovedTable[],
  condition: (table: MovedTable) => string,
): Promise<readonly MovedTable[]> {
  const hash = ({ clients }: Side) =>
    evaluate(clients, tables, (table) => hashRows(table, workspace, condition(table)))
  const [ours, theirs] = await Promise.all([hash(from), hash(to)])
  return tables.filter((_, index) => ours[index] !== theirs[index])
}

const hashRows = ({ name, columns }: MovedTable, workspace: string, condition: string) =>
  `select count(workspace_id) || ':' || coalesce(sum(hashtextextended(row(${columns.join(', ')})::text, 0)::numeric), 0)
   from ${name} where workspace_id = ${quote(workspace)} and ${condition}`

const countRows = (name: string, workspace: string) =>
  `select count(workspace_id)::text from ${name} where workspace_id = ${quote(workspace)}`

/**
 * Evaluates a query for each table. Each client gets every nth table in one statement: one statement per
 * table would take too long while writes wait.
 */
async function evaluate(
  clients: readonly Client[],
  tables: readonly MovedTable[],
  queryFor: (table: MovedTable) => string,
): Promise<readonly (string | undefined)[]> {
  const parts = clients.map((client, place) => {
    const own = tables.map((_, index) => index).filter((index) => index % clients.length === place)
    const rows = own.map(
      (index) => `select ${index} as index, (${queryFor(tables[index] as MovedTable)}) as value`,
    )
    return rows.length === 0 ? [] : client.query<{ index: number; value: string }>(rows.join(' union all '))
  })
  const values: string[] = []
  for (const part of await Promise.all(parts))
    for (const { index, value } of 'rows' in part ? part.rows : []) values[index] = value
  return values
}
