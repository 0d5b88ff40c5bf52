/** Unpaginated tables, and the columns shared by all tables. */
import type { CSSProperties, ReactNode } from 'react'
import { Empty } from './states.tsx'

export type Column<Row> = {
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  readonly align?: 'right'
  /** A CSS width; columns without one share the remaining width. */
  readonly width?: string
  /** Whether the column is shown on a phone. */
  readonly phone?: boolean
  /** Whether the column is shown on wide screens only. */
  readonly wide?: boolean
}

export function TableHead<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return (
    <thead>
      <tr className="h-9 border-b border-line text-left text-compact text-ink2">
        {columns.map((column) => (
          <th
            key={column.title}
            scope="col"
            style={{ '--column': column.width ?? 'auto' } as CSSProperties}
            className={`px-4 font-bold max-md:px-2 md:w-(--column) ${columnClass(column)}`}
          >
            {column.title}
          </th>
        ))}
      </tr>
    </thead>
  )
}

export function columnClass<Row>({ align, phone = false, wide = false }: Column<Row>): string {
  const hidden = wide ? 'max-lg:hidden' : 'max-md:hidden'
  return `${align === 'right' ? 'text-right' : ''} ${phone ? '' : hidden}`
}

/** A short, unpaginated table. */
export function PlainTable<Row>(props: {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  empty?: string
}) {
  if (props.rows.length === 0) return <Empty title={props.empty ?? 'Nothing here yet.'} />
  return (
    <div className="overflow-x-auto">
      <table aria-label={props.label} className="w-full">
        <TableHead columns={props.columns} />
        <tbody>
          {props.rows.map((row) => (
            <tr key={props.keyOf(row)} className="h-10 border-b border-line last:border-0">
              {props.columns.map((column) => (
                <td key={column.title} className={`px-4 py-1 max-md:px-2 ${columnClass(column)}`}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
