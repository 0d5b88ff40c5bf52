/**
 * The commands for several cells. Each cell exports its directory: the keys of its workspaces and provider accounts, and the
 * hashes of the secrets of its API tokens. The operator imports it in the other cells, which then know the address of the
 * cell for these keys. The directory contains no secrets. Cells never connect to each other.
 */
import type { Client } from 'pg'
import { asOwner } from './owner.ts'
import { readAllWorkspaces, type ShardAddress } from './placements.ts'

type CellAddresses = { readonly live: string; readonly test: string; readonly dashboard: string }

/** The command cannot be completed. The message says why. */
export class CellError extends Error {
  override name = 'CellError'
}

const firstLine = 'switchyard cell directory 1'
const lastLine = (count: number) => `end ${count}`
const keyPattern = /^(?:[0-9a-f]{32}|[0-9a-f]{64})$/
/** The keys that are inserted with one statement. */
const batchSize = 10_000

/** Adds a cell, or changes its addresses. */
export async function saveCell(controlUrl: string, name: string, addresses: CellAddresses): Promise<void> {
  const { live, test, dashboard } = addresses
  await asOwner(controlUrl, (client) =>
    client.query(
      `insert into control.cells (name, live_url, test_url, dashboard_url) values ($1, $2, $3, $4)
       on conflict (name) do update set live_url = $2, test_url = $3, dashboard_url = $4`,
      [name, live, test, dashboard],
    ),
  )
}

/** Deletes a cell and its directory. */
export async function deleteCell(controlUrl: string, name: string): Promise<void> {
  const { rowCount } = await asOwner(controlUrl, (client) =>
    client.query('delete from control.cells where name = $1', [name]),
  )
  if (rowCount === 0) throw noSuchCell(name)
}

export type ListedCell = CellAddresses & {
  readonly name: string
  readonly importedAt: Date | null
  readonly keys: number
}

export async function listCells(client: Pick<Client, 'query'>): Promise<readonly ListedCell[]> {
  const { rows } = await client.query<ListedCell>(
    `select name, live_url as live, test_url as test, dashboard_url as dashboard, imported_at as "importedAt",
       (select count(key)::int from control.cell_keys where cell = cells.name) as keys
     from control.cells order by name`,
  )
  return rows
}

/** The lines of the directory of this cell. */
export async function exportDirectory(
  controlUrl: string,
  shards: readonly ShardAddress[],
): Promise<readonly string[]> {
  const keys = new Set<string>()
  const add = (rows: readonly { readonly key: string }[]) => {
    for (const { key } of rows) keys.add(key)
  }
  const ofControl = `select encode(uuid_send(id), 'hex') as key from control.workspaces
    union all select encode(hash, 'hex') from control.api_token_secrets`
  add(await asOwner(controlUrl, async (client) => (await client.query(ofControl)).rows))
  for (const { ownerUrl } of shards) add(await asOwner(ownerUrl, accountKeys))
  return [firstLine, ...[...keys].toSorted(), lastLine(keys.size)]
}

async function accountKeys(client: Client): Promise<{ key: string }[]> {
  const statement = `select encode(uuid_send(id), 'hex') as key from provider_accounts`
  const { rows } = await readAllWorkspaces(client, () => client.query<{ key: string }>(statement))
  return rows
}

/** The keys in an exported directory. An incomplete file is rejected. */
export function readDirectory(lines: readonly string[]): readonly string[] {
  const keys = lines.slice(1, -1)
  const invalid = keys.findIndex((key) => !keyPattern.test(key))
  if (lines[0] !== firstLine || invalid !== -1) throw new CellError('This is not the output of cells export.')
  if (lines.at(-1) !== lastLine(keys.length))
    throw new CellError('The file is incomplete. Run cells export again on the other cell.')
  return keys
}

/** Replaces what is known about a cell, in one transaction. */
export async function importDirectory(
  controlUrl: string,
  name: string,
  keys: readonly string[],
): Promise<void> {
  await asOwner(controlUrl, async (client) => {
    await client.query('begin')
    const { rowCount } = await client.query('update control.cells set imported_at = now() where name = $1', [
      name,
    ])
    if (rowCount === 0) throw noSuchCell(name)
    await client.query('create temporary table imported (key bytea primary key) on commit drop')
    for (let from = 0; from < keys.length; from += batchSize)
      await client.query(
        `insert into imported select decode(key, 'hex') from unnest($1::text[]) as key on conflict do nothing`,
        [keys.slice(from, from + batchSize)],
      )
    await client.query('analyze imported')
    await requireForeign(client, name)
    await client.query(
      `delete from control.cell_keys as known where cell = $1
         and not exists (select from imported where imported.key = known.key)`,
      [name],
    )
    await client.query(
      'insert into control.cell_keys (key, cell) select key, $1 from imported on conflict do nothing',
      [name],
    )
    await client.query('commit')
  })
}

/** A workspace is in one cell. Requests for a workspace of this cell must never be refused. */
async function requireForeign(client: Client, name: string): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `select id from control.workspaces join imported on imported.key = uuid_send(id) limit 1`,
  )
  if (rows[0] !== undefined)
    throw new CellError(
      `The workspace with the UUID ${rows[0].id} is in this cell too. Nothing was imported: is this the directory of another cell?`,
    )
  const { rows: others } = await client.query<{ cell: string; count: number }>(
    `select cell, count(key)::int as count from control.cell_keys join imported using (key) where cell <> $1
     group by cell order by cell limit 1`,
    [name],
  )
  const [other] = others
  if (other !== undefined)
    throw new CellError(
      `The cell ${other.cell} has ${other.count} of these keys. Nothing was imported: import the current directory of ${other.cell} first.`,
    )
}

function noSuchCell(name: string): CellError {
  return new CellError(
    `There is no cell ${name}. Add it first: cells add ${name} --live <url> --test <url> --dashboard <url>`,
  )
}
