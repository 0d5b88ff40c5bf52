/** Finds, locks and updates objects that have a version, each of which is one row of a table. */
import { type RawBuilder, sql } from 'kysely'
import { refuse } from '../../kernel/errors.ts'
import { type Id, type Kind, type Mode, uuidFromText, uuidOf } from '../../kernel/id.ts'
import { ConcurrentChange, type Tx, type View } from './unit-of-work.ts'

type Versioned = {
  readonly id: Id<Kind>
  readonly version: number
  /** The number of events of the object, if it has any. */
  readonly sequence?: number
}

type Options<Row, Value> = {
  readonly table: string
  readonly kind: Kind
  /** What the object is called in errors, such as `tax rate`. */
  readonly name: string
  /** Named columns, never `*`, for the same reason as in `listRows`. */
  readonly columns: readonly string[]
  readonly fromRow: (mode: Mode, row: Row) => Value
}

export function versionedRows<Row, Value extends Versioned>({
  table,
  kind,
  name,
  columns,
  fromRow,
}: Options<Row, Value>) {
  const selected = sql.join(columns.map((column) => sql.ref(column)))

  async function read(view: View, text: string, lock: RawBuilder<unknown> = sql``): Promise<Value | null> {
    const { mode, workspaceId } = view.caller
    const uuid = uuidFromText(kind, mode, text)
    if (uuid === null) return null
    const { rows } = await sql<Row>`
      select ${selected} from ${sql.table(table)}
      where workspace_id = ${uuidOf(workspaceId)}::uuid and id = ${uuid}::uuid ${lock}`.execute(view.db)
    return rows[0] === undefined ? null : fromRow(mode, rows[0])
  }

  const refuseMissing = () => refuse('not_found', { detail: `There is no such ${name}.` })

  return {
    find: async (view: View, text: string): Promise<Value> => (await read(view, text)) ?? refuseMissing(),

    lock: async (tx: Tx, text: string): Promise<Value> =>
      (await read(tx, text, sql`for update`)) ?? refuseMissing(),

    /** For a reference in a request: a missing object is a validation error. */
    async require(view: View, text: string, pointer: string, lock = sql``): Promise<Value> {
      const value = await read(view, text, lock)
      if (value !== null) return value
      const errors = [{ pointer, code: 'not_found', detail: `is not the id of an existing ${name}` } as const]
      return refuse('reference_not_found', { errors })
    },

    /** Increments the version, and the sequence of an object that emits events. */
    async update(tx: Tx, before: Value, changes: { readonly [column: string]: unknown }): Promise<Value> {
      const { id, version, sequence } = before
      const set = {
        ...changes,
        updated_at: tx.now,
        version: version + 1,
        ...(sequence === undefined ? {} : { sequence: sequence + 1 }),
      }
      const assignments = Object.entries(set).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
      const { rows } = await sql<Row>`
        update ${sql.table(table)} set ${sql.join(assignments)}
        where workspace_id = ${uuidOf(tx.caller.workspaceId)}::uuid and id = ${uuidOf(id)}::uuid
          and version = ${version}
        returning ${selected}`.execute(tx.db)
      if (rows[0] === undefined) throw new ConcurrentChange(id)
      return fromRow(tx.caller.mode, rows[0])
    },
  }
}
